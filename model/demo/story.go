package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

const day = 24 * time.Hour

// stage adds the events that an operator should find: each trouble once, and some that
// look like trouble but are none. They happen on the hosts of the showcase; a smaller
// cloud has fewer of them.
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
		{12, f.wrongOwner},
		{4, f.stuckDevice},
		{5, f.orphan},
		{6, f.countedDevice},
		{7, f.shrunkCard},
		{8, f.leakedMigration},
		{8, f.disabledHost},
		{9, f.oneTimeUse},
		{10, f.unheld},
		{10, f.splitClaim},
		{11, f.cardTwice},
		{11, f.cardOfBoth},
		{withGone, f.deadService},
		{12, f.lastMinutes},
	} {
		if story.host <= len(f.nodes) {
			story.tell()
		}
	}
	if f.every && f.hosts >= WithTroubles {
		f.troubles()
	}
}

// says adds an event by an actor.
func (f *fleet) says(at time.Time, actor, note string, write func(*world) error) {
	f.add(event{at: at, actor: actor, note: note, write: write})
}

// isolatedPool makes a pool with an aggregate to which no host was added.
func (f *fleet) isolatedPool() {
	p := &provider{id: placement.ProviderID(f.uuid()), name: "ceph-ssd-02", stock: []stock{units(placement.DiskGB, 2_000, 0)}}
	f.says(f.ago(12*day), "admin", "make the sharing pool ceph-ssd-02", func(w *world) error { return makePool(w, p, "storage-2") })
}

// trimmedClaim leaves an instance with its GPU only: an operator has taken the
// wrong provider out of its claim.
func (f *fleet) trimmedClaim() {
	h := f.nodes[0]
	g := f.cast("cad-desk-7", h, gpu(placement.OwnerNova, 1), gpuTenants()[2], f.ago(33*day), h.below("_pci_0000_42_00_0"))
	f.says(f.ago(4*day), "admin", fmt.Sprintf("openstack resource provider allocation unset --provider %s (%s)", h.name, g.name), func(w *world) error {
		plan, err := ops.PlanRelease(w.snap, g.id, h.root.id)
		if err != nil {
			return err
		}
		return w.write(plan.Change)
	})
}

// drainedCard takes an unused card out of service: reserved becomes the total.
func (f *fleet) drainedCard() {
	h := f.nodes[2]
	p := h.below("_0000:83:00.0")
	p.closed = true
	f.says(f.ago(26*time.Hour), "cyborg-api", "disable device 0000:83:00.0 of "+h.name, func(w *world) error {
		d, ok := w.snap.Cyborg().DeployableAt(p.id)
		if !ok {
			return &placement.NotFoundError{What: "deployable", Name: p.name}
		}
		return w.write(cloud.Change{Ops: append(w.snap.Cyborg().StatusOps(w.snap.Placement(), d.Device, true), cyborg.DisableDevice{Device: d.Device})})
	})
}

// resizeToVerify moves an instance from a virtual GPU of Nova to one of Cyborg, up to the
// point where its user must confirm: instance and migration each hold one.
func (f *fleet) resizeToVerify() {
	from, to := f.nodes[0], f.nodes[2]
	g := f.cast("train-42", from, gpu(placement.OwnerNova, 1), gpuTenants()[0], f.ago(19*day), from.below("_pci_0000_41_00_0"))
	f.move(g, to, gpu(placement.OwnerCyborg, 1), f.ago(26*time.Minute), to.below("_0000:81:00.0"))
}

// bothOwnersOneInstance starts an instance with a virtual GPU of each service.
func (f *fleet) bothOwnersOneInstance() {
	f.cast("cad-desk-1", f.nodes[3], gpuBoth(), gpuTenants()[2], f.ago(9*day))
}

