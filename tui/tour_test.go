package tui_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestTour(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		m := &screen.Memory{}
		r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Env.Memory, cfg.FirstTime = m, true })
		r.wants(t, "new here? :tour shows the ropes in five steps")
		if lines := strings.Split(r.Text(), "\n"); !strings.Contains(lines[len(lines)-2], "enter open") {
			t.Errorf("the hint takes the line of the keys of the screen:\n%s", r.Text())
		}
		r.Press(":")
		r.Type("tour")
		r.Press("enter")
		r.lacks(t, "new here?")
		for _, want := range []string{"TOUR 1/5 move", "TOUR 2/5 find", "TOUR 3/5 understand", "TOUR 4/5 change", "TOUR 5/5 make it yours"} {
			r.wants(t, want)
			r.lacks(t, "…")   // nothing is cut
			r.Press("2", ")") // screens work meanwhile
		}
		r.lacks(t, "TOUR")
		if !m.Toured {
			t.Error("it is told again next time")
		}
		r.Press(":")
		r.Type("tour")
		r.Press("enter", ")", "(")
		r.wants(t, "TOUR 1/5")
		r.Resize(40, 8)
		r.lacks(t, "TOUR")
		r.Resize(80, 24)
		r.Press(":")
		r.Type("tour stop")
		r.Press("enter")
		r.lacks(t, "TOUR")
	})
}
