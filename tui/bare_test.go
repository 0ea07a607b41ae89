package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestLinesAboveAreHidden hides the lines above a screen, except when they say that it
// does not show the present.
func TestLinesAboveAreHidden(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		m := &screen.Memory{}
		r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Env.Memory = m })
		first := func() string { return r.Lines()[0] }
		r.Press("ctrl+g", "ctrl+e")
		r.CheckFrame()
		if text := first(); strings.Contains(text, "placetop") || strings.Contains(text, "status of") || !m.Bare.Header || !m.Bare.Crumbs {
			t.Errorf("the first line is %q, and kept is %+v", text, m.Bare)
		}
		r.wants(t, "^e shows it again")
		r.Press("p")
		if text := first(); !strings.Contains(text, "paused") {
			t.Errorf("it is paused, and the first line is %q", text)
		}
		r.Press("p", "ctrl+e", "ctrl+g")
		r.Advance(time.Minute)
		r.CheckFrame()
		r.wants(t, "placetop", "status of")
	})
}