// wrongOwner moves the claim of an instance that runs with a virtual GPU of Nova's to a
// card of Cyborg's, like an operator who mistakes the claim for the device. No boot ends
// like that: nova-compute has no device for a provider of Cyborg's.
func (f *fleet) wrongOwner() {
	h := f.nodes[3]
	to := h.below("_0000:af:00.0")
	g := f.cast(movedName, h, gpu(placement.OwnerNova, 1), gpuTenants()[2], f.ago(5*day+3*time.Hour), to)
	f.events[len(f.events)-1].write = func(w *world) error {
		runs := *g
		runs.parts = slices.Clone(g.parts)
		card := &runs.parts[len(runs.parts)-1]
		for _, p := range h.devices() {
			if p.owner == placement.OwnerNova && w.room(p, placement.VGPU) >= card.n {
				card.p = p
			}
		}
		return runs.boot(w)
	}
	f.says(f.ago(5*day), "admin", fmt.Sprintf("openstack resource provider allocation set --allocation rp=%s,VGPU=1 (%s)", to.name, g.name), func(w *world) error {
		c, ok := w.snap.Placement().Consumer(g.id)
		i, known := w.snap.Nova().Instance(g.id)
		if !ok || !known {
			return &placement.NotFoundError{What: "consumer", Name: g.name}
		}
		claim := g.claim()
		claim.Generation = placement.Generation(c.Generation())
		all := cloud.Change{Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}}}
		all.Ops = append(all.Ops, i.To(i.Edit(func(i *nova.Instance) { i.Mappings["1"] = []placement.ProviderID{to.id} }))...)
		return w.write(all)
	})
}

// room returns how many units of a class are free on a provider.
func (w *world) room(p *provider, class placement.ResourceClass) int64 {
	q, ok := w.snap.Placement().Provider(p.id)
	number, known := w.snap.Placement().ClassID(class)
	if !ok || !known {
		return 0
	}
	iu, _ := q.Inventory(number)
	return iu.Capacity() - iu.Used
}

// movedName is the instance whose claim was moved by hand.
const movedName = "render-node-9"

// stuckDevice reverts a resize to Cyborg's card, from which the device cannot be
// detached: the migration is in status error, and keeps the virtual GPU allocated.
func (f *fleet) stuckDevice() {
	from, to := f.nodes[3], f.nodes[2]
	g := f.cast("finetune-3", from, gpu(placement.OwnerNova, 1), gpuTenants()[0], f.ago(15*day), from.below("_pci_0000_41_00_0"))
	at := f.ago(50 * time.Hour)
	m := f.move(g, to, gpu(placement.OwnerCyborg, 1), at, to.below("_0000:82:00.0"))
	f.says(at.Add(11*time.Minute), "nova-compute "+to.name, "revert the resize of "+g.name+": its card does not let go", func(w *world) error {
		err := w.run(ops.Revert{Migration: m}, stuck{})
		if failed := (*ops.FailedError)(nil); errors.As(err, &failed) && failed.Stuck == nil {
			return nil // as it was meant to be
		}
		return err
	})
}

// stuck is a host on which no device can be detached.
type stuck struct{}

func (stuck) Do(_ context.Context, a ops.Act) error {
	if a.Kind == ops.UnbindDevice {
		return errors.New("the mediated device is in use by a guest that does not end")
	}
	return nil
}

// orphan deletes an instance whose allocations stay.
func (f *fleet) orphan() {
	h := f.nodes[4]
	g := f.cast("spark-worker-0", h, cpuFlavors()[1], cpuTenants()[1], f.ago(40*day))
	f.says(f.ago(2*day), "nova-compute "+h.name, "delete "+g.name+", its allocations stay: placement timed out", func(w *world) error {
		return w.withoutPlacement(ops.Terminate{Instance: g.id})
	})
}

// withoutPlacement runs a course to its end, but writes only what does not go to
// Placement.
func (w *world) withoutPlacement(c ops.Task) error {
	all := newWorld(w.snap)
	all.at = w.at
	if err := all.run(c, nil); err != nil {
		return err
	}
	lost := all.take()
	lost.Ops = slices.DeleteFunc(lost.Ops, placement.Owns)
	return w.write(lost)
}

// countedDevice starts an instance with one of the PCI devices that Placement counts as
// one class of the compute node, and whose records say which of them are in use.
func (f *fleet) countedDevice() {
	h, fl := f.nodes[5], qat()
	f.beside("vpn-gw-1", h, fl, cpuTenants()[2], f.ago(11*day), part{h.root, placement.PCIDevice, 1})
}

