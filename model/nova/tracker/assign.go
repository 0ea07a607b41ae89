package tracker

import (
	"cmp"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// assign returns the operations that correct which instance has each PCI device of a
// compute node. Of devices reported in Placement, an instance gets as many from each
// provider as it, or the migration that moves it, holds there. Of the others it gets what
// its requests ask for, and keeps that until it has left. Devices are claimed while the
// instance is being built or has not arrived yet, and allocated afterwards. While a
// virtual function is in use its physical function is unavailable, and vice versa.
//
// Source: nova/objects/pci_device.py, claim, allocate and free;
// nova/compute/pci_placement_translator.py; nova/pci/manager.py, claim_instance.
func (w World) assign(node *nova.ComputeNode) []nova.Op {
	a := assignment{World: w, node: node, due: w.due(node)}
	for d := range w.Nova.PciDevicesOf(node.UUID) {
		a.was, a.is = append(a.was, d), append(a.is, versioned.Clone(d))
	}
	if len(a.is) == 0 {
		return nil
	}
	if root, ok := w.Placement.Provider(node.UUID); ok {
		a.reported(root)
		a.unreported()
		a.relatives()
	}
	var out []nova.Op
	for i, is := range a.is {
		if was := a.was[i]; is.Hand() != was.Hand() {
			out = append(out, nova.PassPciDevice{ComputeNode: is.ComputeNode, Address: is.Address, From: was.Hand(), To: is.Hand()})
		}
	}
	return out
}

// assignment is one run of assign.
type assignment struct {
	World
	node *nova.ComputeNode
	was  []*nova.PciDevice
	is   []*nova.PciDevice // in the order of was
	// providers are those of the devices that are reported in Placement.
	providers map[*nova.PciDevice]*placement.ResourceProvider
	due       []dueDevice // no device has been found for these yet
}

// dueDevice is a device that an instance on a host should have.
type dueDevice struct {
	instance placement.ConsumerID
	request  nova.PCIRequest
	provider placement.ProviderID // that has it in Placement; the zero id if not reported
	claimed  bool                 // the instance has not arrived yet
}

// due returns the devices of a node that instances are to get: those on its host, and
// those that move from or to it.
func (w World) due(node *nova.ComputeNode) []dueDevice {
	var out []dueDevice
	add := func(i *nova.Instance, flavor string, mappings map[string][]placement.ProviderID, claimed bool) {
		for _, r := range i.PCIRequests {
			if r.Flavor != flavor {
				continue
			}
			for turn := range r.Count {
				d := dueDevice{instance: i.UUID, request: r, claimed: claimed}
				if mapped := mappings[r.Suffix(turn)]; len(mapped) == 1 {
					d.provider = mapped[0]
				}
				out = append(out, d)
			}
		}
	}
	for i := range w.Nova.InstancesOn(node.Host) {
		if len(i.PCIRequests) > 0 && tracks(i) && w.Nova.Moving(i.UUID) == nil {
			add(i, i.Flavor, i.Mappings, i.VMState == nova.Building)
		}
	}
	for m := range w.Nova.MigrationsAt(node.Host) {
		i, ok := w.Nova.Instance(m.Instance)
		if !ok || !i.Live() || len(i.PCIRequests) == 0 || !m.Status.UnderWay() {
			continue
		}
		if m.Source == node.Host {
			add(i, cmp.Or(m.OldFlavor, i.Flavor), m.Mappings, false)
		}
		if m.Dest == node.Host && (m.Status != nova.Reverting || i.TaskState != nova.ResizeFinish) {
			add(i, cmp.Or(m.NewFlavor, i.Flavor), i.Mappings, m.Status == nova.PreMigrating || m.Status == nova.Migrating || m.Status == nova.PostMigrating)
		}
	}
	return out
}

// give gives a device to an instance, for the first of its due requests that the device
// serves. With the zero id the device becomes free.
func (a *assignment) give(d *nova.PciDevice, id placement.ConsumerID, provider placement.ProviderID) {
	is := a.given(d, id)
	i := slices.IndexFunc(a.due, func(due dueDevice) bool {
		return due.instance == id && due.provider == provider && (d.RequestID == due.request.ID.String() || d.Instance != id || d.RequestID == "") && serves(due.request, d)
	})
	is.RequestID = d.RequestID
	switch {
	case id.IsZero():
		is.RequestID = ""
	case i >= 0:
		is.RequestID = a.due[i].request.ID.String()
		if a.due[i].claimed {
			is.Status = nova.DeviceClaimed
		}
		a.due = slices.Delete(a.due, i, i+1)
	case d.Instance != id:
		is.RequestID = ""
	}
	*d = *is
}

// reported assigns the devices that are reported in Placement, as Placement says.
func (a *assignment) reported(root *placement.ResourceProvider) {
	a.providers = map[*nova.PciDevice]*placement.ResourceProvider{}
	quotas := map[*placement.ResourceProvider]map[placement.ConsumerID]int64{}
	var open []*nova.PciDevice
	for _, d := range a.is {
		p, _, ok := a.deviceProvider(root, d)
		if !ok {
			continue
		}
		a.providers[d] = p
		if quotas[p] == nil {
			quotas[p] = a.users(p)
		}
		switch left := quotas[p]; {
		case d.Held() && left[d.Instance] > 0:
			left[d.Instance]--
			a.give(d, d.Instance, p.ID())
		case d.Held() || d.Status == nova.DeviceAvailable:
			open = append(open, d)
		}
	}
	for _, d := range open {
		p := a.providers[d]
		a.give(d, next(quotas[p]), p.ID())
	}
}

// unreported assigns the other devices, by what instances ask for.
func (a *assignment) unreported() {
	var rows []*nova.PciDevice
	for _, d := range a.is {
		if a.providers[d] != nil {
			continue
		}
		rows = append(rows, d)
		if !d.Held() || a.leftBehind(d.Instance) {
			continue
		}
		asked := slices.ContainsFunc(a.due, func(due dueDevice) bool {
			return due.instance == d.Instance && due.request.ID.String() == d.RequestID
		})
		if asked || d.RequestID == "" && a.present(d.Instance, a.node.Host) {
			a.give(d, d.Instance, placement.ProviderID{})
		} else {
			a.give(d, placement.ConsumerID{}, placement.ProviderID{})
		}
	}
	for _, due := range slices.Clone(a.due) {
		if !due.provider.IsZero() {
			continue
		}
		one := due.request
		one.Count = 1
		if taken, why := a.take(a.node, rows, []nova.PCIRequest{one}, nil); why == "" {
			a.give(taken[0].Device, due.instance, placement.ProviderID{})
		}
	}
}

// relatives marks free devices as available or unavailable.
//
// Source: nova/objects/pci_device.py, _bulk_update_status.
func (a *assignment) relatives() {
	for _, d := range a.is {
		if d.Held() || d.Status == nova.DeviceRemoved || d.Status == nova.DeviceDeleted {
			continue
		}
		status, alone := nova.DeviceAvailable, true
		for _, other := range a.is {
			if !related(d, other) {
				continue
			}
			alone = false
			switch {
			case other.Status == nova.DeviceAllocated:
				status = nova.DeviceUnavailable
			case other.Status == nova.DeviceClaimed && status == nova.DeviceAvailable:
				status = nova.DeviceUnclaimable
			}
		}
		if !alone {
			d.Status = status
		}
	}
}

// leftBehind reports whether an instance was evacuated from the host but what it had
// there has not been released yet: the host may still run it.
func (a *assignment) leftBehind(id placement.ConsumerID) bool {
	for m := range a.Nova.MigrationsOf(id) {
		if m.Type == nova.Evacuation && m.Source == a.node.Host && m.Status == nova.Done {
			return true
		}
	}
	return false
}

// next takes one unit from the first consumer with any left, and returns that consumer,
// the zero id if there is none.
func next(left map[placement.ConsumerID]int64) placement.ConsumerID {
	for _, id := range slices.SortedStableFunc(maps.Keys(left), placement.ConsumerID.Compare) {
		if left[id] > 0 {
			left[id]--
			return id
		}
	}
	return placement.ConsumerID{}
}

// users returns how many units of a provider each instance has, including those that its
// migration holds.
func (w World) users(p *placement.ResourceProvider) map[placement.ConsumerID]int64 {
	out := map[placement.ConsumerID]int64{}
	for c := range w.Placement.ConsumersOf(p) {
		id := w.Nova.HolderOf(c.ID())
		if _, ok := w.Nova.Instance(id); !ok {
			continue
		}
		for _, n := range w.Placement.UsedBy(c, p) {
			out[id] += n
		}
	}
	return out
}

// present reports whether an instance is on a host, or moving from or to it.
func (w World) present(id placement.ConsumerID, host string) bool {
	i, ok := w.Nova.Instance(id)
	if !ok || !i.Live() {
		return false
	}
	m := w.Nova.Moving(id)
	return i.Host == host || m != nil && (m.Source == host || m.Dest == host)
}

// given returns a device as assigned to an instance, or free for the zero id.
func (w World) given(d *nova.PciDevice, id placement.ConsumerID) *nova.PciDevice {
	is := versioned.Clone(d)
	is.Instance, is.Status = id, nova.DeviceAvailable
	if i, ok := w.Nova.Instance(id); ok {
		is.Status = nova.DeviceAllocated
		if i.VMState == nova.Building {
			is.Status = nova.DeviceClaimed
		}
	}
	return is
}
