package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestD04(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"d04 a request that could not be unbound", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding()).
					Migration(nova.Error).Claim("m", migration, map[string]resources{"c": {placement.VGPU: 1}}).Stuck("m")
			},
			[]string{"d04 c"},
			[]string{"freed?"},
		},
		{
			"d04 an instance that is no more, of which nothing is left but a device that does not let go", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Deleted).Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}}).Stuck("i")
			},
			[]string{"d04 c"},
			[]string{"freed?"},
		},
	})
}
