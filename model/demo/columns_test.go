package demo_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// The old columns of a demo cloud are counted, whether its hosts were made one by one or
// in bulk: a tick would write the same.
func TestOldColumnsAreCounted(t *testing.T) {
	t.Parallel()
	for _, o := range []demo.Options{{}, large()} {
		s := made(t, o)
		w := tracker.World{Placement: s.Placement(), Nova: s.Nova()}
		var vms, given, pci int64
		for row := range s.Nova().ComputeNodes() {
			if ops := w.Count(row.Host, now); len(ops) > 0 {
				t.Errorf("%+v: a tick writes columns of %s: %v", o, row.Host, ops)
			}
			vms += row.RunningVMs
			for d := range s.Nova().PciDevicesOf(row.UUID) {
				if pci++; !d.Instance.IsZero() {
					given++
				}
			}
		}
		live := int64(0)
		for i := range s.Nova().Instances() {
			if i.Live() && i.Host != "" {
				live++
			}
		}
		if vms != live || given == 0 || given == pci {
			t.Errorf("%+v: %d running of %d instances, %d of %d devices given out", o, vms, live, given, pci)
		}
	}
}

// One host passes devices through the old way: they are one class of the compute node, of
// which an instance with a device holds one unit.
func TestPCIDevicesAreCounted(t *testing.T) {
	t.Parallel()
	s := made(t, demo.Options{})
	root, _ := s.Placement().ProviderByName("cmp-006")
	class, _ := s.Placement().ClassID(placement.PCIDevice)
	if inv, ok := root.Inventory(class); !ok || inv.Total != 2 || inv.Used != 1 {
		t.Errorf("PCI_DEVICE of %s: %+v", root.Name(), inv)
	}
}

// All running services are up, even days later.
func TestServicesAreUp(t *testing.T) {
	t.Parallel()
	for _, o := range []demo.Options{{}, large()} {
		s := made(t, o)
		up := 0
		for svc := range s.Nova().Services() {
			if svc.Binary != nova.Compute || svc.ForcedDown {
				continue
			}
			if up++; now.Sub(svc.SeenAt()) > time.Minute || !svc.Up(now.Add(30*24*time.Hour)) {
				t.Errorf("%+v: %s was seen at %s", o, svc.Host, svc.SeenAt())
			}
		}
		if hosts := s.Placement().RootSet().Len() - 2; up != hosts {
			t.Errorf("%d of %d services are up", up, hosts)
		}
	}
}
