package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Names that a story is known by.
const (
	movedName = "render-node-9" // the instance whose claim was moved by hand
	gone      = "cmp-old-7"     // a removed host, of which only the record of its service is left
)

// stage adds the events that an operator should find, and some that look like trouble but
// are none, each with the host that it needs; a smaller cloud has fewer of them.
func (f *fleet) stage() {
	for _, story := range []struct {
		hosts int
		tell  func()
	}{
		{1, f.isolatedPool},
		{1, f.trimmedClaim},
		{3, f.drainedCard},
		{3, f.resizeToVerify},
		{4, func() { f.cast("cad-desk-1", f.nodes[3], bothFlavor, "render", 9*day) }}, // a virtual GPU of each service
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
		{12, f.deadService},
		{12, f.lastMinutes},
	} {
		if story.hosts <= len(f.nodes) {
			story.tell()
		}
	}
}

// troubles adds the findings of the triage table that stage does not have.
func (f *fleet) troubles() {
	device := f.nodes[8].nova[0]
	if class := device.stock[0].class; device.stock[0].used == 0 {
		f.cast("infer-0", f.nodes[8], f.flavorOf(class, placement.OwnerNova, 1).name, "ml-serve", 13*day, device)
	}
	for _, t := range []struct {
		host       int
		ago        time.Duration // 0: once the last instance has started there
		actor, how string        // HOST stands for its name
		write      func(*world, *host) error
	}{
		// o07: the virtual GPUs are on the host and on its card
		{10, time.Hour, "admin", "openstack resource provider inventory set --amend --resource VGPU=8 HOST", func(w *world, h *host) error {
			return w.editInventory(h.root.id, placement.VGPU, func(inv *placement.Inventory) { *inv = units(placement.VGPU, vgpusOfCard, 0).inv })
		}},
		// a11: a device is drained
		{8, 0, "admin", "openstack resource provider inventory set --amend --resource " + string(classT4) + ":reserved=1 " + device.name, func(w *world, _ *host) error {
			return w.editInventory(device.id, classT4, func(inv *placement.Inventory) { inv.Reserved = inv.Total })
		}},
		// u02: the ratio of one host is unlike the others
		{8, 0, "admin", "openstack resource provider inventory set --amend --resource VCPU:allocation_ratio=16 HOST", func(w *world, h *host) error {
			return w.editInventory(h.root.id, placement.VCPU, func(inv *placement.Inventory) { inv.AllocationRatio = 16 })
		}},
		// s02: shared storage is counted twice
		{4, 0, "nova-compute HOST", "report the disk of " + f.pool.name + " as its own", func(w *world, h *host) error {
			return w.editInventory(h.root.id, placement.DiskGB, func(inv *placement.Inventory) {
				*inv = units(placement.DiskGB, f.pool.stock[0].inv.Total, 50).inv
			})
		}},
		// v03: a host is closed by its trait only
		{1, 0, "admin", "openstack resource provider trait set --trait COMPUTE_STATUS_DISABLED HOST", func(w *world, h *host) error {
			return w.addTraits(h.root.id, placement.ComputeStatusDisabled)
		}},
		// s03: an aggregate is not mirrored
		{1, 6 * day, "nova-api", "add HOST to the host aggregate gpu; placement timed out", func(w *world, h *host) error {
			return w.write(nova.AddAggregateHost{Aggregate: AggregateID("gpu"), Host: h.name})
		}},
		// v05: the name of a compute node is taken
		{7, 0, "nova-compute HOST", "start nova-compute on HOST, installed anew without its compute id", func(w *world, h *host) error {
			was, ok := w.snap.Nova().ComputeNode(h.root.id)
			if !ok {
				return &placement.NotFoundError{What: "compute node", Name: h.name}
			}
			is := was.Edit(func(n *nova.ComputeNode) { n.UUID = placement.ProviderID(named("compute node", h.name)) })
			var c cloud.Change
			c.PutRecords(versioned.Change{Before: was}, versioned.Change{After: is})
			return w.write(c.Ops...)
		}},
		// d01: no provider has the trait of a flavor
		{0, 4 * day, "admin", "openstack flavor create gpu.h100.1", func(w *world, _ *host) error {
			fl := f.flavor(novaFlavor).record(fmt.Sprint(len(slices.Collect(w.snap.Nova().Flavors())) + 1))
			fl.Name, fl.ExtraSpecs = "gpu.h100.1", map[string]string{"resources:VGPU": "1", "trait:CUSTOM_GPU_H100": "required"}
			return w.write(nova.CreateFlavor{Flavor: fl})
		}},
	} {
		h := f.nodes[t.host]
		at := f.ago(t.ago)
		if t.ago == 0 {
			at = f.ago(100 * time.Minute)
			if h.started.After(at) {
				at = h.started.Add(time.Minute)
			}
		}
		name := strings.NewReplacer("HOST", h.name)
		f.says(at, name.Replace(t.actor), name.Replace(t.how), func(w *world) error { return t.write(w, h) })
	}
}

