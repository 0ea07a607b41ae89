package remote

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// amounts is how much of each class of each provider.
type amounts = map[placement.ProviderID]map[placement.ResourceClass]int64

// trueCloud is a whole OpenStack: a Placement, and a Nova and a Cyborg that know what is
// really there, whatever is told of it. It knows what each guest uses, which none of its
// services tells, so that a write can be judged by that.
type trueCloud struct {
	apply     func(cloud.Change) error // in kept
	kept      *memory.Store
	placement http.Handler
	flavors   map[string]trueFlavor
	hosts     []*trueHost
	servers   []*trueServer
	moves     []*trueMove
	arqs      []*trueARQ
	others    map[placement.ConsumerID]bool // of other services, which live
	remade    map[string]int                // the request before which a consumer became another's
	typed     bool                          // consumers have types
	device    placement.ResourceClass       // of Cyborg's cards
	pool      placement.ProviderID          // that h1 and h2 have their disks on; zero for none
	now       time.Time
	last      uint64 // number of the newest thing

	mu    sync.Mutex
	tells teller
	judge judge
}

type (
	trueFlavor struct {
		name             string
		vcpus, ram, disk int64
		specs            map[string]string
	}
	// trueHost is a compute node. Those of one service are on one host, as Ironic's are.
	trueHost struct {
		name, service           string
		cell                    int
		root, nova, cyborg, nic placement.ProviderID // the cards are below the root
		blazar                  placement.ProviderID // what is reserved of the host
		disabled, down          bool
	}
	// trueServer is a server, and what its guest uses: also before it is there, once that is
	// claimed for it.
	trueServer struct {
		id            placement.ConsumerID
		name, project string
		host, flavor  string
		vm            nova.VMState
		task          nova.TaskState
		uses          amounts
		gone          bool // deleted
		forgotten     bool // and archived
		updated       time.Time
		changed       int // the request before which it changed last
	}
	// trueMove is a migration, and what of the source its server uses until it is over.
	trueMove struct {
		id           placement.ConsumerID
		of           *trueServer
		kind         nova.MigrationType
		status       nova.MigrationStatus
		source, dest string
		uses         amounts
		old          string // flavor
		updated      time.Time
		changed      int
	}
	trueARQ struct {
		id    uuid.UUID
		of    placement.ConsumerID
		host  *trueHost
		state cyborg.ARQState
	}
)

func newTrueCloud(tb testing.TB) *trueCloud {
	tb.Helper()
	c := &trueCloud{
		now: storagetest.Start, device: placement.VGPU, others: map[placement.ConsumerID]bool{}, remade: map[string]int{},
		flavors: map[string]trueFlavor{
			"small": {"small", 1, 512, 1, map[string]string{}},
			"big":   {"big", 2, 1024, 2, map[string]string{}},
			"gpu":   {"gpu", 1, 512, 1, map[string]string{"resources1:VGPU": "1"}},
			"dev":   {"dev", 1, 512, 1, map[string]string{"accel:device_profile": "dp"}},
			"net":   {"net", 1, 512, 1, map[string]string{}}, // its port asks for bandwidth, which no flavor says
			// As of Ironic, and of Blazar.
			"metal":    {"metal", 1, 512, 1, map[string]string{"resources:VCPU": "0", "resources:MEMORY_MB": "0", "resources:DISK_GB": "0", "resources:" + string(metal): "1"}},
			"reserved": {"reserved", 1, 512, 1, map[string]string{"resources:" + string(reservation): "1"}},
		},
	}
	clock := func() time.Time { return c.now }
	c.kept = memory.New(memory.Options{Clock: clock})
	c.placement = rest.New(c.kept, rest.Options{Clock: clock})
	c.apply = func(change cloud.Change) error { return c.kept.Apply(tb.Context(), change).Err() }
	c.must(placement.CreateClass{Name: metal}, placement.CreateClass{Name: reservation})
	return c
}

func (c *trueCloud) number() uint64 { c.last++; return c.last }

// do has somebody else write to Placement. What it refuses is not done.
func (c *trueCloud) do(ops ...cloud.Op) error {
	return c.apply(cloud.Change{Actor: "others", Ops: ops})
}

func (c *trueCloud) must(ops ...cloud.Op) {
	if err := c.do(ops...); err != nil {
		panic(err)
	}
}

// The classes of a kind of machine, and of a reservation.
const metal, reservation placement.ResourceClass = "CUSTOM_BAREMETAL_GOLD", "CUSTOM_RESERVATION_X"

