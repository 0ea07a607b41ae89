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
// because using one type excludes the others.
//
// Source: nova/virt/libvirt/driver.py, _get_gpu_inventories and
// _ensure_pgpu_providers.
func (b *builder) pgpus() error {
	types, err := b.enabledTypes()
	if err != nil {
		return err
	}
	for _, parent := range b.host.Mediated.Parents {
		if parent.Address == nil {
			continue // Nova names pGPUs by PCI address
		}
		a := *parent.Address
		if b.opts.ofCyborg(b.host, a) {
			b.tree.Leave(a, tracker.PGPU, true, HandedOut)
			continue
		}
		chosen, why := choose(parent, types)
		if why != "" {
			b.tree.Leave(a, tracker.PGPU, len(types) > 0, "%s", why)
			continue
		}
		b.pgpu(parent, chosen)
	}
	return nil
}

// pgpu reports one device with a type that it supports.
func (b *builder) pgpu(parent sysfs.MdevParent, chosen MdevType) {
	a := *parent.Address
	t, ok := parent.Type(chosen.ID)
	if !ok {
		b.tree.Leave(a, tracker.PGPU, true, "the card does not support the enabled type %s", chosen.ID)
		return
	}
	capacity, ok := t.Capacity()
	if !ok {
		b.tree.Leave(a, tracker.PGPU, false, "%s/available_instances could not be read", t.Path)
		return
	}
	if i := slices.IndexFunc(b.host.Gaps, func(q hw.Gap) bool { return strings.HasPrefix(q.Path, t.Path+"/devices") }); i >= 0 {
		b.tree.Leave(a, tracker.PGPU, false, "%s", b.host.Gaps[i])
		return
	}
	source := fmt.Sprintf("%s: %d made + %d available_instances", t.Path, len(t.Devices), t.Available)
	total := int64(capacity)
	if most := chosen.MaxInstances; most > 0 && total > most {
		total = most
		source += fmt.Sprintf(", max_instances %d", most)
	}
	if total == 0 {
		b.tree.Leave(a, tracker.PGPU, true, "no vGPU of type %s can be created on the card", chosen.ID)
		return
	}
	b.tree.AddPGPU(a, chosen.ID, chosen.Class, total, source)
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
func choose(parent sysfs.MdevParent, types []MdevType) (t MdevType, why string) {
	for _, t := range types {
		if len(t.Addresses) == 0 || slices.Contains(t.Addresses, *parent.Address) {
			return t, ""
		}
	}
	if len(types) > 0 {
		return MdevType{}, "no enabled mdev type has the card in its device_addresses"
	}
	switch use := parent.InUse(); len(use) {
	case 0:
		return MdevType{}, "no mdev type is enabled, and none is in use on the card"
	case 1:
		return MdevType{ID: use[0].ID}, ""
	default:
		return MdevType{}, fmt.Sprintf("no mdev type is enabled, and %d are in use on the card", len(use))
	}
}
