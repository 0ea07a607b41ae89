package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

func TestA10(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a10 a claim on another host", func(w *world) {
				w.Node("h").Node("k").Computes().Flavors().Running("small").Claim("i", instance, map[string]resources{"k": modeltest.Holding()["h"]})
			},
			[]string{"a10 i"},
			[]string{"heal"},
		},
		{
			"a10 of an unknown flavor", func(w *world) {
				w.Node("h").Node("k").Computes().Running("gone").Claim("i", instance, on("k"))
			},
			[]string{"a10 i"},
			nil,
		},
		{
			"a10 on a host of which there is no compute node", func(w *world) {
				w.Node("h").Node("k").Computes().Flavors().Running("small").Claim("i", instance, modeltest.Holding()).
					EditInstance(func(i *nova.Instance) { i.Host = "elsewhere" })
			},
			[]string{"a10 i"},
			nil,
		},
		{
			"a10 not while it moves, nor where no compute node is known", func(w *world) {
				w.Node("h").Node("k").Running("").Claim("i", instance, on("k")).Migration(nova.Migrating).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", Host: "elsewhere", VMState: nova.Active}).Claim("j", instance, on("k"))
			},
			nil, nil,
		},
	})
}
