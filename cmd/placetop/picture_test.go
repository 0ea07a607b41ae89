package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/tuitest"
)

var pictures = flag.Bool("pictures", false, "take the picture of the README anew")

// TestPicture runs the dashboard on a terminal of its own, on the demo cloud at a fixed time,
// and compares the screen with the picture in the README. -pictures makes it again.
func TestPicture(t *testing.T) {
	t.Parallel()
	term := showDemo(t, 160, 48)
	term.Await(t, "the overview", func(lines []string) bool {
		shows := strings.Join(lines, "\n")
		for _, text := range []string{"PROBLEMS 25", "1 pending  ✗5 !15", "HOW MANY MORE FIT"} {
			if !strings.Contains(shows, text) {
				return false
			}
		}
		return !term.Mode(ansi.ModeSynchronizedOutput) // while the mode is on, only half of a frame is drawn
	})
	var shown string
	term.Look(func(e *vt.Emulator) { shown = picture(e, ground{Foreground: "#d3d9e5", Background: "#12151c"}) })
	path := filepath.Join("..", "..", ".pictures", "pulses.svg")
	if *pictures {
		must.Succeed(t, os.WriteFile(path, []byte(shown), 0o644)) // for everybody to see
		return
	}
	kept := must.Get(os.ReadFile(path))(t)
	if diff := cmp.Diff(strings.Split(string(kept), "\n"), strings.Split(shown, "\n")); diff != "" {
		t.Errorf("the picture of the README is not what shows: take it anew with -pictures, and look at it (-kept +shown)\n%s", diff)
	}
}

// showDemo runs the dashboard on the demo cloud until the end of the test.
func showDemo(t *testing.T, width, height int) *tuitest.PTY {
	t.Helper()
	term := tuitest.OpenPTY(t, width, height)
	p := &program{
		stdin: term.TTY, stdout: term.TTY, stderr: os.Stderr,
		env:   map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"},
		now:   func() time.Time { return time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC) },
		newID: uuid.New, log: slog.New(slog.DiscardHandler),
	}
	p.settings.Theme = "default-dark"
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- p.demo(ctx, demoOptions{Hosts: demo.DefaultHosts, Seed: defaultSeed, Troubles: true}, false)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return term
}
