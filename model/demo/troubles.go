package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// WithTroubles is how many hosts a cloud has at least that always has a case of each rule:
// those that are not part of the showcase are on the hosts after it, one or two on each. In
// a smaller one they are on the showcase, if Options.Troubles asks for them.
const WithTroubles = 24

// troubled is how full the hosts after the showcase are, so that there is room for their
// troubles.
const troubled = 0.4

// troubles adds the events that cause findings which the showcase does not have.
func (f *fleet) troubles() {
	f.brokenMoves()
	f.strayClaims()
	f.cardOnRoot()
	f.closedCard()
	f.noAccelerators()
	f.unanswered()
	f.strangeInventories()
	f.strangeHosts()
	f.missingTrait()
	f.forgottenService()
}

// trouble returns the host of a trouble: one after the showcase, or one of the showcase if
// the cloud is too small.
func (f *fleet) trouble(after, onShowcase int) *host {
	if f.hosts < WithTroubles {
		return f.nodes[onShowcase]
	}
	return f.nodes[after]
}

// latest is how long ago the last instance started on a host with trouble.
const latest = 2 * time.Hour

// calm returns a time after which no instance starts on h: those that are still to be
// planned start earlier.
func (f *fleet) calm(h *host) time.Time {
	h.last = f.ago(latest)
	if h.started.After(h.last) {
		return h.started.Add(time.Minute)
	}
	return h.last.Add(20 * time.Minute)
}

// edit adds the event that an operator edits the inventory of a class of a provider by
// hand, some time after the last instance has started there.
func (f *fleet) edit(h *host, p *provider, class placement.ResourceClass, what string, edit func(*placement.Inventory)) {
	f.says(f.calm(h), "admin", fmt.Sprintf("openstack resource provider inventory set --amend --resource %s:%s %s", class, what, p.name), func(w *world) error {
		q, number, err := w.inventory(p.id, class)
		if err != nil {
			return err
		}
		iu, _ := q.Inventory(number)
		inv := iu.Inventory
		edit(&inv)
		return w.do(placement.SetInventory{Provider: p.id, Generation: placement.Generation(q.Generation()), Class: class, Inventory: inv})
	})
}

// inventory finds a provider and the number of a class.
func (w *world) inventory(id placement.ProviderID, class placement.ResourceClass) (*placement.ResourceProvider, placement.ClassID, error) {
	p, err := w.snap.Placement().FindProvider(id)
	if err != nil {
		return nil, 0, err
	}
	number, ok := w.snap.Placement().ClassID(class)
	if !ok {
		return nil, 0, &placement.NotFoundError{What: "resource class", Name: string(class)}
	}
	return p, number, nil
}

// brokenMoves leaves a move that has waited for a decision for days, and one whose old
// claim an operator has deleted.
func (f *fleet) brokenMoves() {
	from, to, fl := f.trouble(21, 8), f.trouble(23, 9), cpuFlavors()[1]
	f.move(f.cast("shop-cache-0", from, fl, cpuTenants()[0], f.ago(30*day)), to, fl, f.ago(9*day))

	g := f.cast("lab-vm-0", from, fl, cpuTenants()[4], f.ago(22*day))
	m := f.move(g, to, fl, f.ago(3*day))
	f.says(f.ago(3*day).Add(time.Hour), "admin", "openstack resource provider allocation delete "+m.String()+" (migration of "+g.name+")", func(w *world) error {
		return w.do(placement.DeleteAllocations{Consumer: m})
	})
}

// strayClaims writes claims by hand: one that is not what the flavor asks for, and one on
// a host on which the instance does not run.
func (f *fleet) strayClaims() {
	h, other := f.trouble(21, 8), f.trouble(23, 9)
	for n, stray := range []struct {
		name, what string
		t          tenant
		edit       func(of map[placement.ProviderID]map[placement.ResourceClass]int64)
	}{
		{"runner-0", "VCPU=1", cpuTenants()[2], func(of map[placement.ProviderID]map[placement.ResourceClass]int64) {
			of[h.root.id][placement.VCPU] = 1
		}},
		{"kafka-1000", "all of it on " + other.name, cpuTenants()[1], func(of map[placement.ProviderID]map[placement.ResourceClass]int64) {
			of[other.root.id] = of[h.root.id]
			delete(of, h.root.id)
		}},
	} {
		g := f.beside(stray.name, h, cpuFlavors()[0], stray.t, f.ago(time.Duration(20+n)*day))
		f.says(f.ago(time.Duration(5+n)*day), "admin", fmt.Sprintf("openstack resource provider allocation set %s: %s (%s)", g.id, stray.what, g.name), func(w *world) error {
			c, ok := w.snap.Placement().Consumer(g.id)
			if !ok {
				return &placement.NotFoundError{What: "consumer", Name: g.name}
			}
			claim := g.claim()
			claim.Generation = placement.Generation(c.Generation())
			stray.edit(claim.Allocations)
			return w.do(placement.ReplaceAllocations{Consumers: []placement.Claim{claim}})
		})
	}
}

