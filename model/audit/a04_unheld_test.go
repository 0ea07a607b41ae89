package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
)

func TestA04(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a04 an instance that holds nothing", func(w *world) { w.Node("h").Flavors().Running("small") },
			[]string{"a04 i"},
			nil,
		},
		{
			"a04 not one that builds, is offloaded, or is on the move", func(w *world) {
				w.Node("h").Record(
					&nova.Instance{UUID: vm("i"), Name: "i", Host: "h", VMState: nova.Active},
					&nova.Instance{UUID: vm("j"), Name: "j", Host: "h", VMState: nova.Building},
					&nova.Instance{UUID: vm("k"), Name: "k", VMState: nova.ShelvedOffloaded},
				).Migration(nova.PreMigrating).Claim("m", migration, on("h"))
			},
			nil, nil,
		},
	})
}