// beside adds the event that an extra instance starts, outside the plan that fills the
// hosts: the plan leaves room for it, and is the same without it.
func (f *fleet) beside(name string, h *host, fl flavor, t tenant, at time.Time, more ...part) *guest {
	g := &guest{
		id: placement.ConsumerID(named("instance", name)), name: name, project: t.project, user: t.users[0], flavor: &fl, host: h, created: at.UnixMilli(),
		parts: append([]part{{h.root, placement.VCPU, fl.vcpus}, {h.root, placement.MemoryMB, fl.gib * 1024}, {h.root, placement.DiskGB, fl.disk}}, more...),
	}
	f.told[g.name] = true
	f.says(at, "nova-scheduler", fmt.Sprintf("%s (%s) on %s", g.name, fl.name, h.name), g.boot)
	return g
}

// unheld releases everything that a running instance holds.
func (f *fleet) unheld() {
	g := f.beside("build-cache-0", f.nodes[9], cpuFlavors()[0], cpuTenants()[2], f.ago(24*day))
	f.says(f.ago(10*day), "admin", "openstack resource provider allocation delete "+g.id.String()+" ("+g.name+")", func(w *world) error {
		return w.do(placement.DeleteAllocations{Consumer: g.id})
	})
}

// splitClaim lets an instance hold something on another host: an operator has put the
// wrong provider into its claim.
func (f *fleet) splitClaim() {
	h, other := f.nodes[9], f.nodes[5]
	g := f.beside("erp-app-0", h, cpuFlavors()[0], cpuTenants()[3], f.ago(37*day))
	f.says(f.ago(7*day), "admin", fmt.Sprintf("openstack resource provider allocation set --allocation rp=%s,VCPU=2 (%s)", other.name, g.name), func(w *world) error {
		c, ok := w.snap.Placement().Consumer(g.id)
		if !ok {
			return &placement.NotFoundError{What: "consumer", Name: g.name}
		}
		claim := g.claim()
		claim.Generation = placement.Generation(c.Generation())
		claim.Allocations[other.root.id] = map[placement.ResourceClass]int64{placement.VCPU: 2}
		return w.do(placement.ReplaceAllocations{Consumers: []placement.Claim{claim}})
	})
}

// shrunkCard lowers the total of a card below what is in use.
func (f *fleet) shrunkCard() {
	h := f.nodes[6]
	p := h.below("_pci_0000_41_00_0")
	// The card was reported with ten before the first instance started.
	f.resupply(h, p, 10, f.ago(age).Add(23*time.Hour+30*time.Minute))
	for n := range 4 {
		f.cast(fmt.Sprintf("train-%d", 51+n), h, gpu(placement.OwnerNova, 2), gpuTenants()[n%3], f.ago(time.Duration(31-9*n)*day), p)
	}
	f.cast("infer-9", h, gpu(placement.OwnerNova, 1), gpuTenants()[1], f.ago(12*time.Minute), p)
	p.closed = true
	f.resupply(h, p, vgpusOfCard, f.ago(9*time.Minute))
}

// resupply adds the event that nova-compute reports another total of card
// 0000:41:00.0.
func (f *fleet) resupply(h *host, p *provider, total int64, at time.Time) {
	was := p.stock[0].inv.Total
	p.stock[0].inv = units(placement.VGPU, total, 0).inv
	f.says(at, "nova-compute "+h.name, fmt.Sprintf("report VGPU total %d of 0000:41:00.0, was %d", total, was), func(w *world) error {
		h.setTotal(p, total)
		return h.tick(w)
	})
}

// leakedMigration confirms a migration whose old claim is not released.
func (f *fleet) leakedMigration() {
	from, to := f.nodes[1], f.nodes[7]
	fl := cpuFlavors()[2]
	g := f.cast("erp-db-1", from, fl, cpuTenants()[3], f.ago(45*day))
	at := f.ago(31 * day)
	m := f.move(g, to, fl, at)
	f.says(at.Add(22*time.Minute), "nova-compute "+from.name, "confirm the migration of "+g.name+", its old claim stays: generation conflict", func(w *world) error {
		return w.withoutPlacement(ops.Confirm{Migration: m})
	})
}

