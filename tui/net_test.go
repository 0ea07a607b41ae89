package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/tui/terminal"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestNet(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, nil)
		for trip, want := range map[time.Duration]string{
			302 * time.Millisecond:  "i 46 141 bytes in 41 frames, the last 234; round trip 302 ms",
			1500 * time.Microsecond: "round trip 1.5 ms",
			0:                       "round trip not known",
		} {
			r.Send(terminal.Stats{Frames: 41, Bytes: 46141, Last: 234, Trip: trip})
			if !strings.Contains(r.Text(), want) {
				t.Errorf("%s: no %q in\n%s", trip, want, r.Text())
			}
		}
	})
}
