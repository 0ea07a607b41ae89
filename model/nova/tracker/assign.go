package tracker

import (
	"maps"
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
)

// assign returns the records of PCI devices of a compute node that say wrongly whose
// they are, set right. Of the devices that Placement has one by one, as many of each
// provider are an instance's as it, or the migration that moves it, holds there;
// others are freed when their instance has left. Devices are claimed by an instance
// that is being built, and allocated then.
//
// Source: nova/objects/pci_device.py, claim, allocate and free;
// nova/compute/pci_placement_translator.py.
func (w World) assign(node *nova.ComputeNode) []*nova.PciDevice {
	root, ok := w.Placement.Provider(node.UUID)
	if !ok {
		return nil
	}
	quotas := map[placement.ProviderID]map[placement.ConsumerID]int64{}
	var open, out []*nova.PciDevice
	for d := range w.Nova.PciDevicesOf(node.UUID) {
		held := d.Status == string(objects.DeviceAllocated) || d.Status == string(objects.DeviceClaimed)
		p, _, reported := w.deviceProvider(root, d)
		switch {
		case !held && d.Status != string(objects.DeviceAvailable):
			continue
		case !reported:
			if held && !w.present(d.Instance, node.Host) {
				out = append(out, w.given(d, placement.ConsumerID{}))
			}
			continue
		case quotas[p.ID()] == nil:
			quotas[p.ID()] = w.users(p)
		}
		if left := quotas[p.ID()]; held && left[d.Instance] > 0 {
			left[d.Instance]--
			if is := w.given(d, d.Instance); is.Status != d.Status {
				out = append(out, is)
			}
			continue
		}
		open = append(open, d)
	}
	for _, d := range open {
		p, _, _ := w.deviceProvider(root, d)
		is := w.given(d, next(quotas[p.ID()]))
		if is.Status != d.Status || is.Instance != d.Instance {
			out = append(out, is)
		}
	}
	return out
}

// next takes one unit from the first who has any left, and returns who; the zero id
// where nobody has.
func next(left map[placement.ConsumerID]int64) placement.ConsumerID {
	for _, id := range slices.SortedFunc(maps.Keys(left), placement.ConsumerID.Compare) {
		if left[id] > 0 {
			left[id]--
			return id
		}
	}
	return placement.ConsumerID{}
}

// users returns how many units of a provider each instance has, those too that its
// migration holds for it.
func (w World) users(p *placement.ResourceProvider) map[placement.ConsumerID]int64 {
	out := map[placement.ConsumerID]int64{}
	for c := range w.Placement.ConsumersOf(p) {
		id := c.ID()
		if m, ok := w.Nova.Migration(id); ok {
			id = m.Instance
		}
		if _, ok := w.Nova.Instance(id); !ok {
			continue
		}
		for _, n := range w.Placement.UsedBy(c, p) {
			out[id] += n
		}
	}
	return out
}

// present reports whether an instance stands on a host, or is on its way from or to
// it.
func (w World) present(id placement.ConsumerID, host string) bool {
	i, ok := w.Nova.Instance(id)
	if !ok || !i.Live() {
		return false
	}
	m := w.moving(id)
	return i.Host == host || m != nil && (m.Source == host || m.Dest == host)
}

// given returns a device as it is in the hands of an instance, of nobody for the
// zero id.
func (w World) given(d *nova.PciDevice, id placement.ConsumerID) *nova.PciDevice {
	is := d.Clone().(*nova.PciDevice)
	is.Instance, is.Status = id, string(objects.DeviceAvailable)
	if i, ok := w.Nova.Instance(id); ok {
		is.Status = string(objects.DeviceAllocated)
		if i.VMState == nova.Building {
			is.Status = string(objects.DeviceClaimed)
		}
	}
	return is
}
