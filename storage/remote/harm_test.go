package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// drawer draws a cloud, what is told of it, and what we do.
type drawer struct {
	*rapid.T
	c *trueCloud
	s *Store
}

func one[T any](d *drawer, what string, of ...T) T { return of[d.number(what, 0, len(of)-1)] }

// rarely is true once in n times.
func (d *drawer) rarely(what string, n int) bool {
	return rapid.IntRange(0, n-1).Draw(d.T, what) == n-1
}

func (d *drawer) number(what string, from, to int) int {
	return rapid.IntRange(from, to).Draw(d.T, what)
}

func (d *drawer) host() *trueHost     { return one(d, "host", d.c.hosts...) }
func (d *drawer) server() *trueServer { return one(d, "server", d.c.servers...) }
func (d *drawer) flavor() string {
	return one(d, "flavor", "small", "gpu", "dev", "big", "net", "metal", "reserved")
}

// other returns a node of another host than that of a server.
func (d *drawer) other(s *trueServer) *trueHost {
	h := d.host()
	if h.service == d.c.serviceOf(s.host) {
		for _, h := range d.c.hosts {
			if h.service != d.c.serviceOf(s.host) {
				return h
			}
		}
	}
	return h
}

// cloud draws a cloud.
func (d *drawer) cloud(tb testing.TB) {
	tb.Helper()
	c := newTrueCloud(tb)
	d.c = c
	c.tells = teller{nova: 95, most: 1000, counts: map[api.Service]int{}, asked: map[any]int{}, first: map[string]reply{}, actions: map[placement.ConsumerID][]object{}}
	c.typed = d.rarely("typed", 3)
	if d.rarely("no accelerators, but devices", 3) {
		c.device = "CUSTOM_NIC"
		c.must(placement.CreateClass{Name: c.device})
	}
	if d.rarely("pool", 3) {
		c.pool = c.provider(storagetest.Provider(c.number()), "pool", placement.ProviderID{}, map[placement.ResourceClass]int64{placement.DiskGB: 500}, placement.SharesViaAggregate)
		c.must(placement.SetAggregates{Provider: c.pool, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{placement.AggregateID(storagetest.Number(500))}})
	}
	for n := 1; n <= 3; n++ {
		h := c.host(n, 1+n/3, c.pool.IsZero() || n == 3)
		if !c.pool.IsZero() && n < 3 {
			c.must(placement.SetAggregates{Provider: h.root, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{placement.AggregateID(storagetest.Number(500))}})
		}
		h.disabled = d.rarely("disabled", 6)
		h.down = d.rarely("down", 6)
	}
	if d.rarely("nodes of one service", 6) {
		c.hosts[1].service = c.hosts[0].name
		c.hosts[1].disabled, c.hosts[1].down = c.hosts[0].disabled, c.hosts[0].down
	}
	for range d.number("servers", 1, 4) {
		d.story()
	}
	for range d.number("strangers", 0, 2) {
		d.stranger()
	}
	for range d.number("troubles", 0, 2) {
		d.trouble()
	}
}