// bandwidth is a class that Neutron reports, and servers with some ports hold.
const bandwidth placement.ResourceClass = "NET_BW_EGR_KILOBIT_PER_SEC"

// childOf returns the uuid that both services give to a card.
func childOf(root placement.ProviderID, name string) placement.ProviderID {
	return placement.ProviderID(uuid.NewSHA1(uuid.UUID(root), []byte(name)))
}

// provider makes a provider with inventories.
func (c *trueCloud) provider(id placement.ProviderID, name string, parent placement.ProviderID, has map[placement.ResourceClass]int64, traits ...placement.Trait) placement.ProviderID {
	set := map[placement.ResourceClass]placement.Inventory{}
	for class, n := range has {
		set[class] = placement.NewInventory(n)
	}
	slices.Sort(traits)
	c.must(placement.CreateProvider{ID: id, Name: name, Parent: parent},
		placement.SetInventories{Provider: id, Generation: placement.AnyGeneration(), Inventories: set},
		placement.SetTraits{Provider: id, Generation: placement.AnyGeneration(), Traits: traits})
	return id
}

// host makes a compute node with a card of each owner.
func (c *trueCloud) host(n, cell int, disk bool) *trueHost {
	name := fmt.Sprint("h", n)
	has := map[placement.ResourceClass]int64{placement.VCPU: 64, placement.MemoryMB: 65536, metal: 9}
	if disk {
		has[placement.DiskGB] = 100
	}
	root := c.provider(storagetest.Provider(c.number()), name, placement.ProviderID{}, has, placement.ComputeNode, placement.OwnerNova, placement.ComputeAccelerators)
	card, device := map[placement.ResourceClass]int64{placement.VGPU: 8}, map[placement.ResourceClass]int64{c.device: 8}
	h := &trueHost{
		name: name, service: name, cell: cell, root: root,
		nova:   c.provider(childOf(root, name+"_pci_0000_84_00_0"), name+"_pci_0000_84_00_0", root, card, placement.OwnerNova),
		cyborg: c.provider(childOf(root, name+"_0000:af:00.0"), name+"_0000:af:00.0", root, device, placement.OwnerCyborg),
		blazar: c.provider(storagetest.Provider(c.number()), "blazar_"+name, root, map[placement.ResourceClass]int64{reservation: 9}),
		nic:    c.provider(storagetest.Provider(c.number()), name+":Open vSwitch agent:br-physnet", root, map[placement.ResourceClass]int64{bandwidth: 1000}),
	}
	c.hosts = append(c.hosts, h)
	return h
}

func (c *trueCloud) hostOf(name string) *trueHost {
	for _, h := range c.hosts {
		if h.name == name {
			return h
		}
	}
	return nil
}

// asks returns what a guest of a flavor uses on a host.
func (c *trueCloud) asks(flavor string, h *trueHost) amounts {
	f := c.flavors[flavor]
	out := amounts{h.root: {placement.VCPU: f.vcpus, placement.MemoryMB: f.ram}}
	if c.pool.IsZero() || h.cell != 1 {
		out[h.root][placement.DiskGB] = f.disk
	} else {
		out[c.pool] = map[placement.ResourceClass]int64{placement.DiskGB: f.disk}
	}
	switch f.name {
	case "metal":
		return amounts{h.root: {metal: 1}}
	case "reserved":
		out[h.blazar] = map[placement.ResourceClass]int64{reservation: 1}
	case "net":
		out[h.nic] = map[placement.ResourceClass]int64{bandwidth: 10}
	case "gpu":
		out[h.nova] = map[placement.ResourceClass]int64{placement.VGPU: 1}
	case "dev":
		out[h.cyborg] = map[placement.ResourceClass]int64{c.device: 1}
	}
	return out
}

// serviceOf returns the host whose service has a compute node.
func (c *trueCloud) serviceOf(node string) string {
	if h := c.hostOf(node); h != nil {
		return h.service
	}
	return node
}

// remake has the flavor of a name ask for something else. Servers keep what they were made with.
func (c *trueCloud) remake(name string) {
	was := c.flavors[name]
	old := fmt.Sprint(name, "~", c.number())
	c.flavors[old] = was
	was.vcpus, was.ram = was.vcpus+1, was.ram*2
	c.flavors[name] = was
	for _, s := range c.servers {
		if s.flavor == name {
			s.flavor = old
		}
	}
	for _, m := range c.moves {
		if m.old == name {
			m.old = old
		}
	}
}

