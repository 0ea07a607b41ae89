package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

const day = 24 * time.Hour

// stage adds the events that an operator should find: each trouble once, and
// beside them what looks like trouble and is none. They are told of the hosts of
// the showcase; a smaller cloud has fewer of them.
func (f *fleet) stage() {
	f.isolatedPool()
	for _, story := range []struct {
		host int // the highest number of a host that it needs
		tell func()
	}{
		{1, f.trimmedClaim},
		{3, f.drainedCard},
		{3, f.resizeToVerify},
		{4, f.bothOwnersOneInstance},
		{5, f.orphan},
		{7, f.shrunkCard},
		{8, f.leakedMigration},
		{8, f.disabledHost},
		{9, f.oneTimeUse},
		{11, f.cardTwice},
		{11, f.cardOfBoth},
		{12, f.lastMinutes},
	} {
		if story.host <= len(f.nodes) {
			story.tell()
		}
	}
}

// below returns the provider below h whose name ends in suffix.
func (h *host) below(suffix string) *provider {
	for _, p := range append(append([]*provider(nil), h.nova...), h.cyborg...) {
		if strings.HasSuffix(p.name, suffix) {
			return p
		}
	}
	panic("demo: " + h.name + " has no provider " + suffix)
}

// setInventory adds the event by which somebody changes the one inventory of p.
func (f *fleet) setInventory(at time.Time, actor, note string, p *provider, inv placement.Inventory) {
	f.add(event{at: at, actor: actor, note: note, ops: []placement.Op{placement.SetInventory{
		Provider: p.id, Generation: placement.AnyGeneration(), Class: p.stock[0].class, Inventory: inv,
	}}})
}

// addTrait adds the event by which somebody gives p one more trait.
func (f *fleet) addTrait(at time.Time, actor, note string, p *provider, t placement.Trait) {
	p.traits = append(slices.Clone(p.traits), t)
	f.add(event{at: at, actor: actor, note: note, ops: []placement.Op{p.setTraits()}})
}

// isolatedPool makes a pool with an aggregate that no host was put into.
func (f *fleet) isolatedPool() {
	p := f.sharingPool("ceph-ssd-02", 2_000)
	f.add(event{at: f.ago(12 * day), actor: "admin", note: "make the sharing pool ceph-ssd-02", ops: creation(p)})
}

// trimmedClaim leaves an instance with its GPU only: an operator has taken the
// wrong provider out of its claim.
func (f *fleet) trimmedClaim() {
	h := f.nodes[0]
	card := h.below("_pci_0000_42_00_0")
	g := f.launch(h, gpu(placement.OwnerNova, 1), gpuTenants()[2], f.ago(33*day), card)
	f.rename(g, "cad-desk-7")
	rest := g.claim
	rest.expect = placement.Generation(1)
	rest.parts = slices.DeleteFunc(slices.Clone(g.parts), func(pt part) bool { return pt.p != card })
	f.add(event{
		at: f.ago(4 * day), actor: "admin", claims: []claim{rest},
		note: fmt.Sprintf("openstack resource provider allocation unset --provider %s (%s)", h.name, g.record.Name),
	})
}

// rename gives the instance that was launched last its name, in the note too, and
// makes the event stand alone.
func (f *fleet) rename(g *guest, name string) {
	last := f.events[len(f.events)-1]
	last.note = strings.Replace(last.note, g.record.Name, name, 1)
	last.bulk = alone
	g.record.Name = name
}

// drainedCard takes an unused card out of service, as Cyborg does when a device
// is disabled: reserved becomes the total.
func (f *fleet) drainedCard() {
	p := f.nodes[2].below("_0000:83:00.0")
	p.closed = true
	inv := p.stock[0].inv
	inv.Reserved = inv.Total
	f.setInventory(f.ago(26*time.Hour), "cyborg-api", "disable device 0000:83:00.0 of "+f.nodes[2].name, p, inv)
}

