package candidates_test

import (
	"encoding/json"
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestAnswersPrintThemselves checks the JSON of types that are printed directly.
func TestAnswersPrintThemselves(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`{"rule":"capacity","group":"1","resource_class":"VGPU","amount":2}`: candidates.Condition{
			Criterion: candidates.CriterionCapacity, Group: "1", Class: placement.VGPU, Amount: 2, Anchor: "cmp-1", Origin: "flavor",
		},
		`{"rule":"required_trait","group":"","traits":["HW_A","HW_B"]}`: candidates.Condition{Criterion: candidates.CriterionRequiredTrait, Traits: []placement.Trait{"HW_A", "HW_B"}},
	} {
		doc := must.Get(json.Marshal(v))(t)
		if string(doc) != want {
			t.Errorf("got  %s\nwant %s", doc, want)
		}
	}
}
