package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

func TestA06(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a06 leaked migration", func(w *world) {
				w.Node("h").Instance("i", nova.Active).Migration(nova.Confirmed).Claim("m", migration, on("h"))
			},
			[]string{"a06 " + vm("m").String()},
			[]string{"release"},
		},
		{
			"a06 a failed migration, of whose host nobody knows whether it is cleaned", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Migration(nova.Error).Claim("m", migration, modeltest.Holding("c")).Stuck("m")
			},
			[]string{"a06 " + vm("m").String(), "d04 c"},
			[]string{"release?"},
		},
		{
			"a06 a leaked migration, with the request that was kept for a revert", func(w *world) {
				w.Node("h").Node("k").Card(1, 1).Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "k", VMState: nova.Active}).Claim("i", instance, on("k")).
					Migration(nova.Confirmed).Claim("m", migration, modeltest.Holding("c"))
			},
			[]string{"a06 " + vm("m").String()},
			[]string{"release"},
		},
	})
	testFinds(t, []findCase{
		{"a06 a confirmed migration", func(w *world) {
			w.Node("h").Node("k").Instance("i", nova.Active).Migration(nova.Confirmed).
				Claim("i", instance, on("h")).Claim("m", migration, on("k"))
		}, []string{"a06 " + vm("m").String()}},
		{"a06 an untyped consumer of a reverted migration", func(w *world) {
			w.Node("h").Instance("i", nova.Active).Migration(nova.Reverted).
				Claim("i", instance, on("h")).Claim("m", "", on("h"))
		}, []string{"a06 " + vm("m").String()}},
		{"a06 a migration that Nova does not know", func(w *world) {
			w.Node("h").Instance("i", nova.Active).Claim("i", instance, on("h")).Claim("m", migration, on("h"))
		}, []string{"a06 " + vm("m").String()}},
		{"a06 not one that waits for confirmation", func(w *world) {
			w.Node("h").Node("k").Instance("i", nova.Resized).Migration(nova.Finished).
				Claim("i", instance, on("h")).Claim("m", migration, on("k"))
		}, nil},
		// Nova tells a revert as over before its source has the instance back.
		{"a06 not one whose instance is not back", func(w *world) {
			w.Node("h").Node("k").Instance("i", nova.Resized).Migration(nova.Reverted).
				Claim("i", instance, on("h")).Claim("m", migration, on("k"))
			i, _ := w.Snapshot.Nova().Instance(vm("i"))
			w.Record(i.Edit(func(i *nova.Instance) { i.TaskState = nova.ResizeReverting }))
		}, nil},
		{"a06 not an untyped one under way", func(w *world) {
			w.Node("h").Instance("i", nova.Active).Migration(nova.Migrating).Claim("m", "", on("h"))
		}, nil},
		// Its uuid holds the source before Nova has changed its status.
		{"a06 not one that is accepted", func(w *world) {
			w.Node("h").Node("k").Instance("i", nova.Active).Migration(nova.Accepted).Claim("i", instance, on("k")).Claim("m", "", on("h"))
		}, nil},
	})
}
