package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestWalkOnTheScreens presents the complete story at 80x24, a key for each step, on the
// screens of the dashboard: the golden file has the text of the bar.
func TestWalkOnTheScreens(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		sc, d := present(t)
		var said []string
		subjects := map[string]string{"closed": "cmp-012", "upgrade": "cmp-012", "check": "render-node-9", "crash": "train-6"} // on screens with several rows
		for n, st := range sc.Steps {
			d.Press(")")
			d.Text()
			lines := d.Lines()
			bar := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "─ DEMO ") })
			said = append(said, lines[bar:len(lines)-2]...)
			if bar < 0 || strings.Contains(strings.Join(lines[bar:len(lines)-2], ""), "…") {
				t.Errorf("step %d is cut at 80 columns:\n%s", n+1, d.Text())
			}
			if !strings.Contains(lines[bar], fmt.Sprintf("DEMO %d/%d %s", n+1, len(sc.Steps), st.Title)) {
				t.Fatalf("step %d is not shown:\n%s", n+1, d.Text())
			}
			if strings.HasPrefix(lines[1], " pulses  ") {
				t.Errorf("step %s is not shown on a screen of its own:\n%s", st.Name, d.Text())
			}
			cursor := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, ">") })
			if about, ok := subjects[st.Name]; ok && (cursor < 0 || !strings.Contains(lines[cursor], about)) {
				t.Errorf("on the screen of step %s the cursor is not on %s:\n%s", st.Name, about, d.Text())
			}
		}
		golden.RequireEqual(t, strings.Join(said, "\n")+"\n")
	})
}

// TestWalkCutsNothing plays the complete story at the sizes of a projector, and checks
// that no step cuts a word, in the bar or on the screen above it.
func TestWalkCutsNothing(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			tuitest.Parallel(t, func(t *testing.T) {
				sc, d := present(t)
				d.Resize(size[0], size[1])
				d.Advance(time.Second)
				if strings.Contains(d.Text(), "…") {
					t.Errorf("before the first step the overview is cut:\n%s", d.Text())
				}
				for n, st := range sc.Steps {
					d.Press(")")
					d.Advance(time.Second)
					if strings.Contains(d.Text(), "…") {
						t.Errorf("step %d %s is cut:\n%s", n+1, st.Name, d.Text())
					}
				}
			})
		})
	}
}

// TestPresenterShowsTheRow checks that the subject of a step is in view.
func TestPresenterShowsTheRow(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		_, d := present(t)
		for step := range 4 {
			d.Press(")")
			lines := d.Lines()
			cursor := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, ">") })
			if step != 1 && step != 2 && (cursor < 0 || !strings.Contains(lines[cursor], "cmp-012")) {
				t.Errorf("at step %d the cursor is not on cmp-012:\n%s", step+1, d.Text())
			}
		}
	})
}

// present starts the story on a dashboard at 80x24.
func present(t *testing.T) (demo.Script, *tuitest.Driver) {
	t.Helper()
	sc := demo.Transition()
	_, d := onDemo(t, demotest.Snapshot(t, demo.Options{Seed: defaultSeed, Now: walkStart()}))
	d.Press(":")
	d.Type("demo transition")
	d.Press("enter")
	return sc, d
}

// TestPresenter presents with a clicker.
func TestPresenter(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		_, d := present(t)
		at := func(step int) {
			t.Helper()
			if want := fmt.Sprintf("DEMO %d/", step); !strings.Contains(d.Text(), want) {
				t.Errorf("%s is not shown:\n%s", want, d.Text())
			}
		}
		d.Press("pgdown")
		at(1)
		d.Press(" ")
		at(2)
		d.Press("pgup")
		at(1)
		d.Press("pgdown", "pgdown")
		at(3)
	})
}
