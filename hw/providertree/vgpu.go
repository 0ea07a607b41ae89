package providertree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// pgpus reports each device that can have mediated devices of the type chosen for it: how
// many of that type exist, and how many can still be made. Sums over types mean nothing,
// because using one type excludes the others. Those that exist count first of what a type
// may have in all.
//
// Source: nova/virt/libvirt/driver.py, _get_gpu_inventories and
// _ensure_pgpu_providers.
func (b *builder) pgpus() error {
	types, err := b.enabledTypes()
	if err != nil {
		return err
	}
	var found []pgpu
	for _, parent := range b.host.Mediated.Parents {
		if parent.Address == nil {
			ids := make([]string, len(parent.Types))
			for i, t := range parent.Types {
				ids[i] = t.ID
			}
			b.tree.Left = append(b.tree.Left, tracker.SkippedDevice{
				Name: parent.Name, Kind: tracker.PGPU, Why: "it has no PCI address, by which providers are named; its types are " + strings.Join(ids, ", "),
			})
			continue
		}
		a := *parent.Address
		if b.opts.ofCyborg(b.host, a) {
			b.tree.Leave(a, tracker.PGPU, true, HandedOut)
			continue
		}
		chosen, why := b.opts.choose(parent, types)
		if why != "" {
			b.tree.Leave(a, tracker.PGPU, len(types) > 0, "%s", why)
			continue
		}
		if p, ok := b.pgpu(a, parent, chosen); ok {
			found = append(found, p)
		}
	}
	made := map[string]int64{} // by type
	for _, p := range found {
		made[p.chosen.ID] += int64(len(p.of.Devices))
	}
	for _, p := range found {
		total := int64(len(p.of.Devices) + p.of.Available)
		source := fmt.Sprintf("%s: %d made + %d available_instances", p.of.Path, len(p.of.Devices), p.of.Available)
		if most := p.chosen.MaxInstances; most > 0 {
			if more := min(int64(p.of.Available), max(most-made[p.chosen.ID], 0)); more < int64(p.of.Available) {
				total = int64(len(p.of.Devices)) + more
				source += fmt.Sprintf(", max_instances %d", most)
			}
			made[p.chosen.ID] += total - int64(len(p.of.Devices))
		}
		switch {
		case total > 0:
			b.tree.AddPGPU(p.at, p.chosen.ID, p.chosen.Class, total, source)
		case p.of.Available > 0:
			b.tree.Leave(p.at, tracker.PGPU, true, "other cards have the %d vGPUs of type %s that max_instances allows", p.chosen.MaxInstances, p.chosen.ID)
		default:
			b.tree.Leave(p.at, tracker.PGPU, true, "no vGPU of type %s can be created on the card", p.chosen.ID)
		}
	}
	b.tooMany(found)
	return nil
}

// pgpu is a device that can have mediated devices of the type chosen for it.
type pgpu struct {
	at     sysfs.Address
	chosen MdevType
	of     sysfs.MdevType // the type, on the device
}

// pgpu returns one device with a type that it supports.
func (b *builder) pgpu(a sysfs.Address, parent sysfs.MdevParent, chosen MdevType) (pgpu, bool) {
	t, ok := parent.Type(chosen.ID)
	if !ok {
		b.tree.Leave(a, tracker.PGPU, true, "the card does not support the enabled type %s", chosen.ID)
		return pgpu{}, false
	}
	if _, ok = t.Capacity(); !ok {
		b.tree.Leave(a, tracker.PGPU, false, "%s/available_instances could not be read", t.Path)
		return pgpu{}, false
	}
	if i := slices.IndexFunc(b.host.Gaps, func(q hw.Gap) bool { return strings.HasPrefix(q.Path, t.Path+"/devices") }); i >= 0 {
		b.tree.Leave(a, tracker.PGPU, false, "%s", b.host.Gaps[i])
		return pgpu{}, false
	}
	return pgpu{at: a, chosen: chosen, of: t}, true
}

