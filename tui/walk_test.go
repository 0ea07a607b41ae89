package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// page is a screen that shows its subject.
type page struct{ name string }

func (p page) Init() tea.Cmd            { return nil }
func (p page) Update(tea.Msg) tea.Cmd   { return nil }
func (p page) Title() string            { return p.name }
func (p page) Actions() []action.Action { return nil }
func (p page) View(w, h int) string     { return component.Fit("the page "+p.name, w, h) }

// walkRig is a dashboard on a made-up cloud.
type walkRig struct {
	*tuitest.Driver
	store *memory.Store
	app   *tui.App
}

// openWalk starts the dashboard, in a synctest bubble.
func openWalk(t *testing.T, w, h int, o memory.Options, glyphs style.Glyphs) *walkRig {
	t.Helper()
	if o.Start == nil {
		o.Start = demotest.Snapshot(t, demo.Options{Seed: 1, Now: time.Now()})
	}
	o.Clock = time.Now
	r := &walkRig{store: memory.New(o)}
	screens := []screen.Declaration{
		screen.Declaration{Of: place.Pulses{}}.On("1").Called("pulses"), screen.Declaration{Of: place.WhatIf{}}.On("4").Called("what-if"),
		screen.Declaration{Of: place.Owners{}}.On("5").Called("owners"), screen.Declaration{Of: place.Problems{}}.On("6").Called("audit"),
		screen.Declaration{Of: place.Migrations{}}.On("7").Called("migrations"), screen.Declaration{Of: place.Instances{}}.On("0").Called("instances"),
		{Of: place.Services{}},
		{Of: place.Instance{}},
		{Of: place.Resize{}},
	}
	for i := range screens {
		screens[i].Open = func(_ screen.Env, at place.Place) (screen.Screen, error) { return page{nameOf(at)}, nil }
	}
	ctx, cancel := context.WithCancel(context.Background())
	app := tui.New(tui.Config{
		Env: screen.Env{
			Styles: style.NewPlain(palette(t), glyphs), Clock: time.Now, Context: ctx, Actor: "you",
		},
		OpenMsg: tui.OpenMsg{Cloud: r.store, Name: "demo", Store: "memory"}, Screens: screens,
	})
	r.app, r.Driver = app, tuitest.Start(t, app, w, h)
	t.Cleanup(func() {
		app.Close()
		cancel()
	})
	return r
}

// nameOf returns the subject of a page.
func nameOf(at place.Place) string {
	about := place.Text(at)
	switch at := at.(type) {
	case place.Instance:
		about = at.ID.String()
	case place.Resize:
		about = at.Instance.String()
	}
	return strings.TrimSpace(place.Kind(at) + " " + about)
}

// palette returns the colours.
func palette(t *testing.T) themes.Palette {
	t.Helper()
	p := must.Get(themes.Load(nil, "default-dark"))(t)
	return p
}

// command types a command at the prompt.
func (r *walkRig) command(text string) {
	r.Press(":")
	r.Type(text)
	r.Press("enter")
}

// wants fails the test if one of texts is not on the screen.
func (r *walkRig) wants(t *testing.T, texts ...string) {
	t.Helper()
	r.Text()
	for _, text := range texts {
		if !strings.Contains(r.Text(), text) {
			t.Fatalf("no %q on the screen:\n%s", text, r.Text())
		}
	}
}

// hasNoBar fails the test if something is being presented.
func (r *walkRig) hasNoBar(t *testing.T) {
	t.Helper()
	if strings.Contains(r.Text(), "DEMO") {
		t.Errorf("there is a bar on the screen:\n%s", r.Text())
	}
}

// steps returns the steps of the story.
func steps(t *testing.T) []demo.Step {
	t.Helper()
	sc := demo.Transition()
	return sc.Steps
}

// to plays the story up to and including the step with the given name.
func (r *walkRig) to(t *testing.T, name string) {
	t.Helper()
	for n, st := range steps(t) {
		r.Press(")")
		r.wants(t, fmt.Sprintf("DEMO %d/%d", n+1, len(steps(t))))
		if st.Name == name {
			return
		}
	}
	t.Fatalf("there is no step %s", name)
}

// One key plays each step, and opens the screen that shows it.
func TestWalk(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openWalk(t, 80, 24, memory.Options{}, style.Block())
		r.command("demo transition")
		frames := []string{r.Text()}
		all := steps(t)
		for n, st := range all {
			before := r.store.Snapshot().Revision()
			r.Press(")")
			where := tui.PlaceOf(st.Where(r.store.Snapshot()))
			r.wants(t, fmt.Sprintf("─ DEMO %d/%d %s ─", n+1, len(all), st.Title), "the page "+nameOf(where))
			if wrote := r.store.Snapshot().Revision() > before; wrote != st.Writes() {
				t.Errorf("%s: wrote %v, want %v", st.Name, wrote, st.Writes())
			}
			if st.Name == "landing" || st.Name == "verify" || st.Name == "fix" {
				frames = append(frames, r.Text())
			}
		}
		last := r.store.Snapshot()
		r.Press(")")
		if r.store.Snapshot() != last {
			t.Error("it goes on after the last step")
		}
		golden.RequireEqual(t, strings.Join(append(frames, r.Text()), "\n\n"))
	})
}

// Sizes and glyphs: the bar takes no more than the screen can spare.
func TestWalkFrames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		w, h   int
		glyphs style.Glyphs
	}{{"160x48", 160, 48, style.Block()}, {"80x24 ascii", 80, 24, style.ASCII()}, {"60x14", 60, 14, style.Block()}, {"40x8", 40, 8, style.Block()}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := openWalk(t, tt.w, tt.h, memory.Options{}, tt.glyphs)
				r.command("demo transition")
				r.to(t, "resize")
				r.Text()
			})
		})
	}
}