// isolatedPool makes a pool with an aggregate to which no host was added (s01).
func (f *fleet) isolatedPool() {
	p := &provider{id: placement.ProviderID(f.uuid()), name: "ceph-ssd-02", stock: []stock{units(placement.DiskGB, 2_000, 0)}}
	f.says(f.ago(12*day), "admin", "make the sharing pool ceph-ssd-02", makePool(p, "storage-2"))
}

// trimmedClaim leaves an instance with its GPU only: an operator has taken the wrong
// provider out of its claim (a05).
func (f *fleet) trimmedClaim() {
	h := f.nodes[0]
	g := f.cast("cad-desk-7", h, novaFlavor, "render", 33*day, h.below("_pci_0000_42_00_0"))
	f.says(f.ago(4*day), "admin", fmt.Sprintf("openstack resource provider allocation unset --provider %s (%s)", h.name, g.name), func(w *world) error {
		plan, err := ops.PlanRelease(w.snap, g.id, h.root.id)
		if err != nil {
			return err
		}
		return w.write(plan.Change.Ops...)
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
		return w.write(append(w.snap.Cyborg().StatusOps(w.snap.Placement(), d.Device, true), cyborg.DisableDevice{Device: d.Device})...)
	})
}

// resizeToVerify moves an instance from a virtual GPU of Nova to one of Cyborg, up to the
// point where its user must confirm: instance and migration each hold one.
func (f *fleet) resizeToVerify() {
	from, to := f.nodes[0], f.nodes[2]
	g := f.cast("train-42", from, novaFlavor, "ml-train", 19*day, from.below("_pci_0000_41_00_0"))
	f.move(g, to, cyborgFlavor, f.ago(26*time.Minute), to.below("_0000:81:00.0"))
}

// wrongOwner moves the claim of an instance that runs with a virtual GPU of Nova's to a
// card of Cyborg's, like an operator who mistakes the claim for the device (o06, d02). No
// boot ends like that: nova-compute has no device for a provider of Cyborg's.
func (f *fleet) wrongOwner() {
	h := f.nodes[3]
	from, to := h.below("_pci_0000_41_00_0"), h.below("_0000:af:00.0")
	g := f.cast(movedName, h, novaFlavor, "render", 5*day+3*time.Hour, to)
	f.events[len(f.events)-1].write = func(w *world) error {
		runs := *g
		runs.parts = slices.Clone(g.parts)
		runs.parts[len(runs.parts)-1].p = from
		return runs.boot(w)
	}
	f.says(f.ago(5*day), "admin", fmt.Sprintf("openstack resource provider allocation set --allocation rp=%s,VGPU=1 (%s)", to.name, g.name), func(w *world) error {
		i, ok := w.snap.Nova().Instance(g.id)
		if !ok {
			return &placement.NotFoundError{What: "instance", Name: g.name}
		}
		if err := w.setClaim(g, nil); err != nil {
			return err
		}
		return w.write(i.To(i.Edit(func(i *nova.Instance) { i.Mappings["1"] = []placement.ProviderID{to.id} }))...)
	})
}