// plus returns the sum of amounts.
func plus(all ...amounts) amounts {
	out := amounts{}
	for _, a := range all {
		for id, of := range a {
			for class, n := range of {
				if out[id] == nil {
					out[id] = map[placement.ResourceClass]int64{}
				}
				out[id][class] += n
			}
		}
	}
	return out
}

// claim has a consumer hold amounts, or nothing.
func (c *trueCloud) claim(id placement.ConsumerID, project string, kind placement.ConsumerType, holds amounts) {
	if !c.typed && (kind == placement.InstanceConsumer || kind == placement.MigrationConsumer) {
		kind = ""
	}
	if _, ok := c.kept.Snapshot().Placement().Consumer(id); !ok && len(holds) == 0 {
		return
	}
	// What Placement refuses, such as where a provider is gone, the others cannot do either.
	_ = c.do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: id, Generation: placement.AnyGeneration(), Type: kind, Project: project, User: "u", Allocations: plus(holds),
	}}})
}

func (c *trueCloud) claimFor(s *trueServer, holds amounts) {
	c.claim(s.id, s.project, placement.InstanceConsumer, holds)
}

// held returns what a consumer holds.
func heldIn(p *placement.Snapshot, id placement.ConsumerID) amounts {
	if consumer, ok := p.Consumer(id); ok {
		return p.ConsumerRecord(consumer).Allocations
	}
	return amounts{}
}

// server makes a server whose guest uses what its flavor asks for on a host, or nothing on
// none, and holds that.
func (c *trueCloud) server(flavor string, h *trueHost, vm nova.VMState, task nova.TaskState) *trueServer {
	n := c.number()
	s := &trueServer{
		id: storagetest.Consumer(n), name: fmt.Sprint("vm-", n), project: "p", flavor: flavor, vm: vm, task: task,
		uses: amounts{}, updated: c.now.Add(-time.Hour), changed: c.tells.total,
	}
	c.servers = append(c.servers, s)
	if h != nil {
		s.host, s.uses = h.name, c.asks(flavor, h)
		c.bind(s, h)
	}
	c.claimFor(s, s.uses)
	return s
}

// bind has Cyborg bind a request of a server on a host, if its flavor asks for that.
func (c *trueCloud) bind(s *trueServer, h *trueHost) {
	if s.flavor == "dev" {
		c.arqs = append(c.arqs, &trueARQ{storagetest.Number(c.number()), s.id, h, cyborg.ARQBound})
	}
}

// unbind has Cyborg delete the requests of a server.
func (c *trueCloud) unbind(s *trueServer) {
	c.arqs = slices.DeleteFunc(c.arqs, func(a *trueARQ) bool { return a.of == s.id })
}

// move makes a migration of a server to a host, of which the server's own claim is that at
// the destination, and the migration's that at the source.
func (c *trueCloud) move(s *trueServer, to *trueHost, kind nova.MigrationType, status nova.MigrationStatus, flavor string) *trueMove {
	m := &trueMove{
		id: storagetest.Consumer(c.number()), of: s, kind: kind, status: status, source: s.host, dest: to.name, uses: s.uses, old: s.flavor,
		updated: c.now.Add(-time.Hour), changed: c.tells.total,
	}
	c.moves = append(c.moves, m)
	c.claimFor(s, nil)
	c.claimMove(m, m.uses)
	s.uses = c.asks(flavor, to)
	c.claimFor(s, s.uses)
	s.changed = c.tells.total
	return m
}

func (c *trueCloud) claimMove(m *trueMove, holds amounts) {
	c.claim(m.id, m.of.project, placement.MigrationConsumer, holds)
}

// touch notes that a server has changed.
func (c *trueCloud) touch(s *trueServer) { s.updated, s.changed = c.now, c.tells.total }

func (c *trueCloud) touchMove(m *trueMove) {
	m.updated, m.changed = c.now, c.tells.total
	c.touch(m.of)
}

// waits returns the move of a server that waits to be confirmed, nil for none.
func (c *trueCloud) waits(s *trueServer) *trueMove {
	for _, m := range c.moves {
		if m.of == s && m.status == nova.Finished && s.vm == nova.Resized {
			return m
		}
	}
	return nil
}

