package ops_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// A guest cannot be started on a card which its nova-compute does not have: a move is
// undone, and the instance has everything that it had.
func TestWrongCardTurnsRound(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		start  func(*testing.T) *trip
		course func(nova.AskOptions) ops.Task
	}{
		"resize": {func(t *testing.T) *trip { t.Helper(); return newMove(t, "nova") }, func(o nova.AskOptions) ops.Task {
			m := move("nova.big")
			m.Ask = o
			return m
		}},
	} {
		tr := tt.start(t)
		fill(tr.world, "n2")
		before := holds(tr.Snapshot(), vm("i"))
		err := tr.advance(t.Context(), tt.course(nova.AskOptions{Gate: nova.GateHeldClosed}))
		var none *ops.UnavailableError
		if !errors.As(err, &none) || none.Host != "compute2" || none.Provider != "y2" {
			t.Errorf("%s: %v", name, err)
		}
		s := tr.Snapshot()
		if d := cmp.Diff(before, holds(s, vm("i"))); d != "" {
			t.Errorf("%s: the instance holds (-before +after):\n%s", name, d)
		}
		if i := tr.instance(); i.Host != "compute1" || i.VMState != nova.Active || i.TaskState != "" {
			t.Errorf("%s: the instance is %s %q on %s", name, i.VMState, i.TaskState, i.Host)
		}
		forgetOthers(tr.world)
		checkInvariants(t, tr.Snapshot())
	}
}
