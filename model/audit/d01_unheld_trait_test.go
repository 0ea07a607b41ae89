package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestD01(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"d01 a trait no provider has", func(w *world) {
				w.Node("h").Do(placement.CreateTrait{Name: "CUSTOM_FAST"}).
					Record(&nova.Flavor{Name: "fast", FlavorID: "1", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"trait:CUSTOM_FAST": "required"}})
			},
			[]string{"d01 CUSTOM_FAST"},
			nil,
		},
		{
			"d01 not one that somebody has, is forbidden, or of a deleted flavor", func(w *world) {
				w.Node("h").Provider("k", "", resources{placement.VCPU: 1}, "CUSTOM_FAST").
					Record(&nova.Flavor{Name: "fast", FlavorID: "1", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"trait:CUSTOM_FAST": "required", "trait:CUSTOM_A": "forbidden"}}).
					Record(&nova.Flavor{Name: "old", FlavorID: "2", VCPUs: 1, MemoryMB: 1, Deleted: true, ExtraSpecs: map[string]string{"trait:CUSTOM_B": "required"}})
			},
			nil, nil,
		},
	})
}
