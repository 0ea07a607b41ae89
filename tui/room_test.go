package tui_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestToldIsSeen shows what must be seen, that the server is stopping and that a user
// asks to follow, at each size and whatever is on screen.
func TestToldIsSeen(t *testing.T) {
	t.Parallel()
	at := map[string]func(t *testing.T, r *rig, room *tui.Room){
		"list":   func(*testing.T, *rig, *tui.Room) {},
		"prompt": func(_ *testing.T, r *rig, _ *tui.Room) { r.Type(":prov") },
		"help":   func(_ *testing.T, r *rig, _ *tui.Room) { r.Press("?") },
		"form": func(_ *testing.T, r *rig, _ *tui.Room) {
			r.Press("2")
			r.screens["providers"].typing = true
		},
		"following": func(t *testing.T, r *rig, room *tui.Room) {
			rob := room.Enter("rob")
			other := open(t, 80, 24, func(cfg *tui.Config) { cfg.Member = rob })
			r.Type(":follow rob")
			r.Press("enter")
			other.Settle()
			other.Type(":let ann")
			other.Press("enter")
			r.Advance(time.Minute)
			r.wants(t, "following rob")
		},
	}
	for name, lead := range at {
		for _, size := range [][2]int{{160, 48}, {80, 24}, {40, 8}, {30, 5}, {30, 1}} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				tuitest.Run(t, func(t *testing.T) {
					var room tui.Room
					ann, eve := room.Enter("ann"), room.Enter("eve")
					r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Member = ann })
					lead(t, r, &room)
					r.Resize(size[0], size[1])
					if name == "prompt" && size[0] >= 40 {
						defer r.wants(t, ":prov")
					}
					ann.Tell("the server stops in 3s")
					r.Settle()
					r.wants(t, "the server stops in 3s")
					if name == "following" {
						return // no one can ask to follow a follower
					}
					other := open(t, 80, 24, func(cfg *tui.Config) { cfg.Member = eve })
					other.Type(":follow ann")
					other.Press("enter")
					r.Settle()
					r.wants(t, "eve asks to follow you")
				})
			})
		}
	}
}