// Looking back undoes nothing, and continuing from there plays nothing twice.
func TestWalkBack(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openWalk(t, 80, 24, memory.Options{}, style.Block())
		r.command("demo transition")
		r.Press("(")
		r.wants(t, "DEMO 0/18")
		r.to(t, "landing")
		at := r.store.Snapshot()
		r.Press("(", "(")
		r.wants(t, "DEMO 1/18", "the page services", ") to step 2")
		r.Press("(")
		r.wants(t, "DEMO 1/18")
		r.Press(")", ")")
		r.wants(t, "DEMO 3/18", "the page instance")
		if r.store.Snapshot() != at {
			t.Error("looking back wrote something")
		}
		r.Press(")")
		r.wants(t, "DEMO 4/18")
	})
}

// What was played is in the cloud: a demonstration that was left continues where it was.
func TestWalkIsLeftAndTakenUp(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openWalk(t, 80, 24, memory.Options{}, style.Block())
		r.command("demo transition")
		r.to(t, "upgrade")
		r.Press("esc")
		r.wants(t, "DEMO 4/18", "the page pulses") // one screen back first
		r.Press("esc")
		r.hasNoBar(t)
		r.Press(")")
		r.hasNoBar(t)
		r.command("demo transition")
		r.wants(t, "DEMO 4/18 the last compute is upgraded")
		r.Press(")")
		r.wants(t, "DEMO 5/18")
		r.command("demo stop")
		r.hasNoBar(t)
	})
}

// The user may go anywhere meanwhile, and do by hand what the next step would.
func TestWalkSurvivesWhatOthersDo(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openWalk(t, 80, 24, memory.Options{}, style.Block())
		r.command("demo transition")
		r.to(t, "verify")
		r.Press("1")
		r.wants(t, "the page pulses", "DEMO 8/18")
		m := waiting(t, r.store.Snapshot())
		r.do(t, ops.Confirm{Migration: m.UUID})
		at := r.store.Snapshot().Revision()
		r.Press(")")
		r.wants(t, "DEMO 9/18 confirm", "is confirmed")
		if got := r.store.Snapshot().Revision(); got != at {
			t.Errorf("what was confirmed is confirmed again: revision %d > %d", at, got)
		}
	})
}

// A step that another session has undone is played again; if that is impossible, the bar
// says so.
func TestWalkPlansAnew(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openWalk(t, 80, 24, memory.Options{}, style.Block())
		r.command("demo transition")
		r.to(t, "verify")
		r.do(t, ops.Revert{Migration: waiting(t, r.store.Snapshot()).UUID})
		r.Press(")")
		r.wants(t, "DEMO 7/18 resize from Nova to Cyborg", "is resized")
		for i := range r.store.Snapshot().Nova().Instances() {
			if i.Name == "viz-wall-1" {
				r.do(t, ops.Terminate{Instance: i.UUID})
			}
		}
		r.Press(")")
		r.wants(t, "step 3, the wrong landing: viz-wall-1 is deleted", ") tries again")
		r.Press("2")
		r.Text()
	})
}

// do completes a course, as another session would.
func (r *walkRig) do(t *testing.T, c ops.Task) {
	t.Helper()
	must.Succeed(t, (ops.Runner{Now: time.Now}).Run(context.Background(), r.store, c))
	r.Settle()
	r.Advance(time.Second)
}

// waiting returns the newest migration that waits for confirmation.
func waiting(t *testing.T, s *cloud.Snapshot) *nova.Migration {
	t.Helper()
	var newest *nova.Migration
	for m := range s.Nova().Migrations() {
		if m.Status == nova.Finished && (newest == nil || m.Created > newest.Created) {
			newest = m
		}
	}
	if newest == nil {
		t.Fatal("nothing waits")
	}
	return newest
}

func TestWalkIsRefused(t *testing.T) {
	t.Parallel()
	other, _, err := cloud.Empty().Apply(cloud.Change{Ops: []placement.Op{placement.CreateProvider{ID: placement.ProviderID{1}, Name: "h"}}})
	must.Succeed(t, err)
	for name, tt := range map[string]struct {
		options memory.Options
		command string
		want    string
	}{
		"no made-up cloud": {memory.Options{Start: other}, "demo transition", "played on a made-up cloud only"},
		"read-only":        {memory.Options{Can: cloud.Capabilities{ReadOnly: "for readers"}}, "demo transition", "nothing can be written: for readers"},
		"unknown":          {memory.Options{}, "demo nothing", "which one?   transition, stop"},
		"none":             {memory.Options{}, "demo", "which one?   transition, stop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := openWalk(t, 100, 24, tt.options, style.Block())
				r.command(tt.command)
				r.wants(t, tt.want)
				r.hasNoBar(t)
				r.Advance(time.Minute)
			})
		})
	}
}

// No step is played while the data is paused, and opening another cloud ends the story.
func TestWalkEndsWithItsCloud(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openWalk(t, 80, 24, memory.Options{}, style.Block())
		r.command("demo transition")
		r.to(t, "request")
		r.Press("p", ")")
		r.wants(t, "DEMO 2/18", "p resumes")
		r.Press("p", ")")
		r.wants(t, "DEMO 3/18")
		r.Send(tui.OpenMsg{Cloud: memory.New(memory.Options{Clock: time.Now}), Name: "other"})
		r.hasNoBar(t)
		r.Advance(time.Minute)
	})
}