// move moves an instance to another host, with its own or another flavor, and leaves it
// waiting to be confirmed. It returns the migration.
func (f *fleet) move(g *guest, to *host, fl flavor, at time.Time, on ...*provider) placement.ConsumerID {
	parts := f.place(to, fl, false, on)
	if parts == nil {
		panic("demo: no room for " + g.name + " on " + to.name)
	}
	take(parts)
	m := ops.Move{Migration: placement.ConsumerID(f.uuid()), Instance: g.id, Pick: &ops.Place{Host: to.name, Root: to.root.id, Allocations: amounts(parts)}}
	why := nova.ColdMigration
	if fl.name != g.flavor.name {
		why, m.Flavor = nova.Resize, fl.name
	}
	f.says(at, "nova-conductor", fmt.Sprintf("%s %s from %s to %s (%s): it waits to be confirmed or reverted", why, g.name, g.host.name, to.name, fl.name),
		func(w *world) error {
			m.Indexer = &w.index
			return w.run(m, nil)
		})
	return m.Migration
}

// disabledHost takes a compute service out of scheduling.
func (f *fleet) disabledHost() {
	h := f.nodes[7]
	h.last = f.ago(6 * time.Hour)
	f.says(h.last, "nova-api", "disable nova-compute on "+h.name+": memory errors", func(w *world) error {
		return w.write(cloud.Change{Ops: ops.NovaOps(w.snap, nova.DisableService{Host: h.name, Binary: nova.Compute, Reason: "memory errors"})})
	})
}

// withGone is the least number of hosts of a cloud that once had one more.
const withGone = 12

// gone is a removed host, of which only the record of its service is left.
const gone = "cmp-old-7"

// startGone adds the event that the service of the host gone starts.
func (f *fleet) startGone() {
	f.says(f.ago(age).Add(30*time.Second), "nova-compute "+gone, "start nova-compute on "+gone, func(w *world) error {
		return w.write(cloud.Change{Ops: []cloud.Op{nova.StartService{Host: gone, Binary: nova.Compute, Cell: cell, Version: goneVersion}}})
	})
}

// deadService leaves the service record of a host that is gone. It was forced down, so
// that its version does not count.
func (f *fleet) deadService() {
	f.says(f.ago(58*day), "admin", "force down nova-compute on "+gone+", the host is gone", func(w *world) error {
		return w.write(cloud.Change{Ops: []cloud.Op{nova.ForceDownService{Host: gone, Binary: nova.Compute, Down: true}}})
	})
}

// goneVersion is the version of the nova-compute on a host that is gone.
const goneVersion = 61

// oneTimeUse allocates a device that must be cleaned by hand afterwards: Nova reserves
// all of it, so that its usage rightly exceeds its capacity.
func (f *fleet) oneTimeUse() {
	h := f.nodes[8]
	p := h.below("_0000:5E:00.0")
	f.cast("kafka-0", h, whole(classNVMe), cpuTenants()[1], f.ago(6*day), p)
	p.closed = true
	f.says(f.ago(6*day).Add(50*time.Second), "nova-compute "+h.name, "reserve the one-time-use device 0000:5E:00.0", func(w *world) error {
		c, _, err := tracker.Report(w.snap.Placement(), h.tree)
		if err != nil {
			return err
		}
		return w.do(c.Ops...)
	})
}

// cardTwice lets Cyborg report a card that Nova has reported already.
func (f *fleet) cardTwice() {
	h := f.nodes[10]
	f.says(f.ago(5*day), "cyborg-agent "+h.name, "found card 0000:84:00.0", func(w *world) error {
		again := host{name: h.name, cards: slices.Clone(h.cards)}
		again.cyborgCard(0x84)
		return again.discover(w)
	})
}

// cardOfBoth gives a card of Cyborg the owner trait of Nova too.
func (f *fleet) cardOfBoth() {
	h := f.nodes[10]
	p := h.below("_0000:81:00.0")
	f.cast("infer-21", h, gpu(placement.OwnerCyborg, 2), gpuTenants()[1], f.ago(8*day), p)
	f.cast("infer-22", h, gpu(placement.OwnerCyborg, 2), gpuTenants()[1], f.ago(7*day), p)
	p.closed = true
	f.says(f.ago(3*day), "admin", "openstack resource provider trait set --trait OWNER_NOVA ("+p.name+")", func(w *world) error {
		return addTraits(w, p.id, placement.OwnerNova)
	})
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
