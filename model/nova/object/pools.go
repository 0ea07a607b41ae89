package object

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// PciDevicePool counts the free PCI devices of a compute node that are alike.
//
// Source: nova/objects/pci_device_pool.py.
type PciDevicePool struct {
	ProductID string `json:"product_id"` // four hexadecimal digits in lower case
	VendorID  string `json:"vendor_id"`  // four hexadecimal digits in lower case
	NUMANode  *int64 `json:"numa_node"`
	Tags      tags   `json:"tags"` // dev_type, and what the device spec says
	Count     int64  `json:"count"`
}

// tags are those of a pool; null is nil.
type tags map[string]*string

// MarshalJSON implements json.Marshaler: tags are never null themselves.
func (t tags) MarshalJSON() ([]byte, error) {
	if t == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]*string(t))
}

// ReadPools reads the pools of a compute node from any form that the pci_stats column ever
// held: the envelope of a PciDevicePoolList of any version, a list of dicts, or one dict.
// What cannot be read gives none. It also reports whether that is the envelope.
//
// A newer release's envelope, of the list or of a pool in it, is an error that matches
// versioned.ErrNewer: it holds data, and a caller who took it for empty would overwrite it.
//
// Source: nova/objects/pci_device_pool.py, from_pci_stats.
func ReadPools(stats string) (pools []*PciDevicePool, isObject bool, err error) {
	v, err := parse([]byte(stats))
	if err != nil {
		return nil, false, nil //nolint:nilerr // as upstream: no pools
	}
	p, _ := v.(map[string]any)
	if _, is := p[keyName]; is {
		o, err := read(p, false)
		switch {
		case errors.Is(err, versioned.ErrNewer):
			return nil, true, err
		case err != nil || o.Class != "PciDevicePoolList":
			return nil, false, nil //nolint:nilerr // likewise
		}
		for _, in := range get[[]struct {
			Data *PciDevicePool `json:"nova_object.data"`
		}](o, "objects") {
			pools = append(pools, in.Data)
		}
		return pools, true, nil
	}
	dicts, _ := v.([]any)
	if len(p) > 0 {
		dicts = []any{p}
	}
	for _, dict := range dicts {
		pool, err := poolOf(dict)
		if err != nil {
			return nil, false, nil //nolint:nilerr // likewise
		}
		pools = append(pools, pool)
	}
	return pools, false, nil
}

// poolOf reads a pool from the flat form that came before the object: vendor_id,
// product_id, count and numa_node, which may be missing, are fields, and every other key
// is a tag.
func poolOf(v any) (*PciDevicePool, error) {
	dict, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: a dict is required, not a %T", versioned.ErrMalformed, v)
	}
	tags, data := map[string]any{}, map[string]any{}
	for key, value := range dict {
		switch key {
		case "vendor_id", "product_id", "numa_node":
			data[key] = value
		case "count":
			if text, ok := value.(string); ok {
				value = json.Number(text)
			}
			data[key] = value
		default:
			if tags[key], ok = tagOf(value); !ok {
				return nil, &ValueError{"PciDevicePool", "tags", fmt.Errorf("the tag %s is a %T", key, value)}
			}
		}
	}
	data["tags"] = tags
	values, err := classes()["PciDevicePool"].values(data, false)
	if err != nil {
		return nil, err
	}
	pool, err := into[*PciDevicePool](values)
	return pool, cmp.Or(err, needs(&Object{Class: "PciDevicePool", Data: values}, "vendor_id", "product_id", "count"))
}

// Flat is the inverse of poolOf: tags are added to the fields. A tag with the name of a field
// is left out.
func (p *PciDevicePool) Flat() map[string]any {
	flat := map[string]any{}
	for tag, value := range p.Tags {
		flat[tag] = nil
		if value != nil {
			flat[tag] = *value
		}
	}
	flat["product_id"], flat["vendor_id"], flat["count"], flat["numa_node"] = p.ProductID, p.VendorID, p.Count, nil
	if p.NUMANode != nil {
		flat["numa_node"] = *p.NUMANode
	}
	return flat
}