// resizeToVerify moves an instance from a virtual GPU of Nova to one of Cyborg, up
// to the point where its user must confirm: instance and migration hold both.
func (f *fleet) resizeToVerify() {
	from, to := f.nodes[0], f.nodes[2]
	g := f.launch(from, gpu(placement.OwnerNova, 1), gpuTenants()[0], f.ago(19*day), from.below("_pci_0000_41_00_0"))
	f.rename(g, "train-42")
	f.move(g, from, to, gpu(placement.OwnerCyborg, 1), nova.Resize, f.ago(26*time.Minute), to.below("_0000:81:00.0"))
}

// bothOwnersOneInstance starts an instance with a virtual GPU of each service.
func (f *fleet) bothOwnersOneInstance() {
	f.rename(f.launch(f.nodes[3], gpuBoth(), gpuTenants()[2], f.ago(9*day)), "cad-desk-1")
}

// orphan deletes an instance whose allocations stay.
func (f *fleet) orphan() {
	h := f.nodes[4]
	g := f.launch(h, cpuFlavors()[1], cpuTenants()[1], f.ago(40*day))
	f.rename(g, "spark-worker-0")
	f.add(event{
		at: f.ago(2 * day), actor: "nova-compute " + h.name,
		note: "delete " + g.record.Name + ", its allocations stay: placement timed out",
		nova: []versioned.Change{putInstance(g.record, nil)},
	})
}

// shrunkCard lowers the total of a card below what is in use.
func (f *fleet) shrunkCard() {
	h := f.nodes[6]
	p := h.below("_pci_0000_41_00_0")
	p.stock[0].inv.Total, p.stock[0].inv.MaxUnit = 10, 10
	// The card was reported with ten before the first instance came.
	f.setInventory(f.ago(age).Add(23*time.Hour+30*time.Minute), "nova-compute "+h.name, "report VGPU total 10 of 0000:41:00.0, was 8", p, p.stock[0].inv)
	for n := range 4 {
		f.launch(h, gpu(placement.OwnerNova, 2), gpuTenants()[n%3], f.ago(time.Duration(31-9*n)*day), p)
	}
	f.rename(f.launch(h, gpu(placement.OwnerNova, 1), gpuTenants()[1], f.ago(12*time.Minute), p), "infer-9")
	p.closed = true
	inv := p.stock[0].inv
	inv.Total, inv.MaxUnit = 8, 8
	f.setInventory(f.ago(9*time.Minute), "nova-compute "+h.name, "report VGPU total 8 of 0000:41:00.0, was 10", p, inv)
}

// leakedMigration confirms a migration whose old claim is not released.
func (f *fleet) leakedMigration() {
	from, to := f.nodes[1], f.nodes[7]
	fl := cpuFlavors()[2]
	g := f.launch(from, fl, cpuTenants()[3], f.ago(45*day))
	f.rename(g, "erp-db-1")
	at := f.ago(31 * day)
	rec, m := f.move(g, from, to, fl, nova.ColdMigration, at)
	active, confirmed := *rec, *m
	active.VMState, confirmed.Status = nova.Active, nova.Confirmed
	f.add(event{
		at: at.Add(22 * time.Minute), actor: "nova-compute " + from.name,
		note: "confirm the migration of " + rec.Name + ", its old claim stays: generation conflict",
		nova: []versioned.Change{putInstance(rec, &active), putMigration(m, &confirmed)},
	})
}

