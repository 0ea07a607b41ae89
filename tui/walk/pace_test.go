package walk_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestPace makes a made-up cloud change by itself, waits while the user types or
// presents, and stops when told to.
func TestPace(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, memory.Options{}, style.Block())
		moves := func(why string, want bool) {
			t.Helper()
			before := r.store.Snapshot()
			r.Advance(20 * time.Second)
			if moved := r.store.Snapshot() != before; moved != want {
				t.Errorf("%s: moves is %v, want %v", why, moved, want)
			}
		}
		moves("before anybody says so", false)
		r.command("demo pace 2s")
		r.wants(t, "something happens every 2s", "pace 2s")
		moves("at its pace", true)
		r.Press(":")
		r.Advance(2 * time.Second) // what is under way ends
		moves("while a command is typed", false)
		r.Press("esc")
		moves("afterwards", true)
		r.command("demo transition")
		r.Advance(2 * time.Second)
		moves("while it is presented", false)
		r.command("demo stop")
		r.Press("p")
		moves("while the screen is paused", true)
		r.Press("p")
		r.command("demo slow")
		r.wants(t, "pace 15s")
		r.command("demo fast")
		r.wants(t, "pace 1s")
		moves("when it is told to move fast", true)
		r.command("demo stop") // nothing is presented
		r.wants(t, "the cloud is stopped", "still")
		moves("when it is told to stand still", false)
	})
}

// TestPaceEnds leaves nothing half done: neither when the dashboard is quit, nor when the
// cloud is told to stop, nor while the user types.
func TestPaceEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*rig){
		"left":  func(r *rig) { r.app.Close() },
		"still": func(r *rig) { r.command("demo pace stop") },
		"typed": func(r *rig) {
			r.Press(":")
			r.Advance(time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := open(t, 100, 24, memory.Options{}, style.Block())
				r.command("demo pace 1s")
				halfway := func(s *cloud.Snapshot) bool {
					for i := range s.Nova().Instances() {
						if i.Live() && i.TaskState != "" && i.VMState == nova.Building {
							return true
						}
					}
					return false
				}
				for !halfway(r.store.Snapshot()) {
					r.Advance(time.Second)
				}
				end(r)
				if halfway(r.store.Snapshot()) {
					t.Error("a boot is left halfway")
				}
			})
		})
	}
}

func TestPaceIsRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options memory.Options
		command string
		want    string
	}{
		"too fast":  {memory.Options{}, "demo pace 1ms", `"1ms" is not a pace`},
		"nothing":   {memory.Options{}, "demo stop", "no demonstration is running"},
		"no time":   {memory.Options{}, "demo pace", `"" is not a pace`},
		"read-only": {memory.Options{Can: cloud.Capabilities{ReadOnly: "for readers"}}, "demo pace 4s", "nothing can be written: for readers"},
		"another":   {memory.Options{Start: cloud.Empty()}, "demo pace 4s", "only a made-up cloud moves"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := open(t, 100, 24, tt.options, style.Block())
				r.command(tt.command)
				r.wants(t, tt.want)
				r.Advance(time.Minute)
			})
		})
	}
}