// land has a server run on a host with a flavor, and hold what it uses there.
func (c *trueCloud) land(s *trueServer, h *trueHost, flavor string) {
	c.unbind(s)
	s.host, s.flavor, s.vm, s.task, s.uses = h.name, flavor, nova.Active, "", c.asks(flavor, h)
	c.bind(s, h)
	c.claimFor(s, s.uses)
	c.touch(s)
}

func (c *trueCloud) confirm(m *trueMove) {
	m.status, m.uses, m.of.vm, m.of.task = nova.Confirmed, amounts{}, nova.Active, ""
	c.claimMove(m, nil)
	c.touchMove(m)
}

func (c *trueCloud) revert(m *trueMove) {
	s := m.of
	c.claimMove(m, nil)
	m.status, m.uses = nova.Reverted, amounts{}
	c.land(s, c.hostOf(m.source), m.old)
	c.touchMove(m)
}

func (c *trueCloud) remove(s *trueServer) {
	for _, m := range c.moves {
		if m.of == s && m.status.UnderWay() {
			m.status, m.uses = nova.Error, amounts{}
			c.claimMove(m, nil)
			c.touchMove(m)
		}
	}
	c.unbind(s)
	s.gone, s.vm, s.task, s.uses = true, nova.Deleted, "", amounts{}
	c.claimFor(s, nil)
	c.touch(s)
}

// holders are the consumers that hold what a server uses: its own uuid, and those of its
// migrations.
func (c *trueCloud) holders(s *trueServer) []placement.ConsumerID {
	out := []placement.ConsumerID{s.id}
	for _, m := range c.moves {
		if m.of == s {
			out = append(out, m.id)
		}
	}
	return out
}

// RoundTrip implements http.RoundTripper.
func (c *trueCloud) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	of := api.Service(r.URL.Host)
	return c.tells.answer(of, r, func(w http.ResponseWriter) {
		before := c.kept.Snapshot()
		c.judge.arrives(c, of, r)
		switch of {
		case api.Compute:
			c.serveNova(w, r)
		case api.Accelerator:
			c.serveCyborg(w, r)
		default:
			c.placement.ServeHTTP(w, r.WithContext(rest.WithCaller(r.Context(), rest.Caller{User: "a", Roles: []string{rest.RoleAdmin, rest.RoleService}})))
		}
		if of == api.Placement && r.Method != http.MethodGet {
			c.judge.wrote(c, r, before.Placement(), c.kept.Snapshot().Placement())
		}
	})
}

// live reports whether a server holds a place: one that is deleted, that is shelved and on no
// host, or that got none does not.
func (s *trueServer) live() bool { return !s.gone && len(s.uses) > 0 }

// nameOf says what a consumer is.
func (c *trueCloud) nameOf(id placement.ConsumerID) string {
	for _, s := range c.servers {
		if s.id == id {
			return fmt.Sprintf("%s (%s %s on %q)", s.name, s.vm, s.task, s.host)
		}
	}
	for _, m := range c.moves {
		if m.id == id {
			return fmt.Sprintf("%s (%s) of %s from %s to %s", m.kind, m.status, c.nameOf(m.of.id), m.source, m.dest)
		}
	}
	return id.String()
}

// String lists what there is.
func (c *trueCloud) String() string {
	var out strings.Builder
	p := c.kept.Snapshot().Placement()
	say := func(id placement.ConsumerID, uses amounts) {
		fmt.Fprintf(&out, "  %s %s uses %s holds %s\n", id.String()[32:], c.nameOf(id), textOf(p, uses), textOf(p, heldIn(p, id)))
	}
	known := map[placement.ConsumerID]bool{}
	for _, s := range c.servers {
		say(s.id, s.uses)
		known[s.id] = true
	}
	for _, m := range c.moves {
		say(m.id, m.uses)
		known[m.id] = true
	}
	for consumer := range p.Consumers() {
		if !known[consumer.ID()] {
			say(consumer.ID(), nil)
		}
	}
	for _, a := range c.arqs {
		fmt.Fprintf(&out, "  request %s of %s on %s\n", a.state, c.nameOf(a.of), a.host.name)
	}
	return out.String()
}

func textOf(p *placement.Snapshot, a amounts) string {
	var parts []string
	for _, id := range slices.SortedFunc(maps.Keys(a), placement.ProviderID.Compare) {
		parts = append(parts, p.ProviderName(id)+":"+api.Resources(a[id]))
	}
	return "[" + strings.Join(parts, " ") + "]"
}