// story draws a server, with what happened to it so far.
func (d *drawer) story() {
	c, flavor, h := d.c, d.flavor(), d.host()
	running := func() *trueServer { return c.server(flavor, h, nova.Active, "") }
	moved := func(kind nova.MigrationType, status nova.MigrationStatus) (*trueServer, *trueMove) {
		s := running()
		to := flavor
		if kind == nova.Resize {
			to = one(d, "new flavor", "small", "big")
		}
		m := c.move(s, d.other(s), kind, status, to)
		return s, m
	}
	over := func(s *trueServer, m *trueMove, at string, flavor string) { // the move has ended, and the guest is there
		m.uses = amounts{}
		s.host, s.flavor, s.uses = at, flavor, c.asks(flavor, c.hostOf(at))
		c.claimFor(s, s.uses)
	}
	switch one(d, "story", "runs", "runs", "builds", "failed", "shelved", "offloaded", "unshelves", "soft", "deleted", "waits", "moves", "ends", "live", "was moved", "came back", "evacuates", "evacuated") {
	case "builds":
		s := c.server(flavor, h, nova.Building, one(d, "task", nova.Scheduling, nova.Spawning))
		if d.rarely("no host yet", 2) {
			s.host = ""
		}
	case "failed":
		s := c.server(flavor, h, nova.Broken, "")
		s.host, s.uses = "", amounts{}
		if d.rarely("holds nothing", 2) {
			c.claimFor(s, nil)
		}
		c.unbind(s)
	case "shelved":
		c.server(flavor, h, nova.Shelved, "")
	case "offloaded", "unshelves":
		s := c.server(flavor, h, nova.ShelvedOffloaded, "")
		held := s.uses
		s.host, s.uses = "", amounts{}
		if d.rarely("left something", 2) {
			break
		}
		c.claimFor(s, nil)
		if d.rarely("is unshelved", 2) {
			s.task, s.uses = "unshelving", held
			c.claimFor(s, held)
		}
	case "soft":
		c.server(flavor, h, nova.SoftDeleted, "")
	case "deleted":
		s := running()
		held := s.uses
		c.remove(s)
		s.updated = c.now.Add(-time.Hour)
		s.forgotten = d.rarely("archived", 2)
		c.claimFor(s, held)
	case "waits":
		s, m := moved(one(d, "kind", nova.Resize, nova.ColdMigration), one(d, "status", nova.Finished, nova.Finished, nova.Finished, nova.Confirming, nova.Reverting))
		to := flavor
		if m.kind == nova.Resize {
			to = d.flavorOf(s)
		}
		s.host, s.flavor, s.vm = m.dest, to, nova.Resized
		if m.status == nova.Reverting {
			s.task = nova.ResizeReverting
		}
	case "moves":
		s, m := moved(one(d, "kind", nova.Resize, nova.ColdMigration), one(d, "status", nova.PreMigrating, nova.Migrating, nova.PostMigrating))
		s.task = one(d, "task", nova.ResizePrep, nova.ResizeMigrating, nova.ResizeFinish)
		if m.status == nova.PreMigrating && d.rarely("no place yet", 2) {
			s.uses = amounts{}
			c.claimFor(s, nil)
		}
	case "live":
		s, _ := moved(nova.LiveMigration, one(d, "status", nova.Accepted, nova.Preparing, nova.Running, nova.MigrationStatus("queued"), nova.PostMigrating))
		s.task = nova.LiveMigrating
	case "was moved":
		s, m := moved(one(d, "kind", nova.Resize, nova.ColdMigration, nova.LiveMigration), one(d, "status", nova.Confirmed, nova.Completed, nova.Done))
		over(s, m, m.dest, d.flavorOf(s))
		if !d.rarely("leaked", 2) {
			c.claimMove(m, nil)
		}
	case "came back":
		s, m := moved(one(d, "kind", nova.Resize, nova.ColdMigration, nova.LiveMigration), one(d, "status", nova.Reverted, nova.Error, nova.Failed, nova.Cancelled))
		over(s, m, m.source, flavor)
		switch one(d, "what it left", "all", "nothing", "nothing of its own") {
		case "nothing":
			c.claimMove(m, nil)
		case "nothing of its own":
			c.claimFor(s, nil)
		}
	case "evacuates", "evacuated":
		s := running()
		source := s.uses
		m := &trueMove{id: storagetest.Consumer(c.number()), of: s, kind: nova.Evacuation, status: nova.Accepted, source: s.host, dest: d.other(s).name, uses: amounts{}, old: flavor, updated: s.updated}
		c.moves = append(c.moves, m)
		h.down = !d.rarely("up again", 3)
		there := c.asks(flavor, c.hostOf(m.dest))
		switch one(d, "evacuation", "goes on", "goes on", "done", "failed") {
		case "done":
			m.status, s.host, s.uses = nova.Done, m.dest, there
		case "failed": // the guest is where it was
			m.status, s.vm = one(d, "status", nova.Error, nova.Failed), nova.Broken
			if d.rarely("undone", 2) {
				there = amounts{}
			}
		default:
			m.status = one(d, "status", nova.Accepted, nova.PreMigrating, nova.Migrating)
			s.task, s.uses = one(d, "task", nova.TaskState("rebuilding"), "rebuild_spawning", ""), plus(source, there)
		}
		c.claimFor(s, plus(source, there))
	default:
		s := running()
		s.vm = one(d, "vm", nova.Active, nova.Active, nova.Stopped, nova.Paused, nova.Suspended, nova.Rescued, nova.Broken)
		s.task = one(d, "task", "", "", "", "rebooting", "rebuilding", "powering-off", nova.Deleting)
	}
}

// flavorOf returns the flavor that the amounts which a server uses are of.
func (d *drawer) flavorOf(s *trueServer) string {
	for _, h := range d.c.hosts {
		for name := range d.c.flavors {
			if fmt.Sprint(d.c.asks(name, h)) == fmt.Sprint(s.uses) {
				return name
			}
		}
	}
	return s.flavor
}

// classOf returns a class of a provider.
func (d *drawer) classOf(h *trueHost, id placement.ProviderID) placement.ResourceClass {
	return map[placement.ProviderID]placement.ResourceClass{h.nic: bandwidth, d.c.pool: placement.DiskGB, h.root: placement.VCPU, h.blazar: reservation, h.nova: placement.VGPU, h.cyborg: d.c.device}[id]
}