// tooMany notes the cards whose virtual functions offer more vGPUs of a type than the card
// can have: each function says that it has room for one, until the first is made. Nova adds
// them up unless max_instances is set.
func (b *builder) tooMany(found []pgpu) {
	type group struct {
		card sysfs.Address
		id   string
	}
	offered, most := map[group]int{}, map[group]int{}
	var groups []group
	for _, p := range found {
		d, ok := b.host.Device(p.at)
		limit := p.of.MaxInstance()
		if !ok || d.PhysFn == nil || limit == 0 || p.chosen.MaxInstances > 0 {
			continue
		}
		g := group{*d.PhysFn, p.of.ID}
		if _, seen := most[g]; !seen {
			groups = append(groups, g)
		}
		most[g] = limit
		offered[g] += p.of.Available + len(p.of.Devices)
	}
	for _, g := range groups {
		if offered[g] > most[g] {
			b.tree.Note("the virtual functions of %s offer %d vGPUs of type %s together, but the card can have only %d: set max_instances in [mdev_%s] of nova.conf",
				g.card, offered[g], g.id, most[g], g.id)
		}
	}
}

// enabledTypes returns the configured types that are in effect. If one of several has no
// addresses, only the first type is in effect, on every card and as VGPU.
//
// Source: nova/virt/libvirt/driver.py, _get_supported_vgpu_types.
func (b *builder) enabledTypes() ([]MdevType, error) {
	owner := make(map[sysfs.Address]string)
	for i, t := range b.opts.MdevTypes {
		if t.ID == "" {
			return nil, &placement.InvalidError{Field: "enabled_mdev_types", Why: fmt.Sprintf("type %d has no name", i+1)}
		}
		if t.Class != "" && t.Class != placement.VGPU && !t.Class.IsCustom() {
			return nil, &placement.InvalidError{Field: "mdev_class of " + t.ID, Value: string(t.Class), Why: "must be VGPU or start with CUSTOM_"}
		}
		if err := cmp.Or(t.Class, placement.VGPU).Validate(); err != nil {
			return nil, fmt.Errorf("mdev_class of %s: %w", t.ID, err)
		}
		if len(t.Addresses) == 0 {
			if len(b.opts.MdevTypes) > 1 {
				first := b.opts.MdevTypes[0].ID
				b.tree.Note("mdev type %s has no device_addresses: only the first type, %s, is used", t.ID, first)
				return []MdevType{{ID: first, MaxInstances: b.opts.MdevTypes[0].MaxInstances}}, nil
			}
			return b.opts.MdevTypes, nil
		}
		for _, a := range t.Addresses {
			if other, taken := owner[a]; taken {
				return nil, &placement.InvalidError{Field: "device_addresses of " + t.ID, Value: a.String(), Why: "the card is also given to type " + other}
			}
			owner[a] = t.ID
		}
	}
	return b.opts.MdevTypes, nil
}

// choose returns the type with which a card is reported, or why none is.
func (o Options) choose(parent sysfs.MdevParent, types []MdevType) (t MdevType, why string) {
	for _, t := range types {
		if len(t.Addresses) == 0 || slices.Contains(t.Addresses, *parent.Address) {
			return t, ""
		}
	}
	if len(types) > 0 {
		return MdevType{}, "no enabled mdev type has the card in its device_addresses"
	}
	switch use := parent.InUse(); {
	case len(use) == 0:
		return MdevType{}, "no mdev type is enabled, and none is in use on the card"
	case len(use) > 1:
		return MdevType{}, fmt.Sprintf("no mdev type is enabled, and %d are in use on the card", len(use))
	case o.OnlyEnabled:
		return MdevType{}, fmt.Sprintf("no mdev type is enabled, so that Nova reports no vGPUs; %s is in use on the card: set [devices]enabled_mdev_types in nova.conf", use[0].ID)
	default:
		return MdevType{ID: use[0].ID}, ""
	}
}
