package tracker

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// PickedDevice is a free PCI device that was picked for a request.
type PickedDevice struct {
	Device *nova.PciDevice
	Suffix string // of the request group for the device
	// Provider has the device in Placement, as units of Class; nil if the host does
	// not report it one by one.
	Provider *placement.ResourceProvider
	Class    placement.ResourceClass
}

// Take returns the free PCI devices of a compute node that requests would get, or why it
// has not enough of them. A request whose provider the mappings name gets a device of it;
// any other gets one for which Placement, if it has it, has room. Devices with fewer tags
// go first, so that the special ones are left.
//
// Which NUMA node a device is on is not asked: nothing here says on which ones a guest
// is.
//
// Source: nova/pci/stats.py, PciDeviceStats.consume_requests and support_requests;
// nova/scheduler/filters/pci_passthrough_filter.py.
func (w World) Take(node *nova.ComputeNode, requests []nova.PCIRequest, mappings map[string][]placement.ProviderID) (taken []PickedDevice, why string) {
	rows := slices.Collect(w.Nova.PciDevicesOf(node.UUID))
	return w.take(node, rows, requests, mappings)
}

// Copies returns how many instances that each have the same requests a compute node has
// free PCI devices for.
func (w World) Copies(node *nova.ComputeNode, requests []nova.PCIRequest) int {
	rows := slices.Collect(w.Nova.PciDevicesOf(node.UUID))
	return sort.Search(len(rows), func(n int) bool {
		_, why := w.take(node, rows, slices.Repeat(requests, n+1), nil)
		return why != ""
	})
}

func (w World) take(node *nova.ComputeNode, rows []*nova.PciDevice, requests []nova.PCIRequest, mappings map[string][]placement.ProviderID) (taken []PickedDevice, why string) {
	free := w.free(node, rows)
	used := map[*placement.ResourceProvider]int64{}
	for _, r := range requests {
		for turn := range r.Count {
			mapped := mappings[r.Suffix(turn)]
			i := slices.IndexFunc(free, func(t PickedDevice) bool {
				switch {
				case !serves(r, t.Device):
					return false
				case len(mapped) == 1:
					return t.Provider != nil && t.Provider.ID() == mapped[0]
				}
				return t.Provider == nil || w.room(t.Provider, t.Class, used[t.Provider])
			})
			if i < 0 {
				return nil, w.lacks(rows, r, turn, mapped)
			}
			t := free[i]
			t.Suffix = r.Suffix(turn)
			if t.Provider != nil && len(mapped) != 1 {
				used[t.Provider]++
			}
			free = slices.DeleteFunc(free, func(f PickedDevice) bool { return f.Device == t.Device || related(f.Device, t.Device) })
			taken = append(taken, t)
		}
	}
	return taken, ""
}

// free returns the free devices of a node, with their providers, in the order in which
// they are assigned.
func (w World) free(node *nova.ComputeNode, rows []*nova.PciDevice) []PickedDevice {
	root, hasRoot := w.Placement.Provider(node.UUID)
	var out []PickedDevice
	for _, d := range rows {
		if d.Status != nova.DeviceAvailable {
			continue
		}
		t := PickedDevice{Device: d}
		if hasRoot {
			t.Provider, t.Class, _ = w.deviceProvider(root, d)
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b PickedDevice) int {
		return cmp.Or(cmp.Compare(len(a.Device.Tags), len(b.Device.Tags)), cmp.Compare(a.Device.Address, b.Device.Address))
	})
	return out
}

// room reports whether one more unit of a class fits on a provider in addition to those
// used.
func (w World) room(p *placement.ResourceProvider, class placement.ResourceClass, used int64) bool {
	inv, has := w.Placement.InventoryOf(p, class)
	return has && inv.HasRoom(inv.Used, used+1)
}

// related reports whether one device is the physical function of the other: only one of
// them can be in use.
func related(a, b *nova.PciDevice) bool {
	return a.Parent != "" && a.Parent == b.Address || b.Parent != "" && b.Parent == a.Address
}

// serves reports whether a device is what a request asks for: it meets one of the specs,
// and is a physical function, a vDPA device or remotely managed only if the request asks
// for that.
//
// Source: nova/pci/stats.py, _filter_pools; nova/pci/utils.py, pci_device_prop_match.
func serves(r nova.PCIRequest, d *nova.PciDevice) bool {
	return slices.ContainsFunc(r.Specs, func(s pci.Spec) bool { return meets(s, d) }) &&
		(d.DevType != nova.TypePF || asks(r, pci.KeyDevType, nova.TypePF)) &&
		(d.DevType != nova.TypeVDPA || asks(r, pci.KeyDevType, nova.TypeVDPA)) &&
		(!strings.EqualFold(d.Tags[pci.KeyRemote], "true") || asks(r, pci.KeyRemote, "true"))
}

func asks(r nova.PCIRequest, key, value string) bool {
	return slices.ContainsFunc(r.Specs, func(s pci.Spec) bool { return strings.EqualFold(s[key], value) })
}

// meets reports whether a device has all that a spec says, ignoring case. Class and
// traits are left to Placement.
func meets(s pci.Spec, d *nova.PciDevice) bool {
	for key, want := range s {
		has := d.Tags[key]
		switch key {
		case pci.KeyClass, pci.KeyTraits:
			continue
		case pci.KeyVendor:
			has = d.VendorID
		case pci.KeyProduct:
			has = d.ProductID
		case pci.KeyDevType:
			has = d.DevType
		case pci.KeyMigrate:
			has = cmp.Or(has, "false")
		}
		if !strings.EqualFold(has, want) {
			return false
		}
	}
	return true
}

// lacks says why a node has no more devices for a request that got some already.
func (w World) lacks(rows []*nova.PciDevice, r nova.PCIRequest, got int64, mapped []placement.ProviderID) string {
	var of, free int64
	for _, d := range rows {
		if serves(r, d) {
			of++
			if d.Status == nova.DeviceAvailable {
				free++
			}
		}
	}
	what := "PCI alias " + r.Alias
	switch {
	case len(mapped) == 1 && of > 0 && free > got:
		return fmt.Sprintf("there is no record of a free device for %s on %s", what, w.Placement.ProviderName(mapped[0]))
	case len(rows) == 0:
		return fmt.Sprintf("%s asks for %s, but the host has no PCI devices to pass through", what, words.Count(int(r.Count), "device"))
	case of == 0:
		return fmt.Sprintf("%s asks for %s, but none of its %s matches", what, words.Count(int(r.Count), "device"), words.Count(len(rows), "PCI device"))
	}
	return fmt.Sprintf("%s asks for %s, but the host has %d free of %d", what, words.Count(int(r.Count), "device"), min(free, got), of)
}
