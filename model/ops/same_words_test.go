package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// If several things are wrong, errors always name the same one, whichever entry of a map
// comes first.
func TestErrorsAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	s := modeltest.NewWorld(t).Provider("cmp", "", nil).Snapshot
	host, ok := s.Placement().ProviderByName("cmp")
	if !ok {
		t.Fatal("there is no provider")
	}
	wrong := map[string]func() error{
		"a claim without providers": func() error {
			w := ops.Wish{Consumer: modeltest.ConsumerID("new"), Resources: modeltest.Resources{placement.VCPU: 1, placement.MemoryMB: 1, placement.DiskGB: 1}}
			_, err := ops.PlanClaim(s, w, ops.Option{Offer: candidates.Offer{Anchor: host}})
			return err
		},
		"allocations of nothing": func() error {
			r := &placement.ConsumerRecord{UUID: modeltest.ConsumerID("new"), Allocations: placement.Amounts{
				modeltest.ProviderID("a"): nil, modeltest.ProviderID("b"): nil, modeltest.ProviderID("c"): nil,
			}}
			_, _, err := s.Apply(cloud.PutRecords("", "", []versioned.Change{{After: r}}))
			return err
		},
		"columns of a compute node": (&nova.ComputeNode{
			UUID: modeltest.ProviderID("h"), Host: "h", Hostname: "h", VCPUs: -1, MemoryMB: -1, LocalGB: -1, ReservedCPUs: -1,
		}).Validate,
		"pre-filters": (&nova.Config{Off: []string{"none"}, On: []string{"none"}}).Validate,
		"tags of a device": func() error {
			_, err := pci.ParseDeviceSpecs([]string{`{"address": "0000:81:00.0", "a": [], "b": [], "c": []}`}, false)
			return err
		},
		"parts of an address": func() error {
			_, err := pci.ParseDeviceSpecs([]string{`{"address": {"a": "", "b": "", "c": ""}}`}, false)
			return err
		},
	}
	for name, do := range wrong {
		first := do()
		if first == nil {
			t.Errorf("%s: nothing is wrong with it", name)
			continue
		}
		for range 100 {
			if err := do(); err.Error() != first.Error() {
				t.Errorf("%s: %q once, and %q another time", name, first, err)
				break
			}
		}
	}
}
