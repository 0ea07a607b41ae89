package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
)

func TestA08(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a08 resized, and the migration holds nothing", func(w *world) {
				w.Node("h").Instance("i", nova.Resized).Migration(nova.Finished).Claim("i", instance, on("h"))
			},
			[]string{"a08 i"},
			nil,
		},
		{
			"a08 resized, and the instance holds nothing", func(w *world) {
				w.Node("h").Instance("i", nova.Resized).Migration(nova.Finished).Claim("m", migration, on("h"))
			},
			[]string{"a08 i"},
			nil,
		},
		{
			"a08 resized without a migration", func(w *world) {
				w.Node("h").Instance("i", nova.Resized).Claim("i", instance, on("h"))
			},
			[]string{"a08 i"},
			nil,
		},
		{
			"a08 a finished migration of an instance that is not resized", func(w *world) {
				w.Node("h").Instance("i", nova.Active).Migration(nova.Finished).Claim("i", instance, on("h")).Claim("m", migration, on("h"))
			},
			[]string{"a08 i"},
			nil,
		},
	})
}