// tagOf returns the text of a tag, as Python prints it; null stays.
func tagOf(v any) (any, bool) {
	switch v := v.(type) {
	case nil, string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		if v {
			return "True", true
		}
		return "False", true
	default:
		return nil, false
	}
}

// poolsWithNUMA is the first version of a ComputeNode whose pools have a NUMA node.
const poolsWithNUMA = 11

// PoolsColumn returns pools as the pci_stats column of a compute node written in the given
// version holds them.
func PoolsColumn(pools []*PciDevicePool, node versioned.Version) (string, error) {
	return poolsColumn(listOf(pools), node)
}

func poolsColumn(list *Object, node versioned.Version) (string, error) {
	if node.Major == 1 && node.Minor < poolsWithNUMA {
		return Encode(nil, list, &versioned.Version{Major: 1})
	}
	return Encode(nil, list, nil)
}

// listOf returns pools as one object.
func listOf(pools []*PciDevicePool) *Object {
	all := make([]map[string]any, len(pools))
	for i, p := range pools {
		all[i] = (&Object{"PciDevicePool", classes()["PciDevicePool"].version, nil}).envelope()
		all[i][keyData] = p
	}
	return New("PciDevicePoolList", Fields{"objects": all})
}

// CountPools counts the available devices: one pool for each combination of product_id,
// vendor_id, numa_node, dev_type and tags, sorted by them. The error matches
// versioned.ErrMalformed for a tag that is a field of a pool.
//
// Source: nova/pci/stats.py, PciDeviceStats.
func CountPools(devices iter.Seq[*nova.PciDevice]) ([]*PciDevicePool, error) {
	pools := map[string]*PciDevicePool{}
	for d := range devices {
		if d.Status != nova.DeviceAvailable {
			continue
		}
		tags := map[string]*string{}
		for tag, value := range d.Tags {
			if slices.Contains([]string{"product_id", "vendor_id", "numa_node", "count", "tags"}, tag) {
				return nil, &ValueError{"PciDevicePool", "tags", fmt.Errorf("the tag %s is a field", tag)}
			}
			tags[tag] = &value
		}
		tags["dev_type"] = &d.DevType
		numa := "-" // null sorts first
		if d.NUMANode != nil {
			numa = fmt.Sprintf("%020d", *d.NUMANode)
		}
		parts := []string{d.ProductID, d.VendorID, numa}
		for _, tag := range slices.Sorted(maps.Keys(tags)) {
			parts = append(parts, tag, *tags[tag])
		}
		key := strings.Join(parts, "\x00")
		if pools[key] == nil {
			pools[key] = &PciDevicePool{ProductID: d.ProductID, VendorID: d.VendorID, NUMANode: d.NUMANode, Tags: tags}
		}
		pools[key].Count++
	}
	var out []*PciDevicePool
	for _, key := range slices.Sorted(maps.Keys(pools)) {
		out = append(out, pools[key])
	}
	return out, nil
}

// checkPools refuses pools of PCI devices that no compute node can have, with the path
// of the wrong field. Stored rows are not checked.
//
// Source: nova/objects/pci_device_pool.py; nova/virt/libvirt/host.py, _get_pcidev_info.
func checkPools(list *Object) error {
	pools, _ := list.Data["objects"].([]any)
	for i, p := range pools {
		pool := inner(&Object{Data: Fields{"": p}}, "")
		path := fmt.Sprintf("ComputeNode.pci_device_pools.objects[%d].", i)
		for _, field := range []string{"product_id", "vendor_id"} {
			if id := get[string](pool, field); len(id) != 4 || strings.Trim(id, "0123456789abcdef") != "" {
				return &placement.InvalidError{Field: path + field, Value: id, Why: "must be four lower-case hexadecimal digits"}
			}
		}
		if pool.Data["count"] == nil {
			return &placement.InvalidError{Field: path + "count", Why: "is required, but not set"}
		}
		if n := get[int64](pool, "count"); n < 0 || n > placement.MaxInt {
			return &placement.InvalidError{Field: path + "count", Value: fmt.Sprint(n), Why: fmt.Sprintf("must be from 0 to %d", placement.MaxInt)}
		}
	}
	return nil
}