// stranger draws a consumer that Nova does not know.
func (d *drawer) stranger() {
	c, h := d.c, d.host()
	id, kind := storagetest.Consumer(c.number()), one(d, "type", placement.ConsumerType(""), placement.InstanceConsumer, "CONTAINER")
	holds := amounts{h.root: {placement.VCPU: 1, placement.MemoryMB: 64}}
	if d.rarely("has a card", 2) {
		card := one(d, "card", h.nova, h.cyborg)
		holds[card] = map[placement.ResourceClass]int64{d.classOf(h, card): 1}
	}
	if d.rarely("on a root of another Nova", 3) {
		root := c.provider(storagetest.Provider(c.number()), fmt.Sprint("f", c.number()), placement.ProviderID{}, map[placement.ResourceClass]int64{placement.VCPU: 8}, placement.ComputeNode, placement.OwnerNova)
		holds = amounts{root: {placement.VCPU: 1}}
	}
	c.others[id] = true
	if kind == "" && d.rarely("not in a tree of Nova's", 2) {
		delete(c.others, id) // it looks as a server that is archived, and may be one
	}
	if kind == placement.InstanceConsumer && len(holds[h.root]) > 0 {
		delete(c.others, id)
	}
	c.claim(id, one(d, "project", "p", "q"), "", holds)
	if kind == "CONTAINER" {
		c.claim(id, "p", kind, holds)
	}
}

// trouble draws something that is wrong with what is claimed, or with cards.
func (d *drawer) trouble() {
	c, s := d.c, d.server()
	holds := heldIn(c.kept.Snapshot().Placement(), s.id)
	switch one(d, "trouble", "nothing", "no card", "elsewhere", "more", "project", "owner", "both", "stuck", "request", "twin", "drained") {
	case "nothing":
		c.claimFor(s, nil)
	case "no card":
		for id := range holds {
			if len(holds) > 1 && c.kept.Snapshot().Placement().ProviderName(id) != s.host {
				delete(holds, id)
				c.claimFor(s, holds)
				return
			}
		}
	case "elsewhere":
		c.claimFor(s, plus(holds, c.asks(one(d, "flavor there", "small", s.flavor), d.other(s))))
	case "more":
		if h := c.hostOf(s.host); h != nil {
			c.claimFor(s, plus(holds, amounts{one(d, "of", h.root, h.root): {placement.VCPU: 1}}))
		}
	case "project":
		if len(holds) > 0 {
			c.claim(s.id, "wrong", placement.InstanceConsumer, holds)
		}
	case "owner", "both":
		h := d.host()
		card := one(d, "card", h.nova, h.cyborg)
		c.must(placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: one(d, "owners", nil, []placement.Trait{placement.OwnerCyborg, placement.OwnerNova}, []placement.Trait{placement.OwnerCyborg}, []placement.Trait{placement.OwnerNova})})
	case "stuck":
		if len(c.arqs) > 0 {
			one(d, "request", c.arqs...).state = one(d, "state", cyborg.ARQUnbindFailed, cyborg.ARQBindStarted, cyborg.ARQBindFailed)
		}
	case "request":
		if h := d.host(); !slices.ContainsFunc(c.arqs, func(a *trueARQ) bool { return a.of == s.id && a.host == h }) {
			c.arqs = append(c.arqs, &trueARQ{storagetest.Number(c.number()), s.id, h, cyborg.ARQBound})
		}
	case "twin":
		h := d.host()
		if slices.ContainsFunc(slices.Collect(c.kept.Snapshot().Placement().Providers()), func(p *placement.ResourceProvider) bool { return p.Name() == h.name+"_0000:84:00.0" }) {
			break
		}
		c.provider(storagetest.Provider(c.number()), h.name+"_0000:84:00.0", h.root, map[placement.ResourceClass]int64{c.device: 8}, placement.OwnerCyborg)
	case "drained":
		h := d.host()
		inv := placement.NewInventory(8)
		inv.Reserved = 8
		card := one(d, "card", h.nova, h.cyborg)
		c.must(placement.SetInventory{Provider: card, Generation: placement.AnyGeneration(), Class: d.classOf(h, card), Inventory: inv})
	}
}

