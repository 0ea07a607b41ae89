package objects

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/versioned/object"
)

// PoolTags returns the tags that the device specs of a compute node give a
// device, such as physical_network.
type PoolTags func(*PciDevice) map[string]string

// Pools counts the available devices of the list: one pool for each combination
// of product_id, vendor_id, numa_node, dev_type and tags, sorted by them. tags
// may be nil. The error is object.ValueError for a tag that is a field of a pool.
//
// Source: nova/pci/stats.py, PciDeviceStats.
func (l *PciDeviceList) Pools(tags PoolTags) (*PciDevicePoolList, error) {
	pools := map[string]*PciDevicePool{}
	for _, d := range l.All() {
		if d.Status.Get() != DeviceAvailable {
			continue
		}
		key, all := poolKey(d, tags)
		pool, ok := pools[key]
		if !ok {
			var err error
			if pool, err = newPool(d, all); err != nil {
				return nil, err
			}
			pools[key] = pool
		}
		if err := pool.Count.Set(pool.Count.Get() + 1); err != nil {
			return nil, err
		}
	}
	all := make([]*PciDevicePool, 0, len(pools))
	for _, key := range slices.Sorted(maps.Keys(pools)) {
		all = append(all, pools[key])
	}
	list := NewPciDevicePoolList()
	return list, list.Objects.Set(all)
}

// poolKey returns the tags of the pool that counts d, and a key that sorts pools by
// product, vendor, NUMA node and tags.
func poolKey(d *PciDevice, tags PoolTags) (string, map[string]string) {
	all := map[string]string{}
	if tags != nil {
		maps.Copy(all, tags(d))
	}
	all["dev_type"] = string(d.DevType.Get())
	numa := "-" // null sorts first
	if n, ok := d.NUMANode.Lookup(); ok {
		numa = fmt.Sprintf("%020d", n)
	}
	parts := []string{d.ProductID.Get(), d.VendorID.Get(), numa}
	for _, tag := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, tag, all[tag])
	}
	return strings.Join(parts, "\x00"), all
}

// newPool returns the pool of d, with a count of zero.
func newPool(d *PciDevice, tags map[string]string) (*PciDevicePool, error) {
	p := NewPciDevicePool()
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		if slices.Contains(p.Fields(), tag) {
			return nil, &object.ValueError{Object: "PciDevicePool", Field: "tags", Why: fmt.Errorf("the tag %s is a field", tag)}
		}
	}
	numa := p.NUMANode.SetNull()
	if n, ok := d.NUMANode.Lookup(); ok {
		numa = p.NUMANode.Set(n)
	}
	return p, errors.Join(p.ProductID.Set(d.ProductID.Get()), p.VendorID.Set(d.VendorID.Get()), numa,
		p.Tags.SetAny(tags), p.Count.Set(0))
}
