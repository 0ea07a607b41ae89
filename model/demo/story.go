package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// movedName is the instance whose claim was moved by hand.
const movedName = "render-node-9"

// play adds the events of rows of the story: what an operator should find, and some that
// looks like trouble but is none.
func (f *fleet) play(rows []act) {
	var at time.Time
	enough := false
	for _, a := range rows {
		if a.Needs > 0 {
			enough = a.Needs <= len(f.nodes)
		}
		if enough {
			at = f.act(a, at)
		}
	}
}

// scene is what a row of the story is about.
type scene struct {
	act
	host, other  *host // nil if there is none
	root, device *provider
	guest        *guest
}

// act adds the event of one row, with the time of the one before it, and returns its own.
func (f *fleet) act(a act, before time.Time) time.Time {
	s := scene{act: a, guest: f.cast[a.Name]}
	var on []*provider
	if a.Host > 0 {
		s.host = f.nodes[a.Host-1]
		s.root, s.device = s.host.root, s.host.root
	}
	if a.Other > 0 {
		s.other = f.nodes[a.Other-1]
	}
	if a.Device != "" {
		s.device = s.host.below(a.Device)
		on = []*provider{s.device}
	}
	at := f.ago(time.Duration(a.Ago))
	switch {
	case a.After > 0:
		at = before.Add(time.Duration(a.After))
	case a.Ago == 0:
		at = f.ago(100 * time.Minute)
		if s.host.started.After(at) {
			at = s.host.started.Add(time.Minute)
		}
	}
	switch a.Do {
	case "boot":
		if !a.Idle || s.device.stock[0].used == 0 {
			f.boot(s, at, on)
		}
	case "boot beside":
		f.bootBeside(s, at)
	case "launch":
		f.launch(s.host, f.flavor(a.Flavor), f.tenant(a.Project), at.Add(time.Duration(f.rng.IntN(40))*time.Second))
	case "move":
		f.move(s, at, on)
	case "pool":
		p := &provider{id: placement.ProviderID(f.uuid()), name: a.Name, stock: []stock{{class: placement.DiskGB, inv: units(a.Total, 0)}}}
		f.says(at, a.Actor, a.Note, makePool(p, a.Aggregate))
	default:
		if a.Do == "report total" {
			s.device.stock[0].inv = units(a.Total, 0)
		}
		f.says(at, s.words(a.Actor), s.words(a.Note), func(w *world) { f.write(w, s) })
	}
	switch {
	case a.Close && a.Device != "":
		s.device.closed = true
	case a.Close:
		s.host.last = at
	}
	return at
}

// words returns a text with the names of what the row is about.
func (s scene) words(text string) string {
	names := []string{"<name>", s.Name}
	if s.host != nil {
		names = append(names, "<host>", s.host.name, "<device>", s.device.name)
	}
	if s.other != nil {
		names = append(names, "<other>", s.other.name)
	}
	if s.guest != nil {
		names = append(names, "<id>", s.guest.id.String())
	}
	return strings.NewReplacer(names...).Replace(text)
}

// tenant returns a tenant by its project.
func (f *fleet) tenant(project string) tenant {
	all := slices.Concat(f.Tenants.CPU, f.Tenants.Devices, f.Tenants.Pinned)
	return all[slices.IndexFunc(all, func(t tenant) bool { return t.Project == project })]
}

// boot starts an instance of the story: it has a name, a disk, and no port with
// bandwidth, and always fits.
func (f *fleet) boot(s scene, at time.Time, on []*provider) {
	g := &guest{flavor: f.flavor(s.Flavor), tenant: f.tenant(s.Project), host: s.host}
	if g.parts = f.place(s.host, g.flavor, false, on); g.parts == nil {
		panic("demo: no room for " + s.Name + " on " + s.host.name)
	}
	if s.Runs != "" {
		g.runs = s.host.below(s.Runs)
	}
	f.start(g, s.Name, at)
	f.cast[s.Name] = g
}

// bootBeside starts an instance of a small flavor outside the plan that fills the hosts:
// the plan leaves room for it, and is the same without it.
func (f *fleet) bootBeside(s scene, at time.Time) {
	fl := f.flavor(s.Flavor)
	g := &guest{id: placement.ConsumerID(named("instance", s.Name)), name: s.Name, tenant: f.tenant(s.Project), flavor: fl, host: s.host}
	g.user = g.tenant.Users[0]
	g.parts = []part{{s.root, placement.VCPU, fl.VCPUs}, {s.root, placement.MemoryMB, fl.GiB * 1024}, {s.root, placement.DiskGB, fl.Disk}}
	if s.Class != "" {
		g.parts = append(g.parts, part{s.root, s.Class, 1})
	}
	f.cast[s.Name] = g
	f.begins(g, at)
}

