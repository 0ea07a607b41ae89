package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestA01(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a01 orphan", func(w *world) { w.Node("h").Instance("other", nova.Active).Claim("i", instance, on("h")) },
			[]string{"a01 " + vm("i").String()},
			[]string{"release"},
		},
		{
			"a01 an orphan with an accelerator", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Deleted).Claim("i", instance, modeltest.Holding("c"))
			},
			[]string{"a01 i"},
			[]string{"release"},
		},
		{
			"a01 an orphan of whose accelerators one does not let go", func(w *world) {
				w.Node("h").Card(2, 2).Instance("i", nova.Deleted).Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 2}}).Stuck("i")
			},
			[]string{"a01 i", "d04 c"},
			[]string{"release"},
		},
	})
	testFinds(t, []findCase{
		{"a01 an instance that Nova does not know", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", instance, on("h"))
		}, []string{"a01 " + vm("i").String()}},
		{"a01 an untyped consumer that Nova does not know", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", "", on("h"))
		}, []string{"a01 " + vm("i").String()}},
		{"a01 a deleted instance", func(w *world) {
			w.Node("h").Instance("gone", nova.Deleted).Claim("gone", instance, on("h"))
		}, []string{"a01 gone"}},
		{"a01 not without Nova's ledger", func(w *world) {
			w.Node("h").Claim("i", instance, on("h"))
		}, nil},
		{"a01 not another type of consumer", func(w *world) {
			w.Node("h").Instance("other", nova.Active).Claim("i", "VOLUME", on("h"))
		}, nil},
	})
}