// move takes an instance from one host to another and leaves it waiting for
// confirmation: its old claim goes to the migration, then it claims anew. It
// returns the records as they stand.
//
// Source: nova/conductor/tasks/migrate.py.
func (f *fleet) move(g *guest, from, to *host, fl flavor, why nova.MigrationType, at time.Time, on ...*provider) (*nova.Instance, *nova.Migration) {
	parts := f.place(to, fl, on)
	if parts == nil {
		panic("demo: no room for " + g.record.Name + " on " + to.name)
	}
	take(parts, 1)
	m := &nova.Migration{
		UUID: placement.ConsumerID(f.uuid()), Instance: g.consumer, Type: why, Status: nova.PreMigrating,
		Source: from.name, Dest: to.name, Created: at.UnixMilli(),
	}
	old := g.claim
	old.consumer, old.typ = m.UUID, placement.MigrationConsumer
	f.add(event{
		at: at, actor: "nova-conductor", note: fmt.Sprintf("%s %s: its claim on %s goes to the migration", why, g.record.Name, from.name),
		claims: []claim{{consumer: g.consumer, expect: placement.Generation(1)}, old},
		nova:   []versioned.Change{putMigration(nil, m)},
	})
	again := g.claim
	again.parts = parts
	f.add(event{
		at: at.Add(2 * time.Second), actor: "nova-scheduler", note: fmt.Sprintf("%s (%s) on %s", g.record.Name, fl.name, to.name),
		claims: []claim{again},
	})
	moved, finished := *g.record, *m
	moved.Host, moved.Flavor, moved.VMState, finished.Status = to.name, fl.name, nova.Resized, nova.Finished
	f.add(event{
		at: at.Add(3 * time.Minute), actor: "nova-compute " + to.name, note: g.record.Name + " waits to be confirmed or reverted",
		nova: []versioned.Change{putInstance(g.record, &moved), putMigration(m, &finished)},
	})
	return &moved, &finished
}

// disabledHost takes a compute service out of scheduling.
func (f *fleet) disabledHost() {
	h := f.nodes[7]
	f.addTrait(f.ago(6*time.Hour), "nova-api", "disable nova-compute on "+h.name+": memory errors", h.root, placement.ComputeStatusDisabled)
}

// oneTimeUse gives out a device that must be cleaned by hand afterwards: Nova
// reserves all of it, so that more is used than there is, rightly.
func (f *fleet) oneTimeUse() {
	h := f.nodes[8]
	p := h.below("_0000:5E:00.0")
	f.rename(f.launch(h, whole("nvme.1", classNVMe, placement.OwnerNova), cpuTenants()[1], f.ago(6*day), p), "kafka-0")
	p.closed = true
	inv := p.stock[0].inv
	inv.Reserved = inv.Total
	f.setInventory(f.ago(6*day).Add(50*time.Second), "nova-compute "+h.name, "reserve the one-time-use device 0000:5E:00.0", p, inv)
}

// cardTwice lets Cyborg report a card that Nova has reported already.
func (f *fleet) cardTwice() {
	h := f.nodes[10]
	p := h.cyborgCard(h.root, "0000:84:00.0")
	p.closed = true
	f.add(event{
		at: f.ago(5 * day), actor: "cyborg-agent " + h.name, note: "found card 0000:84:00.0", ops: creation(p),
	})
}

// cardOfBoth gives a card of Cyborg the owner trait of Nova too.
func (f *fleet) cardOfBoth() {
	h := f.nodes[10]
	p := h.below("_0000:81:00.0")
	f.launch(h, gpu(placement.OwnerCyborg, 2), gpuTenants()[1], f.ago(8*day), p)
	f.launch(h, gpu(placement.OwnerCyborg, 2), gpuTenants()[1], f.ago(7*day), p)
	p.closed = true
	f.addTrait(f.ago(3*day), "admin", "openstack resource provider trait set --trait OWNER_NOVA ("+p.name+")", p, placement.OwnerNova)
}

// lastMinutes starts a few instances just before the story ends.
func (f *fleet) lastMinutes() {
	for _, l := range []struct {
		minutes, host int
		fl            flavor
		t             tenant
	}{
		{48, 9, cpuFlavors()[0], cpuTenants()[2]},
		{31, 2, gpu(placement.OwnerCyborg, 2), gpuTenants()[2]},
		{14, 4, cpuFlavors()[1], cpuTenants()[0]},
		{7, 8, cpuFlavors()[2], cpuTenants()[1]},
		{4, 3, gpu(placement.OwnerNova, 2), gpuTenants()[0]},
		{2, 5, pinnedFlavors()[0], pinnedTenants()[0]},
	} {
		at := f.ago(time.Duration(l.minutes) * time.Minute).Add(time.Duration(f.rng.IntN(40)) * time.Second)
		if f.launch(f.nodes[l.host], l.fl, l.t, at) != nil {
			f.events[len(f.events)-1].bulk = alone
		}
	}
}
