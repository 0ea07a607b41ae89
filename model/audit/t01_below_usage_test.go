package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/placement"
)

func TestT01(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"t01 max_unit below a claim", func(w *world) {
				w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 4}}).
					Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.MaxUnit = 3 }))
			},
			[]string{"t01 h"},
			nil,
		},
		{
			"t01 a step that a claim does not fit", func(w *world) {
				w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 3}}).
					Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.StepSize = 2 }))
			},
			[]string{"t01 h"},
			nil,
		},
		{
			"t01 not several claims that only together are above max_unit", func(w *world) {
				w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 3}}).Claim("j", "", map[string]resources{"h": {placement.VCPU: 3}}).
					Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.MaxUnit = 3 }))
			},
			nil, nil,
		},
	})
}
