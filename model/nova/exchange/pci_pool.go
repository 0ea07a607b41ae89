package exchange

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
)

// possiblePools refuses pools of PCI devices that no compute node can have, with the path
// of the wrong field. Stored rows are not checked.
//
// Source: nova/objects/pci_device_pool.py; nova/virt/libvirt/host.py, _get_pcidev_info.
func possiblePools(pools *objects.PciDevicePoolList) error {
	for i, pool := range pools.All() {
		path := fmt.Sprintf("ComputeNode.pci_device_pools.objects[%d].", i)
		for _, id := range []struct{ field, value string }{{"product_id", pool.ProductID.Get()}, {"vendor_id", pool.VendorID.Get()}} {
			if len(id.value) != 4 || strings.Trim(id.value, "0123456789abcdef") != "" {
				return &placement.InvalidError{Field: path + id.field, Value: id.value, Why: "must be four lower-case hexadecimal digits"}
			}
		}
		if !pool.Count.IsSet() {
			return &placement.InvalidError{Field: path + "count", Why: "is required, but not set"}
		}
		if n := pool.Count.Get(); n < 0 || n > placement.MaxInt {
			return &placement.InvalidError{Field: path + "count", Value: fmt.Sprint(n), Why: fmt.Sprintf("must be from 0 to %d", placement.MaxInt)}
		}
	}
	return nil
}