// happens draws something that happens in the cloud.
func (d *drawer) happens() (string, func()) {
	c, s, h := d.c, d.server(), d.host()
	to := d.other(s)
	what := one(d, "happens", "moves", "unshelves", "offloads", "goes", "task", "resizes", "confirms", "reverts", "made again", "boots", "claims", "owner", "restores", "evacuates", "status", "request", "made anew", "soft", "flavor", "aggregate")
	flavor := d.flavor()
	do := func() {
		settled := !s.gone && s.task == "" && s.host != "" && (s.vm == nova.Active || s.vm == nova.Stopped)
		p := c.kept.Snapshot().Placement()
		switch what {
		case "moves":
			if settled {
				c.land(s, to, s.flavor)
			}
		case "unshelves":
			if s.vm == nova.ShelvedOffloaded && s.task == "" {
				c.land(s, h, s.flavor)
			}
		case "offloads":
			if settled {
				c.unbind(s)
				s.vm, s.host, s.uses = nova.ShelvedOffloaded, "", amounts{}
				c.claimFor(s, nil)
				c.touch(s)
			}
		case "goes":
			if !s.gone {
				c.remove(s)
			}
		case "task":
			if settled {
				s.task = "rebuilding"
				c.touch(s)
			} else if s.task == "rebuilding" {
				s.task = ""
				c.touch(s)
			}
		case "resizes":
			if settled && s.flavor != "dev" && flavor != "dev" {
				m := c.move(s, to, nova.Resize, nova.Finished, flavor)
				s.host, s.flavor, s.vm = to.name, flavor, nova.Resized
				c.touchMove(m)
			}
		case "confirms":
			if m := c.waits(s); m != nil && s.task == "" {
				c.confirm(m)
			}
		case "reverts":
			if m := c.waits(s); m != nil && s.task == "" {
				c.revert(m)
			}
		case "made again": // by another service, with what Nova left behind
			for consumer := range p.Consumers() {
				if i := c.serverNamed(consumer.ID().String()); i == nil || i.gone {
					holds := heldIn(p, consumer.ID())
					if slices.ContainsFunc(c.moves, func(m *trueMove) bool { return m.id == consumer.ID() }) {
						continue
					}
					c.claim(consumer.ID(), "", "", nil)
					c.claim(consumer.ID(), "q", "", holds)
					c.others[consumer.ID()], c.remade[consumer.ID().String()] = true, c.tells.total
					return
				}
			}
		case "boots":
			c.touch(c.server(flavor, h, nova.Active, ""))
		case "owner":
			_ = c.do(placement.SetTraits{Provider: h.cyborg, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}})
		case "restores":
			if s.vm == nova.SoftDeleted && !s.gone {
				s.vm = nova.Active
				c.touch(s)
			}
		case "soft":
			if settled {
				s.vm = nova.SoftDeleted
				c.touch(s)
			}
		case "evacuates":
			if settled {
				source, there := s.uses, c.asks(s.flavor, to)
				c.moves = append(c.moves, &trueMove{id: storagetest.Consumer(c.number()), of: s, kind: nova.Evacuation, status: nova.Accepted, source: s.host, dest: to.name, uses: amounts{}, old: s.flavor, updated: c.now, changed: c.tells.total})
				s.task, s.uses = "rebuilding", plus(source, there)
				c.claimFor(s, s.uses)
				c.touch(s)
			}
		case "status":
			h.disabled = !h.disabled
		case "request":
			if settled && s.flavor == "dev" && !slices.ContainsFunc(c.arqs, func(a *trueARQ) bool { return a.of == s.id }) { // Cyborg refuses a second one
				c.bind(s, c.hostOf(s.host))
				c.touch(s)
			}
		case "flavor":
			c.remake(flavor)
		case "aggregate":
			_ = c.do(placement.SetAggregates{Provider: h.nova, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{placement.AggregateID(storagetest.Number(501))}})
		case "made anew": // a card
			card, name := h.nova, h.name+"_pci_0000_84_00_0"
			if c.do(placement.DeleteProvider{ID: card}) == nil {
				c.must(placement.CreateProvider{ID: card, Name: name, Parent: h.root},
					placement.SetInventories{Provider: card, Generation: placement.AnyGeneration(), Inventories: map[placement.ResourceClass]placement.Inventory{placement.VGPU: placement.NewInventory(8)}},
					placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova}})
			}
		}
	}
	if what == "claims" {
		of := one(d, "of", h.root, h.nova, h.cyborg)
		class := d.classOf(h, of)
		do = func() {
			id := storagetest.Consumer(c.number())
			c.others[id] = true
			c.claim(id, "q", "", amounts{of: {class: 1}})
		}
	}
	return what + " " + s.name + " " + h.name, do
}

