package instances_test

import (
	"testing"

	"github.com/placetop/placetop/tui/part/formtest"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestTerminatesWhatIsMarked ends three instances by one page: the word that must be typed,
// the steps of all, and all of them gone.
func TestTerminatesWhatIsMarked(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		s := fleet(t)
		var page screen.Screen
		r := formtest.Open(t, s, 100, 30, func(env screen.Env) screen.Screen { return instances.New(env, s.Snapshot(), "infer") })
		r.Host.Pushed = func(pushed screen.Screen) { page = pushed }
		r.Press(" ", " ", "D")
		if page == nil {
			t.Fatalf("D asks for %v with %v", r.Host.Gone, r.Host.Toasts)
		}
		r = formtest.Open(t, s, 100, 30, func(screen.Env) screen.Screen { return page })
		r.Wants("infer-1", "infer-2")
		r.Press("enter")
		r.Wants("type terminate to terminate it")
		r.Type("terminate")
		r.Press("enter")
		for _, name := range []string{"infer-1", "infer-2"} {
			if i := of(t, s, name); i.Live() {
				t.Errorf("%s is %s, %s", name, i.VMState, i.TaskState)
			}
		}
	})
}