// move moves an instance to a host, with its own or another flavor, and leaves it waiting
// to be confirmed.
func (f *fleet) move(s scene, at time.Time, on []*provider) {
	g := s.guest
	parts := f.place(s.host, f.flavor(s.Flavor), false, on)
	if parts == nil {
		panic("demo: no room for " + g.name + " on " + s.host.name)
	}
	take(parts)
	g.moved = placement.ConsumerID(f.uuid())
	m := ops.Move{Migration: g.moved, Instance: g.id, Pick: &ops.Place{Host: s.host.name, Root: s.root.id, Allocations: amounts(parts...)}}
	why := nova.ColdMigration
	if s.Flavor != g.flavor.Name {
		why, m.Flavor = nova.Resize, s.Flavor
	}
	f.says(at, "nova-conductor", fmt.Sprintf("%s %s from %s to %s (%s): it waits to be confirmed or reverted", why, g.name, g.host.name, s.host.name, s.Flavor),
		func(w *world) {
			m.Indexer = w.index
			w.check(w.run(m, nil))
		})
}

// write does what a row of the story says.
func (f *fleet) write(w *world, s scene) {
	switch s.Do {
	case "release":
		plan, err := ops.PlanRelease(w.snap, s.guest.id, s.root.id)
		w.check(err)
		w.write(plan.Change.Ops...)
	case "delete allocations":
		w.write(placement.DeleteAllocations{Consumer: s.guest.id})
	case "claim":
		if s.other != nil {
			s.guest.setClaim(w, part{s.other.root, placement.VCPU, 2})
			return
		}
		s.guest.setClaim(w)
		i, _ := w.snap.Nova().Instance(s.guest.id)
		w.write(i.To(i.Edit(func(i *nova.Instance) { i.Mappings["1"] = []placement.ProviderID{s.device.id} }))...)
	case "delete":
		w.withoutPlacement(ops.Terminate{Instance: s.guest.id})
	case "confirm":
		w.withoutPlacement(ops.Confirm{Migration: s.guest.moved})
	case "revert":
		err := w.run(ops.Revert{Migration: s.guest.moved}, stuckHost{})
		if failed := (*ops.FailedError)(nil); !errors.As(err, &failed) || failed.Stuck != nil { // it was meant to fail
			w.check(err)
		}
	case "disable device":
		d, _ := w.snap.Cyborg().DeployableAt(s.device.id)
		w.write(append(w.snap.Cyborg().StatusOps(w.snap.Placement(), d.Device, true), cyborg.DisableDevice{Device: d.Device})...)
	case "find card":
		again := host{name: s.host.name, cards: slices.Clone(s.host.cards)}
		again.add(f.Models["t4"], 0x84)
		again.discover(w)
	case "disable service":
		w.write(ops.NovaOps(w.snap, nova.DisableService{Host: s.host.name, Binary: nova.Compute, Reason: "memory errors"})...)
	case "start service":
		w.write(nova.StartService{Host: s.Name, Binary: nova.Compute, Cell: cell, Version: 61})
	case "force down":
		w.write(nova.ForceDownService{Host: s.Name, Binary: nova.Compute, Down: true})
	case "report":
		c, _, err := tracker.Report(w.snap.Placement(), s.host.tree)
		w.check(err)
		w.write(c.Ops...)
	case "report total":
		for i, c := range s.host.tree.Children {
			if c.ID == s.device.id {
				s.host.tree.Children[i].Inventories[0].Inventory = units(s.Total, 0)
			}
		}
		s.host.tick(w)
	case "report pool":
		w.editInventory(s.root.id, placement.DiskGB, func(inv *placement.Inventory) { *inv = units(f.pool.stock[0].inv.Total, 50) })
	case "edit inventory":
		w.editInventory(s.device.id, s.Class, func(inv *placement.Inventory) {
			if s.Total > 0 {
				*inv = units(s.Total, 0)
			}
			inv.Reserved = max(inv.Reserved, s.Reserved)
			if s.Ratio > 0 {
				inv.AllocationRatio = s.Ratio
			}
		})
	case "add trait":
		w.addTraits(s.device.id, s.Trait)
	case "add to aggregate":
		w.write(nova.AddAggregateHost{Aggregate: AggregateID(s.Aggregate), Host: s.host.name})
	case "install anew":
		was, _ := w.snap.Nova().ComputeNode(s.root.id)
		is := was.Edit(func(n *nova.ComputeNode) { n.UUID = placement.ProviderID(named("compute node", s.host.name)) })
		w.write(placement.PutRecords{Records: []versioned.Change{{Before: was}, {After: is}}})
	case "create flavor":
		fl := f.flavor(novaFlavor).record(fmt.Sprint(len(slices.Collect(w.snap.Nova().Flavors())) + 1))
		fl.Name, fl.ExtraSpecs = s.Name, map[string]string{"resources:VGPU": "1", "trait:" + string(s.Trait): "required"}
		w.write(nova.CreateFlavor{Flavor: fl})
	default:
		panic("demo: the story does not know how to " + s.Do)
	}
}

// stuckHost is a host on which no device can be detached.
type stuckHost struct{}

func (stuckHost) Do(_ context.Context, a ops.Act) error {
	if a.Kind == ops.UnbindDevice {
		return errors.New("the mediated device is in use by a guest that does not end")
	}
	return nil
}