// tells draws what is told of the cloud, from the next requests on. While we act, Nova tells
// the truth of each of its records, or nothing: who lies about all is never found out.
func (d *drawer) tells(acting bool) {
	t := &d.c.tells
	t.lies, t.events = nil, nil
	services := []api.Service{api.Compute, api.Compute, api.Placement, api.Accelerator}
	for range d.number("lies", 0, 2) {
		of := one(d, "of", services...)
		l := &lie{of: of, from: t.counts[of] + d.number("from", 1, one(d, "before", 5, 40)), mask: uint64(d.number("mask", 1, 15))}
		l.to = l.from + one(d, "for", 0, 1, 3, 1000)
		kinds := []string{"500", "503", "403", "404", "401", "429", "cut", "lost", "HTML", "torn"}
		if !acting || of == api.Placement {
			kinds = append(kinds, "stale", "omit", "omit", "field", "twice", "short", "again")
		}
		l.kind = one(d, "kind", kinds...)
		switch of {
		case api.Compute:
			l.path = one(d, "path", "", "/servers", "/os-migrations", "/os-services", "/os-hypervisors", "/flavors")
			l.field = one(d, "field", "OS-EXT-SRV-ATTR:host", "OS-EXT-SRV-ATTR:hypervisor_hostname", "OS-EXT-STS:vm_state", "OS-EXT-STS:task_state", "tenant_id", "flavor", "id", "uuid", "instance_uuid", "status", "state", "source_compute", "running_vms")
		case api.Placement:
			l.path = one(d, "path", "", "/resource_providers", "/allocations", "/inventories", "/traits")
		default:
			l.path = one(d, "path", "", "/accelerator_requests", "/deployables", "/devices")
			l.field = one(d, "field", "instance_uuid", "state", "device_rp_uuid", "rp_uuid", "hostname")
		}
		t.lies = append(t.lies, l)
	}
	for range d.number("events", 0, 2) {
		of := one(d, "at", services...)
		name, do := d.happens()
		t.events = append(t.events, &event{of, t.counts[of] + d.number("request", 1, one(d, "before", 5, 40)), name, do})
	}
}

// open opens the cloud as it is told.
func (d *drawer) open(t *testing.T) error {
	c := d.c
	c.tells.down = one(d, "down cell", 0, 0, 0, 0, 1, 2)
	c.tells.nova = one(d, "nova", 95, 95, 95, 95, 90, 68, 61, 53)
	c.tells.project = one(d, "project", "", "", "", "", "q")
	c.tells.tenants = c.tells.project != "" && d.rarely("may list all", 2)
	c.tells.hides = d.rarely("hides extra specs", 6)
	c.tells.most = one(d, "page", 1000, 1000, 1000, 1, 2)
	d.tells(false)
	client := &gophercloud.ProviderClient{}
	client.UseTokenLock()
	client.SetToken("secret")
	client.ReauthFunc = func(context.Context) error { return nil }
	call := newCaller(client, http.Client{Transport: bodyLimit{c}}, 1, nil)
	waits := 0
	call.pause = func(ctx context.Context, _ time.Duration) error {
		if waits++; waits > 500 {
			return errors.New("waited long enough")
		}
		return ctx.Err()
	}
	call.services[api.Placement] = &service{name: api.Placement, address: "http://placement", minor: one(d, "placement", 39, 39, 39, 36, 30, 28)}
	call.services[api.Compute] = &service{name: api.Compute, address: "http://compute", minor: min(computeNewest, c.tells.nova)}
	switch one(d, "Cyborg", "there", "there", "there", "there", "nowhere", "elsewhere") {
	case "there":
		call.services[api.Accelerator] = &service{name: api.Accelerator, address: "http://accelerator/v2", minor: 3}
	case "elsewhere":
		call.elsewhere[api.Accelerator] = ": only internal"
	}
	off := time.Duration(one(d, "clock", 0, 0, 0, -60, 60)) * time.Minute
	s, err := newStore(t.Context(), call, options{scheme: "cloud", clock: func() time.Time { return c.now.Add(off) }, can: cloud.Capabilities{Cannot: call.cannot, AsksOwners: true}})
	d.s = s
	return err
}

// way is something that people do with a cloud.
type way struct {
	name string
	do   func(ctx context.Context) error
}

