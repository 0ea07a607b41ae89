package tracker

import (
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// UnknownProviderError reports that an instance needs something without any record of
// which provider gives it: no mapping names one, and the instance holds none. It
// matches placement.ErrNotFound.
//
// Source: nova/cmd/manage.py, heal_allocations, which refuses such flavors.
type UnknownProviderError struct {
	Instance string // name
	Group    string // suffix of the request group
	What     string // a class, or "device profile NAME"
}

func (e *UnknownProviderError) Error() string {
	return fmt.Sprintf("instance %s needs %s (group %q), but nothing says from which provider", e.Instance, e.What, e.Group)
}

// Is reports whether target is placement.ErrNotFound.
func (e *UnknownProviderError) Is(target error) bool { return target == placement.ErrNotFound }

// demand works out what one instance is to hold on one compute node.
type demand struct {
	World
	node *Node
	root *placement.ResourceProvider
	inst *nova.Instance
	held placement.Amounts // what it holds now
	want placement.Amounts
}

// demand returns what an instance is to hold on a compute node according to its flavor,
// its mappings and its PCI devices. The errors are UnknownProviderError and those of
// nova.Amounts; placement.ErrNotFound for an unknown flavor.
func (w World) demand(node *Node, root *placement.ResourceProvider, inst *nova.Instance, devices []candidates.Group) (*demand, error) {
	d := &demand{World: w, node: node, root: root, inst: inst, want: placement.Amounts{}}
	d.held, _ = w.Placement.HeldBy(inst.UUID)
	flavor, ok := w.Nova.Flavor(inst.Flavor)
	if !ok {
		return nil, placement.NotFound("flavor", inst.Flavor)
	}
	profile := flavor.DeviceProfile()
	if profile != "" && len(devices) == 0 {
		flavor = withoutProfile(flavor)
	}
	spec := inst.RequestSpec(flavor)
	spec.Devices, spec.PCI = devices, inst.PCIGroups(flavor)
	spec.Unpinned = w.Nova.FallsBack(w.Placement, root)
	groups, err := nova.Amounts(spec)
	if err != nil {
		return nil, err
	}
	if err := d.groups(groups); err != nil {
		return nil, err
	}
	d.pciDevices()
	d.others(groups)
	if d.Live {
		if err := d.untold(flavor, groups); err != nil {
			return nil, err
		}
	}
	if profile != "" && len(devices) == 0 && !d.holdsOfCyborg() {
		return nil, &UnknownProviderError{Instance: inst.Name, Group: profile, What: "device profile " + profile}
	}
	return d, nil
}

// withoutProfile returns a flavor without its device profile: what Nova itself
// asks for.
func withoutProfile(f *nova.Flavor) *nova.Flavor {
	own := *f
	own.ExtraSpecs = maps.Clone(f.ExtraSpecs)
	delete(own.ExtraSpecs, "accel:device_profile")
	return &own
}

// groups adds what request groups ask for. Classes without a mapping are kept where the
// instance holds them.
func (d *demand) groups(groups []nova.RequestGroup) error {
	type loose struct {
		group string
		n     int64
	}
	unmapped := map[placement.ResourceClass]loose{}
	for _, g := range groups {
		for class, n := range g.Amounts {
			if p, ok := d.provider(g.Suffix, class); ok {
				d.want.Add(p, class, n)
				continue
			}
			unmapped[class] = loose{g.Suffix, unmapped[class].n + n}
		}
	}
	for _, class := range slices.Sorted(maps.Keys(unmapped)) {
		if u := unmapped[class]; !d.keepChildren(class, u.n) {
			return &UnknownProviderError{Instance: d.inst.Name, Group: u.group, What: string(class)}
		}
	}
	return nil
}

// provider returns the provider of a class of a group: the one that the mappings name, or
// the compute node for classes that every compute node has.
func (d *demand) provider(suffix string, class placement.ResourceClass) (placement.ProviderID, bool) {
	if suffix != "" {
		mapped := d.inst.Mappings[suffix]
		if len(mapped) != 1 {
			return placement.ProviderID{}, false
		}
		return mapped[0], true
	}
	switch class {
	case placement.VCPU, placement.PCPU, placement.MemoryMB:
		return d.root.ID(), true
	case placement.DiskGB:
		return d.disk(), true
	default:
	}
	for _, id := range d.inst.Mappings[""] {
		if p, ok := d.Placement.Provider(id); ok && d.has(p, class) {
			return id, true
		}
	}
	return d.root.ID(), d.has(d.root, class)
}

// keepChildren keeps what the instance holds of a class on Nova's child providers, as
// nothing else says which ones they are. It reports whether that is the amount asked for,
// or more on a single child.
func (d *demand) keepChildren(class placement.ResourceClass, n int64) bool {
	var sum int64
	found := placement.Amounts{}
	for id, amounts := range d.held {
		p, ok := d.Placement.Provider(id)
		if !ok || p == d.root || d.Placement.Root(p) != d.root || !d.ours(d.root, p) || amounts[class] == 0 || d.want[id][class] > 0 {
			continue
		}
		found.Add(id, class, amounts[class])
		sum += amounts[class]
	}
	if sum < n || sum > n && len(found) > 1 {
		return false
	}
	for id, amounts := range found {
		d.want.Add(id, class, min(n, amounts[class]))
	}
	return true
}

// pciDevices adds the devices that are allocated to the instance: each on its own
// provider if the compute node reports PCI devices in Placement, or else together as
// PCI_DEVICE of the compute node, which only counts type-PCI.
//
// Source: nova-specs, newton/approved/resource-providers-allocations;
// nova/compute/pci_placement_translator.py.
func (d *demand) pciDevices() {
	has := placement.Amounts{}
	for row := range d.Nova.PciDevicesFor(d.inst.UUID) {
		if row.ComputeNode != d.root.ID() || row.Status != nova.DeviceAllocated {
			continue
		}
		if p, class, ok := d.deviceProvider(d.root, row); ok {
			has.Add(p.ID(), class, 1)
		}
	}
	for id, amounts := range has {
		for class, n := range amounts {
			d.want.Add(id, class, max(n-d.want[id][class], 0)) // a group may have asked for some of them
		}
	}
	var n int64
	for _, row := range d.legacyDevices(d.node, d.root) {
		if row.Status == nova.DeviceAllocated && row.DevType == nova.TypePCI && row.Instance == d.inst.UUID {
			n++
		}
	}
	d.want.Add(d.root.ID(), placement.PCIDevice, n)
}

// deviceProvider returns the provider that counts a device, and its class: it is named
// after the device or, for a virtual function, after the parent.
func (w World) deviceProvider(root *placement.ResourceProvider, row *nova.PciDevice) (*placement.ResourceProvider, placement.ResourceClass, bool) {
	at := row.Address
	if row.Parent != "" && (row.DevType == nova.TypeVF || row.DevType == nova.TypeVDPA) {
		at = row.Parent
	}
	a, err := pci.ParseAddress(at)
	if err != nil {
		return nil, "", false
	}
	p, ok := w.Placement.ProviderByName(root.Name() + "_" + a.Upper())
	if !ok || !w.ours(root, p) || len(p.Inventories()) == 0 {
		return nil, "", false
	}
	return p, w.Placement.ClassName(p.Inventories()[0].Class), true
}

// legacyDevices returns the PCI devices of a compute node that have no provider, and so
// are counted as PCI_DEVICE.
func (w World) legacyDevices(node *Node, root *placement.ResourceProvider) []*nova.PciDevice {
	return w.devices(node, func(row *nova.PciDevice) bool {
		if root == nil {
			return true
		}
		_, _, reported := w.deviceProvider(root, row)
		return !reported
	})
}

// others keeps what does not depend on the flavor: what the instance holds on providers
// of Cyborg and Neutron, on those to which the groups of others are mapped, and on other
// compute nodes, after an evacuation.
func (d *demand) others(groups []nova.RequestGroup) {
	foreign := map[placement.ProviderID]bool{}
	for suffix, mapped := range d.inst.Mappings {
		if slices.ContainsFunc(groups, func(g nova.RequestGroup) bool { return g.Suffix == suffix }) {
			continue
		}
		for _, id := range mapped {
			foreign[id] = true
		}
	}
	for id := range d.held {
		p, ok := d.Placement.Provider(id)
		if _, wanted := d.want[id]; wanted || !ok {
			continue
		}
		switch {
		case d.Placement.Root(p) == d.root:
			if !d.ours(d.root, p) || foreign[id] {
				d.want[id] = maps.Clone(d.held[id])
			}
		case d.Placement.Shares(p) && d.has(p, placement.DiskGB):
			// The disk is already placed, unless it is that on another host.
			if d.elsewhere() && !slices.Contains(d.pools(d.root), p) {
				d.want[id] = maps.Clone(d.held[id])
			}
		default:
			d.want[id] = maps.Clone(d.held[id])
		}
	}
}

// untold keeps what an instance of a live cloud may hold by its image, its ports and its
// aliases, of which the API tells nothing: pinned CPUs in place of others, and classes that
// its flavor does not decide on. Where Nova counts the devices of aliases in Placement, and
// the instance holds none, nothing says which it has.
func (d *demand) untold(flavor *nova.Flavor, groups []nova.RequestGroup) error {
	root := d.root.ID()
	cpus := func(h placement.Amounts) int64 { return h[root][placement.VCPU] + h[root][placement.PCPU] }
	n, pinned := cpus(d.want), d.held[root][placement.PCPU]
	switch {
	case n > 0 && n == cpus(d.held):
		for _, class := range []placement.ResourceClass{placement.VCPU, placement.PCPU} {
			delete(d.want[root], class)
			if has := d.held[root][class]; has > 0 {
				d.want.Add(root, class, has)
			}
		}
	case n > 0 && pinned > 0 && pinned == cpus(d.held) && flavor.ExtraSpecs["hw:cpu_policy"] == "":
		if flavor.IsolatesEmulator() {
			n++
		}
		delete(d.want[root], placement.VCPU)
		d.want.Add(root, placement.PCPU, n)
	}
	decided := func(class placement.ResourceClass) bool {
		return slices.Contains([]placement.ResourceClass{placement.VCPU, placement.PCPU, placement.MemoryMB, placement.DiskGB}, class) ||
			class.IsAccelerator() && !flavor.ByAlias() ||
			slices.ContainsFunc(groups, func(g nova.RequestGroup) bool { return g.Amounts[class] > 0 })
	}
	managed, _ := d.Placement.TraitID(placement.ComputeManagedPCI)
	counted, holds := false, false
	for _, p := range d.Placement.Tree(d.root) {
		for class, n := range d.held[p.ID()] {
			if d.ours(d.root, p) && !decided(class) && n > d.want[p.ID()][class] {
				d.want.Add(p.ID(), class, n-d.want[p.ID()][class])
			}
		}
		if d.Placement.WithTrait(managed).Has(p.Number()) {
			counted, holds = true, holds || len(d.want[p.ID()]) > 0
		}
	}
	if flavor.ByAlias() && counted && !holds {
		return &UnknownProviderError{Instance: d.inst.Name, Group: "pci_passthrough:alias", What: "PCI devices"}
	}
	return nil
}

// elsewhere reports whether the instance holds something on another compute node.
func (d *demand) elsewhere() bool {
	for id := range d.held {
		if p, ok := d.Placement.Provider(id); ok && d.Placement.Root(p) != d.root && !d.Placement.Shares(p) {
			return true
		}
	}
	return false
}

// holdsOfCyborg reports whether the instance holds something on a provider of Cyborg's.
func (d *demand) holdsOfCyborg() bool {
	for id := range d.want {
		if p, ok := d.Placement.Provider(id); ok && d.Placement.Owner(p) == placement.OwnedByCyborg {
			return true
		}
	}
	return false
}