// stuckDevice reverts a resize to Cyborg's card, from which the device cannot be
// detached: the migration is in status error, and keeps the virtual GPU allocated (d04).
func (f *fleet) stuckDevice() {
	from, to := f.nodes[3], f.nodes[2]
	g := f.cast("finetune-3", from, novaFlavor, "ml-train", 15*day, from.below("_pci_0000_41_00_0"))
	at := f.ago(50 * time.Hour)
	m := f.move(g, to, cyborgFlavor, at, to.below("_0000:82:00.0"))
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

// orphan deletes an instance whose allocations stay (a01).
func (f *fleet) orphan() {
	h := f.nodes[4]
	g := f.cast("spark-worker-0", h, "cpu.medium", "analytics", 40*day)
	f.says(f.ago(2*day), "nova-compute "+h.name, "delete "+g.name+", its allocations stay: placement timed out", func(w *world) error {
		return w.withoutPlacement(ops.Terminate{Instance: g.id})
	})
}

// countedDevice starts an instance with one of the PCI devices that Placement counts as
// one class of the compute node, and whose records say which of them are in use.
func (f *fleet) countedDevice() {
	h := f.nodes[5]
	f.beside("vpn-gw-1", h, "qat.1", "ci", 11*day, part{h.root, placement.PCIDevice, 1})
}

// unheld releases everything that a running instance holds (a04).
func (f *fleet) unheld() {
	g := f.beside("build-cache-0", f.nodes[9], "cpu.small", "ci", 24*day)
	f.says(f.ago(10*day), "admin", "openstack resource provider allocation delete "+g.id.String()+" ("+g.name+")", func(w *world) error {
		return w.write(placement.DeleteAllocations{Consumer: g.id})
	})
}

// splitClaim lets an instance hold something on another host: an operator has put the
// wrong provider into its claim (a07).
func (f *fleet) splitClaim() {
	other := f.nodes[5]
	g := f.beside("erp-app-0", f.nodes[9], "cpu.small", "erp", 37*day)
	f.says(f.ago(7*day), "admin", fmt.Sprintf("openstack resource provider allocation set --allocation rp=%s,VCPU=2 (%s)", other.name, g.name), func(w *world) error {
		return w.setClaim(g, map[placement.ResourceClass]int64{placement.VCPU: 2}, other.root)
	})
}

// shrunkCard lowers the total of a card below what is in use (a02, d03).
func (f *fleet) shrunkCard() {
	h := f.nodes[6]
	p := h.below("_pci_0000_41_00_0")
	f.resupply(h, p, 10, f.ago(age-23*time.Hour-30*time.Minute)) // before the first instance started
	for n, project := range []string{"ml-train", "ml-serve", "render", "ml-train"} {
		f.cast(fmt.Sprintf("train-%d", 51+n), h, "gpu.a100.2", project, time.Duration(31-9*n)*day, p)
	}
	f.cast("infer-9", h, novaFlavor, "ml-serve", 12*time.Minute, p)
	p.closed = true
	f.resupply(h, p, vgpusOfCard, f.ago(9*time.Minute))
}

// resupply adds the event that nova-compute reports another total of card 0000:41:00.0.
func (f *fleet) resupply(h *host, p *provider, total int64, at time.Time) {
	was := p.stock[0].inv.Total
	p.stock[0].inv = units(placement.VGPU, total, 0).inv
	f.says(at, "nova-compute "+h.name, fmt.Sprintf("report VGPU total %d of 0000:41:00.0, was %d", total, was), func(w *world) error {
		for i, c := range h.tree.Children {
			if c.ID == p.id {
				h.tree.Children[i].Inventories[0].Inventory = units(placement.VGPU, total, 0).inv
			}
		}
		return h.tick(w)
	})
}

// leakedMigration confirms a migration whose old claim is not released (a06).
func (f *fleet) leakedMigration() {
	from, to := f.nodes[1], f.nodes[7]
	g := f.cast("erp-db-1", from, "cpu.large", "erp", 45*day)
	at := f.ago(31 * day)
	m := f.move(g, to, "cpu.large", at)
	f.says(at.Add(22*time.Minute), "nova-compute "+from.name, "confirm the migration of "+g.name+", its old claim stays: generation conflict", func(w *world) error {
		return w.withoutPlacement(ops.Confirm{Migration: m})
	})
}

// move moves an instance to another host, with its own or another flavor, and leaves it
// waiting to be confirmed. It returns the migration.
func (f *fleet) move(g *guest, to *host, flavor string, at time.Time, on ...*provider) placement.ConsumerID {
	parts := f.place(to, f.flavor(flavor), false, on)
	if parts == nil {
		panic("demo: no room for " + g.name + " on " + to.name)
	}
	take(parts)
	m := ops.Move{Migration: placement.ConsumerID(f.uuid()), Instance: g.id, Pick: &ops.Place{Host: to.name, Root: to.root.id, Allocations: amounts(parts)}}
	why := nova.ColdMigration
	if flavor != g.flavor.name {
		why, m.Flavor = nova.Resize, flavor
	}
	f.says(at, "nova-conductor", fmt.Sprintf("%s %s from %s to %s (%s): it waits to be confirmed or reverted", why, g.name, g.host.name, to.name, flavor),
		func(w *world) error {
			m.Indexer = w.index
			return w.run(m, nil)
		})
	return m.Migration
}

// disabledHost takes a compute service out of scheduling.
func (f *fleet) disabledHost() {
	h := f.nodes[7]
	h.last = f.ago(6 * time.Hour)
	f.says(h.last, "nova-api", "disable nova-compute on "+h.name+": memory errors", func(w *world) error {
		return w.write(ops.NovaOps(w.snap, nova.DisableService{Host: h.name, Binary: nova.Compute, Reason: "memory errors"})...)
	})
}

// deadService leaves the service record of a host that is gone. It was forced down, so
// that its version does not count.
func (f *fleet) deadService() {
	f.says(f.ago(age).Add(30*time.Second), "nova-compute "+gone, "start nova-compute on "+gone, func(w *world) error {
		return w.write(nova.StartService{Host: gone, Binary: nova.Compute, Cell: cell, Version: 61})
	})
	f.says(f.ago(58*day), "admin", "force down nova-compute on "+gone+", the host is gone", func(w *world) error {
		return w.write(nova.ForceDownService{Host: gone, Binary: nova.Compute, Down: true})
	})
}

// oneTimeUse allocates a device that must be cleaned by hand afterwards: Nova reserves
// all of it, so that its usage rightly exceeds its capacity.
func (f *fleet) oneTimeUse() {
	h := f.nodes[8]
	p := h.below("_0000:5E:00.0")
	f.cast("kafka-0", h, "nvme.1", "analytics", 6*day, p)
	p.closed = true
	f.says(f.ago(6*day).Add(50*time.Second), "nova-compute "+h.name, "reserve the one-time-use device 0000:5E:00.0", func(w *world) error {
		c, _, err := tracker.Report(w.snap.Placement(), h.tree)
		if err != nil {
			return err
		}
		return w.write(c.Ops...)
	})
}

// cardTwice lets Cyborg report a card that Nova has reported already (o03).
func (f *fleet) cardTwice() {
	h := f.nodes[10]
	f.says(f.ago(5*day), "cyborg-agent "+h.name, "found card 0000:84:00.0", func(w *world) error {
		again := host{name: h.name, cards: slices.Clone(h.cards)}
		again.cyborgCard(0x84)
		return again.discover(w)
	})
}

// cardOfBoth gives a card of Cyborg the owner trait of Nova too (o01).
func (f *fleet) cardOfBoth() {
	h := f.nodes[10]
	p := h.below("_0000:81:00.0")
	f.cast("infer-21", h, "gpu.t4.2c", "ml-serve", 8*day, p)
	f.cast("infer-22", h, "gpu.t4.2c", "ml-serve", 7*day, p)
	p.closed = true
	f.says(f.ago(3*day), "admin", "openstack resource provider trait set --trait OWNER_NOVA ("+p.name+")", func(w *world) error {
		return w.addTraits(p.id, placement.OwnerNova)
	})
}

// lastMinutes starts a few instances just before the story ends.
func (f *fleet) lastMinutes() {
	for _, l := range []struct {
		minutes, host   int
		flavor, project string
	}{
		{48, 9, "cpu.small", "ci"},
		{31, 2, "gpu.t4.2c", "render"},
		{14, 4, "cpu.medium", "web-shop"},
		{7, 8, "cpu.large", "analytics"},
		{4, 3, "gpu.a100.2", "ml-train"},
		{2, 5, "pin.medium", "telco"},
	} {
		at := f.ago(time.Duration(l.minutes) * time.Minute).Add(time.Duration(f.rng.IntN(40)) * time.Second)
		f.launch(f.nodes[l.host], f.flavor(l.flavor), tenantNamed(l.project), at)
	}
}