// cardOnRoot duplicates the virtual GPUs of a host's cards on its root.
func (f *fleet) cardOnRoot() {
	h := f.trouble(16, 10)
	f.says(f.ago(time.Hour), "admin", "openstack resource provider inventory set --amend --resource VGPU=8 "+h.name, func(w *world) error {
		p, err := w.snap.Placement().FindProvider(h.root.id)
		if err != nil {
			return err
		}
		return w.do(placement.AddInventory{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Class: placement.VGPU, Inventory: units(placement.VGPU, vgpusOfCard, 0).inv})
	})
}

// closedCard drains a card of Nova's, or a device that it passes through, while it is in use.
func (f *fleet) closedCard() {
	h := f.trouble(16, 8)
	card := h.nova[0]
	class, fl := card.stock[0].class, gpu(placement.OwnerNova, 1)
	if class != placement.VGPU {
		fl = whole(class)
	}
	if card.stock[0].used == 0 {
		f.cast("infer-0", h, fl, gpuTenants()[1], f.ago(13*day), card)
	}
	card.closed = true
	f.edit(h, card, class, fmt.Sprintf("reserved=%d", card.stock[0].inv.Total), func(inv *placement.Inventory) { inv.Reserved = inv.Total })
}

// noAccelerators removes the trait that lets Nova attach the cards of Cyborg on a host.
func (f *fleet) noAccelerators() {
	h := f.trouble(16, 9)
	f.says(f.ago(50*time.Minute), "admin", "openstack resource provider trait set "+h.name+", without COMPUTE_ACCELERATORS", func(w *world) error {
		p, err := w.snap.Placement().FindProvider(h.root.id)
		if err != nil {
			return err
		}
		rest := slices.DeleteFunc(w.snap.Placement().TraitsOf(p), func(t placement.Trait) bool { return t == "COMPUTE_ACCELERATORS" })
		return w.do(placement.SetTraits{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Traits: rest})
	})
}

// unanswered rebuilds an instance whose request Cyborg never finishes binding.
func (f *fleet) unanswered() {
	h := f.trouble(16, 6)
	card := h.cyborg[0]
	if card.stock[0].used == 0 {
		f.cast("train-0", h, gpu(placement.OwnerCyborg, 1), gpuTenants()[0], f.ago(11*day), card)
	}
	f.says(f.ago(95*time.Minute), "cyborg-conductor", "bind the accelerators of an instance again on "+h.name, func(w *world) error {
		var i *nova.Instance // the first by name that runs on the card
		for a := range w.snap.Cyborg().ARQs() {
			on, ok := w.snap.Nova().Instance(a.Instance)
			if ok && a.Provider == card.id && on.Host == h.name && on.VMState == nova.Active && (i == nil || on.Name < i.Name) {
				i = on
			}
		}
		if i == nil {
			return &placement.NotFoundError{What: "instance", Name: "on " + card.name}
		}
		var ids []uuid.UUID
		for a := range w.snap.Cyborg().ARQsOf(i.UUID) {
			ids = append(ids, a.UUID)
		}
		return w.write(cloud.Change{Ops: []cloud.Op{
			cyborg.Unbind{ARQs: ids}, cyborg.StartBind{ARQs: ids, Instance: i.UUID, Host: h.name, Mappings: i.Mappings},
		}})
	})
}