// ways returns all that people do.
func (d *drawer) ways() []way {
	s, c := d.s, d.c
	snap := func() *cloud.Snapshot { return s.Snapshot() }
	now := s.clock
	provider := func() placement.ProviderID {
		all := slices.Collect(snap().Placement().Providers())
		if len(all) == 0 {
			return placement.ProviderID{}
		}
		return one(d, "provider", all...).ID()
	}
	consumer := func() placement.ConsumerID {
		var all []placement.ConsumerID
		for one := range snap().Placement().Consumers() {
			all = append(all, one.ID())
		}
		if len(all) == 0 {
			return placement.ConsumerID{}
		}
		return one(d, "consumer", all...)
	}
	edited := func() (placement.ProviderID, placement.ResourceClass) {
		h := d.host()
		id := one(d, "of", h.nova, h.nova, h.cyborg, h.cyborg, h.nic, h.blazar, c.pool, h.root)
		return id, d.classOf(h, id)
	}
	// plan plans, lets time pass, and writes what was planned.
	plan := func(make func(s *cloud.Snapshot) (ops.Plan, error), edit func(*ops.Plan)) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			p, err := make(snap())
			if err != nil || p.Empty() {
				return errRefused
			}
			if edit != nil {
				edit(&p)
			}
			p = p.In(s.Capabilities())
			o := ops.Runner{Actor: "me", Now: now, Shown: p.Shown()}
			if d.rarely("by command", 2) {
				o.Shown = p.Decided()
			}
			return d.run(ctx, o, p)
		}
	}
	task := func(make func() ops.Task) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			t := make()
			if t == nil {
				return errRefused
			}
			t = ops.TaskFor(s.Capabilities(), t)
			r, err := ops.Rehearse(snap(), t, now())
			if err != nil {
				return errRefused
			}
			return d.run(ctx, ops.Runner{Actor: "me", Now: now, Shown: &ops.ExpectedOutcome{On: snap(), Outcome: r.Outcome()}}, t)
		}
	}
	instance := func() placement.ConsumerID { return d.server().id }
	migration := func() placement.ConsumerID {
		if len(c.moves) == 0 {
			return placement.ConsumerID{}
		}
		return one(d, "migration", c.moves...).id
	}
	force := func(as cloud.Force, insists bool) func(p *ops.Plan) {
		return func(p *ops.Plan) {
			p.Change.Force = as
			c.judge.insists = insists
			for _, diff := range p.Preview.Consumers {
				c.judge.wishes[diff.Consumer] = true
			}
		}
	}
	return []way{
		{"check --fix", d.repair},
		{"fix", func(ctx context.Context) error {
			found := audit.Find(snap())
			if len(found) == 0 {
				return errRefused
			}
			f := one(d, "finding", found...)
			fixes := audit.Fixes(snap(), f)
			if len(fixes) == 0 {
				return errRefused
			}
			x := one(d, "fix", fixes...)
			c.tells.say("fix %s of %s", x.Name, f)
			c.judge.named = x.Choice // the operator knows whose it is
			return d.fix(ctx, x)
		}},
		{"heal", d.heal(false)},
		{"heal --force", d.heal(true)},
		{"handover", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			h := d.host()
			return ops.Handover{Provider: one(d, "card", h.nova, h.cyborg), To: one(d, "to", placement.OwnedByNova, placement.OwnedByCyborg)}.Next(now)
		}, nil)},
		{"handover, step by step", func(ctx context.Context) error {
			h := d.host()
			to := ops.Handover{Provider: one(d, "card", h.nova, h.cyborg), To: one(d, "to", placement.OwnedByNova, placement.OwnedByCyborg)}
			for range 4 {
				steps, err := to.Steps(snap())
				if err != nil || steps[len(steps)-1].State == ops.HandoverDone {
					return errRefused
				}
				if err := plan(to.Next, nil)(ctx); err != nil {
					return err
				}
			}
			return nil
		}},
		{"set inventory", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			id, class := edited()
			if d.rarely("all", 3) {
				return ops.PlanInventories(now, id, map[placement.ResourceClass]placement.Inventory{class: placement.NewInventory(8)})
			}
			return ops.PlanInventory(now, id, class, placement.NewInventory(int64(d.number("total", 1, 9))))
		}, nil)},
		{"delete inventory", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			id, class := edited()
			return ops.PlanDropInventory(now, id, class)
		}, nil)},
		{"set traits", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			c.judge.owner = true
			all := []placement.Trait{placement.OwnerNova, placement.OwnerCyborg, placement.SharesViaAggregate, placement.ComputeStatusDisabled}
			return ops.PlanTraits(now, provider(), []placement.Trait{one(d, "gets", all...)}, []placement.Trait{one(d, "loses", all...)})
		}, nil)},
		{"set aggregates", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanAggregates(now, provider(), []placement.AggregateID{placement.AggregateID(storagetest.Number(501))}, []placement.AggregateID{placement.AggregateID(storagetest.Number(500))})
		}, nil)},
		{"delete provider", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanDeleteProvider(now, provider(), d.rarely("tree", 2))
		}, nil)},
		{"release", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			c.judge.named = true
			from := placement.ProviderID{}
			if d.rarely("from one", 2) {
				from = provider()
			}
			return ops.PlanRelease(now, consumer(), from)
		}, nil)},
		{"release --force", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanRelease(now, consumer(), placement.ProviderID{})
		}, force(cloud.ForceUnchecked, true))},
		{"release a host", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			c.judge.named = true
			return ops.PlanDropHost(now, consumer(), d.host().root)
		}, nil)},
		{"reshape", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanReshape(now, provider(), provider(), one(d, "class", placement.VGPU, placement.VCPU, c.device))
		}, nil)},
		{"move a claim", plan(func(now *cloud.Snapshot) (ops.Plan, error) {
			return audit.PlanMoveClaim(now, consumer(), one(d, "class", placement.VGPU, c.device), provider(), provider(), one(d, "owner", placement.OwnedByNova, placement.OwnedByCyborg))
		}, nil)},
		{"free what is stuck", plan(func(now *cloud.Snapshot) (ops.Plan, error) { return ops.PlanFreed(now, provider()) }, nil)},
		{"terminate", task(func() ops.Task { return ops.Terminate{Instance: instance()} })},
		{"confirm", task(func() ops.Task { return ops.Confirm{Migration: migration()} })},
		{"revert", task(func() ops.Task { return ops.Revert{Migration: migration()} })},
		{"move", task(func() ops.Task {
			return ops.Move{Migration: storagetest.Consumer(c.number()), Instance: instance(), Flavor: one(d, "to", "", "big", "small"), Live: d.rarely("live", 3)}
		})},
		{"evacuate", task(func() ops.Task { return ops.Evacuate{Instance: instance()} })},
		{"vacate", task(func() ops.Task { return ops.Vacate{Migration: migration()} })},
		{"keeper", func(ctx context.Context) error {
			d.passes(ctx)
			k := keeper.New(s, keeper.Options{Now: now})
			k.Round(ctx)
			return errRefused
		}},
		{"agent", d.agent},
	}
}

