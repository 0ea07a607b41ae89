package objects

import (
	"encoding/json"
	"errors"
	"maps"
	"sync"

	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

// PciDevicePool counts free PCI devices of a compute node that are alike.
//
// Source: nova/objects/pci_device_pool.py.
type PciDevicePool struct {
	object.Header
	ProductID object.Field[string]             `field:"product_id"` // four hexadecimal digits in lower case
	VendorID  object.Field[string]             `field:"vendor_id"`  // four hexadecimal digits in lower case
	NUMANode  object.Field[int64]              `field:"numa_node,null"`
	Tags      object.Field[map[string]*string] `field:"tags"` // dev_type, and what the device spec says
	Count     object.Field[int64]              `field:"count"`
}

// NewPciDevicePool returns a PciDevicePool with nothing set.
func NewPciDevicePool() *PciDevicePool { return object.Make[PciDevicePool]() }

// PciDevicePoolList is a list of pools.
type PciDevicePoolList struct {
	object.Sequence[*PciDevicePool]
}

// NewPciDevicePoolList returns an empty list.
func NewPciDevicePoolList() *PciDevicePoolList {
	return object.MakeList[PciDevicePoolList]()
}

// PciDevicePoolFromDict reads a pool from the flat form that came before the object:
// vendor_id, product_id, count and numa_node, which may be missing, are fields, and
// every other key is a tag. The error is object.ValueError for a dict that lacks a
// field or has a value that its field cannot hold.
//
// The tags are built and coerced before they are assigned, in one go, so that every
// value is coerced and the field counts as changed.
func PciDevicePoolFromDict(dict map[string]any) (*PciDevicePool, error) {
	p := NewPciDevicePool()
	tags := maps.Clone(dict)
	for _, field := range []string{"vendor_id", "product_id", "numa_node", "count"} {
		value, ok := dict[field]
		if !ok && field != "numa_node" {
			return nil, &object.ValueError{Object: "PciDevicePool", Field: field, Why: errors.New("the dict lacks it")}
		}
		if err := p.Set(field, value); err != nil {
			return nil, err
		}
		delete(tags, field)
	}
	if err := p.Tags.SetAny(tags); err != nil {
		return nil, err
	}
	return p, nil
}

// ToDict is the inverse of PciDevicePoolFromDict: tags are added to the fields that are
// set. A tag with the name of a field is left out.
func (p *PciDevicePool) ToDict() map[string]any {
	dict := map[string]any{}
	for tag, value := range p.Tags.Get() {
		dict[tag] = nil
		if value != nil {
			dict[tag] = *value
		}
	}
	for field, value := range map[string]any{
		"product_id": p.ProductID.Get(), "vendor_id": p.VendorID.Get(), "numa_node": p.NUMANode.Get(), "count": p.Count.Get(),
	} {
		if p.IsSet(field) {
			dict[field] = value
		}
	}
	if p.NUMANode.IsNull() {
		dict["numa_node"] = nil
	}
	return dict
}

// FromPCIStats reads the pools of a compute node from any form that the pci_stats
// column ever held: the envelope of a PciDevicePoolList of any version, a list of
// dicts, or one dict; as a value or as its JSON text. Null, and what cannot be read,
// give an empty list.
//
// A newer release's envelope, of the list or of a pool in it, is an
// *object.IncompatibleObjectVersionError: it holds data, and a caller who took it for
// empty would overwrite it.
//
// Source: nova/objects/pci_device_pool.py, from_pci_stats.
func FromPCIStats(stats any) (*PciDevicePoolList, error) {
	list, err := readStats(stats)
	if err == nil || errors.Is(err, versioned.ErrNewer) {
		return list, err
	}
	return NewPciDevicePoolList(), nil // as upstream does
}

func readStats(stats any) (*PciDevicePoolList, error) {
	switch text := stats.(type) {
	case string:
		return readStatsText([]byte(text))
	case []byte:
		return readStatsText(text)
	}
	registry := pciPoolRegistry()
	if registry.IsEnvelope(stats) {
		o, err := registry.Decode(stats)
		if err != nil {
			return nil, err
		}
		if list, ok := o.(*PciDevicePoolList); ok {
			return list, nil
		}
		return nil, errors.New("the envelope is of one pool")
	}
	var dicts []any
	switch stats := stats.(type) {
	case []any:
		dicts = stats
	case []map[string]any:
		for _, dict := range stats {
			dicts = append(dicts, dict)
		}
	case map[string]any:
		if len(stats) > 0 {
			dicts = []any{stats}
		}
	}
	var pools []*PciDevicePool
	for _, d := range dicts {
		dict, ok := d.(map[string]any)
		if !ok {
			return nil, errors.New("an element is not a dict")
		}
		pool, err := PciDevicePoolFromDict(dict)
		if err != nil {
			return nil, err
		}
		pools = append(pools, pool)
	}
	list := NewPciDevicePoolList()
	return list, list.Objects.Set(pools)
}

func readStatsText(text []byte) (*PciDevicePoolList, error) {
	stats, err := object.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	if _, again := stats.(string); again {
		return nil, errors.New("text within text")
	}
	return readStats(stats)
}

// PCIStats returns the pools as the pci_stats column of a compute node holds them: in
// the version that goes with that of the ComputeNode.
func (l *PciDevicePoolList) PCIStats(node *ComputeNode) (string, error) {
	registry := pciPoolRegistry()
	knows := registry.Manifest("PciDevicePoolList")
	if v := node.ObjectVersion(); v.Major == 1 && v.Minor < numaInPools {
		knows = object.Manifest{"PciDevicePoolList": "1.0", "PciDevicePool": "1.0"}
	}
	p, err := registry.EncodeUpTo(l, knows)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// numaInPools is the minor version from which a ComputeNode has pools with a NUMA
// node.
const numaInPools = 11

// pciPoolRegistry knows only pools, which need no Source.
//
//nolint:gochecknoglobals // a table that nothing writes
var pciPoolRegistry = sync.OnceValue(func() *object.Registry { return object.NewRegistry(Prefix, pciDevicePoolClasses()...) })

//nolint:gochecknoglobals // tables that nothing writes
var (
	pciDevicePoolHistory = []object.Note{
		first(),
		adds("numa_node"),
	}
	pciDevicePoolListHistory = []object.Note{
		pins("PciDevicePool", "1.0"),
		pins("PciDevicePool", "1.1"),
	}
)

func pciDevicePoolClasses() []object.Class {
	return []object.Class{
		class(NewPciDevicePool, "PciDevicePool", 1, pciDevicePoolHistory...),
		list[*PciDevicePoolList](1, pciDevicePoolListHistory...),
	}
}