// strangeInventories gives hosts unusual inventories: a different allocation ratio, a
// limit below an existing claim, units that leave a rest, and the disk of a pool as the
// host's own.
func (f *fleet) strangeInventories() {
	h := f.trouble(13, 8)
	f.edit(h, h.root, placement.VCPU, "allocation_ratio=16", func(inv *placement.Inventory) { inv.AllocationRatio = 16 })
	h = f.trouble(15, 9)
	f.cast("clickhouse-0", h, cpuFlavors()[4], cpuTenants()[1], f.ago(28*day))
	f.edit(h, h.root, placement.VCPU, "max_unit=8", func(inv *placement.Inventory) { inv.MaxUnit = 8 })
	h = f.trouble(20, 5)
	f.edit(h, h.root, placement.PCPU, "total=30 step_size=4", func(inv *placement.Inventory) { inv.Total, inv.StepSize = 30, 4 })
	h = f.trouble(14, 4)
	f.says(f.calm(h), "nova-compute "+h.name, "report the disk of "+f.pool.name+" as its own", func(w *world) error {
		p, err := w.snap.Placement().FindProvider(h.root.id)
		if err != nil {
			return err
		}
		return w.do(placement.AddInventory{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Class: placement.DiskGB, Inventory: units(placement.DiskGB, f.pool.stock[0].inv.Total, 50).inv})
	})
}

// strangeHosts lets Placement and Nova disagree about hosts: whether instances land
// there, which aggregate one is in, which of two is its compute node; and one has not
// reported since this morning.
func (f *fleet) strangeHosts() {
	h := f.trouble(17, 1)
	f.says(f.calm(h), "admin", "openstack resource provider trait set --trait COMPUTE_STATUS_DISABLED "+h.name, func(w *world) error {
		return addTraits(w, h.root.id, placement.ComputeStatusDisabled)
	})
	silent := f.trouble(18, 7)
	silent.last, silent.silent = f.ago(5*time.Hour), true
	f.says(silent.last.Add(30*time.Minute), "nova-compute "+silent.name, silent.name+" says for the last time that it is up", func(w *world) error {
		return w.write(cloud.Change{Ops: []cloud.Op{nova.ReportState{Host: silent.name, Binary: nova.Compute}}})
	})
	apart := f.trouble(19, 1)
	f.says(f.ago(6*day), "nova-api", "add "+apart.name+" to the host aggregate gpu; placement timed out", func(w *world) error {
		return w.write(cloud.Change{Ops: []cloud.Op{nova.AddAggregateHost{Aggregate: AggregateID("gpu"), Host: apart.name}}})
	})
	anew := f.trouble(22, 7)
	f.says(f.calm(anew), "nova-compute "+anew.name, "start nova-compute on "+anew.name+", installed anew without its compute id", func(w *world) error {
		was, ok := w.snap.Nova().ComputeNode(anew.root.id)
		if !ok {
			return &placement.NotFoundError{What: "compute node", Name: anew.name}
		}
		is := was.Edit(func(n *nova.ComputeNode) { n.UUID = placement.ProviderID(named("compute node", anew.name)) })
		var c cloud.Change
		c.PutRecords(versioned.Change{Before: was}, versioned.Change{After: is})
		return w.write(c)
	})
}

// missingTrait makes a flavor for cards that do not exist yet.
func (f *fleet) missingTrait() {
	f.says(f.ago(4*day), "admin", "openstack flavor create gpu.h100.1", func(w *world) error {
		fl := gpu(placement.OwnerNova, 1).record(fmt.Sprint(len(slices.Collect(w.snap.Nova().Flavors())) + 1))
		fl.Name, fl.ExtraSpecs = "gpu.h100.1", map[string]string{"resources:VGPU": "1", "trait:CUSTOM_GPU_H100": "required"}
		return w.write(cloud.Change{Ops: []cloud.Op{nova.CreateFlavor{Flavor: fl}}})
	})
}

// forgotten is a host that is gone, but whose service was not forced down.
const forgotten = "cmp-old-9"

// forgottenService leaves the service record of a host that is gone as it was.
func (f *fleet) forgottenService() {
	f.says(f.ago(40*day), "nova-compute "+forgotten, forgotten+" says for the last time that it is up", func(w *world) error {
		return w.write(cloud.Change{Ops: []cloud.Op{
			nova.StartService{Host: forgotten, Binary: nova.Compute, Cell: cell, Version: oldVersion},
			nova.ReportState{Host: forgotten, Binary: nova.Compute},
		}})
	})
}