var errRefused = errors.New("there is nothing to do")

// passes lets time pass between what is shown and what is done.
func (d *drawer) passes(ctx context.Context) {
	t := &d.c.tells
	d.c.judge.shown = d.s.Snapshot()
	for range d.number("meanwhile", 0, 2) {
		name, do := d.happens()
		t.say("  -- %s, meanwhile", name)
		d.c.mu.Lock()
		t.total++
		do()
		d.c.mu.Unlock()
		d.c.now = d.c.now.Add(time.Duration(one(d, "minutes", 0, 0, 5)) * time.Minute)
		if d.rarely("read again", 3) {
			for _, f := range d.s.feeds {
				_ = d.s.refresh(ctx, f, asRead())
			}
		}
	}
	d.tells(true)
	t.began = t.total
}

// run carries out a task after what it does was shown, and checks what is said of it.
func (d *drawer) run(ctx context.Context, o ops.Runner, t ops.Task) error {
	did := d.c.tells.did
	_, single := t.(ops.Plan)
	err := d.said(ctx, single, func(again func(int, error)) error {
		o.Again = again
		return o.Run(ctx, d.s, t)
	})
	if err == nil && ops.IsNovaTask(t) && did == d.c.tells.did {
		d.c.judge.say("it is said to be done, and Nova did nothing")
	}
	return err
}

// said lets time pass, writes, and checks that nothing was done if it is said to be refused, when it was
// decided again, too.
func (d *drawer) said(ctx context.Context, single bool, write func(again func(int, error)) error) error {
	d.passes(ctx)
	wrote, halfway := d.c.judge.writes+d.c.tells.did, false
	err := write(func(_ int, why error) { halfway = halfway || errors.Is(why, cloud.ErrOvertaken) })
	wrote = d.c.judge.writes + d.c.tells.did - wrote
	if err != nil && wrote > 0 && single && !halfway && !errors.Is(err, cloud.ErrInDoubt) && !errors.Is(err, cloud.ErrOvertaken) {
		d.c.judge.say("it is said to be refused, and %d writes were done: %v", wrote, err)
	}
	return err
}

// agent reports a host, of which it may see no card, or another one than was reported.
func (d *drawer) agent(ctx context.Context) error {
	h := d.host()
	reports := func(name string, id placement.ProviderID, kind tracker.Kind, of map[placement.ResourceClass]int64) tracker.Provider {
		out := tracker.Provider{ID: id, Name: name, Kind: kind, Traits: []tracker.Trait{{Name: placement.OwnerNova}}}
		for _, class := range slices.Sorted(maps.Keys(of)) {
			out.Inventories = append(out.Inventories, tracker.Inventory{Class: class, Inventory: placement.NewInventory(of[class])})
		}
		return out
	}
	has := map[placement.ResourceClass]int64{placement.VCPU: 64, placement.MemoryMB: 65536}
	if d.c.pool.IsZero() || h.cell != 1 {
		has[placement.DiskGB] = 100
	}
	tree := tracker.Tree{Root: reports(h.name, h.root, tracker.ComputeNode, has)}
	card := func(name string, kind tracker.Kind, class placement.ResourceClass, bus uint8) {
		c := reports(h.name+name, childOf(h.root, h.name+name), kind, map[placement.ResourceClass]int64{class: 8})
		c.Address = pci.Address{Bus: bus}
		tree.Children = append(tree.Children, c)
	}
	switch one(d, "sees", "it", "it", "nothing", "another class", "a whole device", "Cyborg's too") {
	case "it":
		card("_pci_0000_84_00_0", tracker.PGPU, placement.VGPU, 0x84)
	case "another class":
		card("_pci_0000_84_00_0", tracker.PGPU, "CUSTOM_NVIDIA_222", 0x84)
	case "a whole device":
		card("_0000:84:00.0", tracker.PCI, "CUSTOM_PCI_10DE_1EB8", 0x84)
	case "Cyborg's too":
		card("_pci_0000_84_00_0", tracker.PGPU, placement.VGPU, 0x84)
		card("_pci_0000_af_00_0", tracker.PGPU, placement.VGPU, 0xaf)
	}
	return d.said(ctx, true, func(again func(int, error)) error {
		t := ops.Tick{By: "agent of", Tree: tree, Conf: tracker.DefaultConf(), Elsewhere: true}
		_, _, _, err := t.Write(ctx, ops.Runner{Actor: "agent", Now: d.s.clock, Again: again}, d.s)
		return err
	})
}

