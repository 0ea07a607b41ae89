package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
	"github.com/placetop/placetop/tui/walk"
)

// TestWalkOnTheScreens presents the whole story at 80x24, a key for each step, on the
// screens of the dashboard: the golden file has what the bar says of it.
func TestWalkOnTheScreens(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		palette, err := themes.Load(nil, "default-dark")
		if err != nil {
			t.Fatal(err)
		}
		start := demotest.Snapshot(t, demo.Options{Seed: defaultSeed, Now: time.Now()})
		sc, err := demo.ScriptNamed("transition")
		if err != nil {
			t.Fatal(err)
		}
		store := memory.New(memory.Options{Clock: time.Now, Start: start})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		all := screens()
		app := tui.New(tui.Config{
			Env:   screen.Env{Styles: style.NewPlain(palette, style.Block()), Clock: time.Now, Context: ctx, Actor: "you"},
			Cloud: store, Name: "demo", Store: "memory", Screens: all,
		})
		defer app.Close()
		d := tuitest.Start(t, app, 80, 24)
		d.Press(":")
		d.Type("demo transition")
		d.Press("enter")
		var said []string
		subjects := map[string]string{"check": "render-node-9", "crash": "train-6"} // of screens with several rows
		for n, st := range sc.Steps {
			d.Press(")")
			d.CheckFrame()
			lines := d.Lines()
			said = append(said, lines[len(lines)-6:len(lines)-2]...)
			if !strings.Contains(lines[len(lines)-6], fmt.Sprintf("DEMO %d/%d %s", n+1, len(sc.Steps), st.Title)) {
				t.Fatalf("step %d is not shown:\n%s", n+1, d.Text())
			}
			to := walk.PlaceOf(st.Where(store.Snapshot()))
			if strings.HasPrefix(lines[1], " pulses  ") && to != nil {
				t.Errorf("step %s is not shown on %q:\n%s", st.Name, place.Kind(to), d.Text())
			}
			cursor := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, ">") })
			if about, ok := subjects[st.Name]; ok && (cursor < 0 || !strings.Contains(lines[cursor], about)) {
				t.Errorf("on the screen of step %s the cursor is not on %s:\n%s", st.Name, about, d.Text())
			}
		}
		golden.RequireEqual(t, strings.Join(said, "\n")+"\n")
	})
}
