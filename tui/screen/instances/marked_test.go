package instances_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestTerminatesWhatIsMarked ends three instances from one page: the word that must be
// typed, the steps of all, and all of them gone.
func TestTerminatesWhatIsMarked(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen { return instances.New(env, s.Snapshot(), "infer") })
		r = r.Opens(" ", " ", "D")
		r.Wants("infer-1", "infer-2")
		r.Press("enter")
		r.Wants("type terminate to go ahead")
		r.Type("terminate")
		r.Press("enter")
		for _, name := range []string{"infer-1", "infer-2"} {
			if i := of(t, s, name); i.Live() {
				t.Errorf("%s is %s, %s", name, i.VMState, i.TaskState)
			}
		}
	})
}

// TestMovesWhatIsMarked migrates two instances from one page, or resizes them to the
// chosen flavor; both then wait for confirmation.
func TestMovesWhatIsMarked(t *testing.T) {
	t.Parallel()
	for key, verb := range map[string]string{"m": "migrate", "r": "resize"} {
		tuitest.Run(t, func(t *testing.T) {
			s := tuitest.Demo(t, 12)
			r := tuitest.Live(t, s, 100, 40, func(env screen.Env) screen.Screen { return instances.New(env, s.Snapshot(), "build-cache-[45]") })
			r = r.Opens(" ", " ", key)
			if verb == "resize" {
				r.Wants("cpu.medium")
				r = r.Opens("j", "enter")
				r.Wants("cpu.medium")
			}
			r.Press("enter")
			r.Wants("type " + verb + " to go ahead")
			r.Type(verb)
			r.Press("enter")
			n := 0
			for i := range s.Snapshot().Nova().Instances() {
				if strings.HasPrefix(i.Name, "build-cache-") && i.VMState == nova.Resized {
					n++
				}
			}
			if n != 2 {
				t.Errorf("%d of 2 wait to be confirmed:\n%s", n, r.Text())
			}
		})
	}
}