// fix applies a fix, as people do who have seen its preview.
func (d *drawer) fix(ctx context.Context, x audit.Fix) error {
	on := d.s.Snapshot()
	preview, err := x.Preview(on, d.s.clock())
	if err != nil {
		return errRefused
	}
	t, err := x.Task(on)
	if err != nil {
		return errRefused
	}
	return d.run(ctx, ops.Runner{Actor: "me", Now: d.s.clock, Shown: &ops.ExpectedOutcome{On: on, Outcome: preview.On(d.s.Capabilities())}}, t)
}

// repair fixes what has one fix, as check --fix does; see cmd/placetop/check_fix.go.
func (d *drawer) repair(ctx context.Context) error {
	now := d.s.clock
	for _, f := range audit.Find(d.s.Snapshot()) {
		on := d.s.Snapshot()
		f, stands := f.StandsOn(on)
		if !stands {
			continue
		}
		sure := slices.DeleteFunc(audit.Fixes(on, f), func(x audit.Fix) bool { return x.Prepares || x.Choice })
		if len(sure) != 1 {
			continue
		}
		next, err := sure[0].Try(on, now())
		if err != nil {
			continue
		}
		if _, brings := audit.Consequences(on, next, now()); slices.ContainsFunc(brings, func(g audit.Finding) bool { return g.Severity >= f.Severity }) {
			continue
		}
		d.c.tells.say("fix %s of %s", sure[0].Name, f)
		if err := d.fix(ctx, sure[0]); err != nil {
			d.c.tells.say("%v", err)
		}
	}
	return errRefused
}

// heal heals all, or one.
func (d *drawer) heal(force bool) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		o := ops.HealOptions{Force: force}
		named := d.rarely("named", 2)
		if named {
			o.Instance = d.server().id
		}
		heals, err := ops.PlanHeal(d.s.Snapshot(), o)
		if err != nil {
			return errRefused
		}
		for _, h := range heals {
			if h.Plan.Empty() {
				continue
			}
			if force && named {
				h.Plan.Change.Force = cloud.ForceListed
			}
			p := h.Plan.In(d.s.Capabilities())
			if err := d.run(ctx, ops.Runner{Actor: "me", Now: d.s.clock, Shown: p.Shown()}, p); err != nil {
				d.c.tells.say("%v", err)
			}
		}
		return errRefused
	}
}

// TestDoesNoHarm draws a cloud, what is told of it and what happens meanwhile, and does all that
// people do with it: whatever we believe, no server, migration or accelerator request that lives
// loses what it holds, nothing of others is touched, and nothing is said to be done that
// was not.
func TestDoesNoHarm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := &drawer{T: rt}
		d.cloud(t)
		c := d.c
		var lines []string
		c.tells.watch = func(line string) { lines = append(lines, line) }
		lines = append(lines, c.String())
		err := d.open(t)
		if err != nil {
			return
		}
		defer d.s.Close()
		for range d.number("ways", 1, 3) {
			c.judge.shown, c.judge.wishes, c.judge.insists, c.judge.named, c.judge.owner = d.s.Snapshot(), map[placement.ConsumerID]bool{}, false, false, false
			w := one(d, "way", d.ways()...)
			lines = append(lines, "== "+w.name)
			for _, l := range c.tells.lies {
				lines = append(lines, l.String())
			}
			err := w.do(t.Context())
			lines = append(lines, fmt.Sprintf("== %s: %v", w.name, err))
			if len(c.judge.harm) > 0 {
				rt.Fatalf("%s:\n  %s\n%s\nnow\n%s", w.name, strings.Join(c.judge.harm, "\n  "), strings.Join(lines, "\n"), c)
			}
		}
	})
}
