package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/terminal"
	"github.com/placetop/placetop/tui/tuitest"
)

// mostWritten is the most bytes that a step of the cursor writes at 80x24 in truecolour,
// until everything is drawn. Among the flavors of a resize, a row comes into view that is
// so wide that columns move.
func mostWritten(name string) int {
	if name == "resize" {
		return 1200
	}
	return 1024
}

// mostPaged is the most bytes that a page writes.
const mostPaged = 4096

// TestKeysWriteLittle checks how much a key sends to the terminal on each screen.
func TestKeysWriteLittle(t *testing.T) {
	t.Parallel()
	eachPage(t, func(t *testing.T, c *tuitest.Cloud, name string, at place.Place) {
		d := visit(t, c, tuitest.Styles(termenv.TrueColor, style.Block()), at, 80, 24)
		var out bytes.Buffer
		s := terminal.NewScreen(&out, terminal.ScreenOptions{Sync: true, Clock: time.Now})
		defer s.Close()
		s.Enter()
		press := func(key string, most int) {
			s.Draw(d.Frame(), 80, 24)
			synctest.Wait()
			out.Reset()
			d.Press(key)
			d.Advance(time.Second)
			s.Draw(d.Frame(), 80, 24)
			synctest.Wait()
			if out.Len() > most {
				t.Errorf("%s writes %d bytes, at most %d are right: %q\n%s", key, out.Len(), most, out.String(), d.Text())
			}
		}
		for _, key := range strings.Split("jjjjjjjjjjjjkkkk", "") {
			press(key, mostWritten(name))
		}
		for _, key := range []string{"pgdown", "pgdown", "pgup"} {
			press(key, mostPaged)
		}
	})
}

// BenchmarkRootView draws the whole dashboard at 160x48 on 100,000 providers: a step of
// the cursor, and one with the frame after it.
func BenchmarkRootView(b *testing.B) {
	c := tuitest.Big(b, modeltest.Size{Hosts: 25_000, Traits: 42, Cards: 3, Servers: 5})
	env := tuitest.Env(c, tuitest.Styles(termenv.TrueColor, style.Block()))
	env.Context = b.Context()
	app := tui.New(tui.Config{Env: env, OpenMsg: tui.OpenMsg{Keeper: env.Keeper, Files: env.Files, Probe: env.Probe, Cloud: c, Name: "demo", Store: "memory"}, Screens: screens(), Local: true})
	defer app.Close()
	came := make(chan tea.Msg, 1000)
	run := func(cmd tea.Cmd) {
		if cmd != nil {
			go func() { came <- cmd() }()
		}
	}
	update := func(msg tea.Msg) {
		all, ok := tuitest.Commands(msg)
		if batch, is := msg.(tea.BatchMsg); is {
			all, ok = batch, true
		}
		if !ok && msg != nil {
			_, cmd := app.Update(msg)
			all = []tea.Cmd{cmd}
		}
		for _, cmd := range all {
			run(cmd)
		}
	}
	run(app.Init())
	update(tea.WindowSizeMsg{Width: 160, Height: 48})
	update(screen.Goto{To: place.Providers{}})
	for !strings.Contains(app.View(), "of 100 000") || len(came) > 0 {
		update(<-came)
	}
	key := 0
	step := func() {
		app.Update(tuitest.Key([]string{"j", "k"}[key%2]))
		key++
	}
	b.Run("step", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			step()
		}
	})
	b.Run("step and View", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			step()
			_ = app.View()
		}
	})
}
