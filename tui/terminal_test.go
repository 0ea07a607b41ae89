package tui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/terminal"
	"github.com/placetop/placetop/tui/tuitest"
)

// window is a dashboard in a pseudo-terminal.
type window struct {
	*tuitest.PTY
	app   *tui.App
	cloud *testCloud
	ended chan error
}

func startTerminal(t *testing.T, w, h int) *window {
	t.Helper()
	p := tuitest.OpenPTY(t, w, h)
	tty := must.Get(terminal.NewTTY(p.TTY, p.TTY))(t)
	c := newCloud(time.Now)
	app := tui.New(tui.Config{
		Env:     screen.Env{Styles: styles(termenv.TrueColor, style.Block()), Clock: time.Now, Context: t.Context()},
		OpenMsg: tui.OpenMsg{Cloud: c, Name: "demo"},
		Screens: []screen.Declaration{
			screen.Declare(func(env screen.Env, _ place.Pulses) (screen.Screen, error) {
				return &testScreen{env: env, name: "pulses"}, nil
			}).On("1").Called("pulses"),
			screen.Declare(func(env screen.Env, _ place.Providers) (screen.Screen, error) {
				return &testScreen{env: env, name: "providers"}, nil
			}).On("2").Called("providers"),
		},
	})
	term := &window{PTY: p, app: app, cloud: c, ended: make(chan error, 1)}
	go func() {
		defer app.Close()
		_, err := session.Run(t.Context(), session.Config{
			Terminal: tty, Capabilities: session.Capabilities{Sync: true, Strings: true}, Clock: time.Now,
		}, app)
		term.ended <- err
	}()
	term.WaitForText("pulses rev=0")
	return term
}

// TestTerminalShowsTheFrame drives the dashboard through a terminal and compares the
// screen with the frame.
func TestTerminalShowsTheFrame(t *testing.T) {
	t.Parallel()
	term := startTerminal(t, 80, 24)
	for _, step := range []struct{ keys, wait string }{
		{"2", "> providers"},
		{"jj\x1b[B", "j j down"},
		{"?", "EVERYWHERE"},
		{"hist", "previous view"},
		{"\x1b", "─ HERE"},
		{"\x1b", "j j down"},
		{"?", "EVERYWHERE"},
		{"\x1b", "j j down"},
		{"\x1b", "resume"},
		{":pro\t", ":providers"},
		{"\r", "> providers"},
		{"\x1b", "resume resume"},
		{"q", ""},
	} {
		term.Type(step.keys)
		term.WaitForText(step.wait)
		if step.keys == "q" {
			break
		}
	}
	must.Succeed(t, <-term.ended)
}

// TestTerminalAfterAStorm lets the cloud change while keys arrive; after both have ended
// the terminal shows exactly the last frame, and receives nothing more.
func TestTerminalAfterAStorm(t *testing.T) {
	t.Parallel()
	term := startTerminal(t, 100, 30)
	for i := range 300 {
		term.cloud.change(t, i)
		if i%10 == 0 {
			term.Type("j")
		}
	}
	term.WaitForText("rev=300")
	term.WaitForText(strings.TrimSpace(strings.Repeat("j ", 30)))
	term.Type("x")
	term.WaitForText("j x")
	term.TakeRaw()
	term.Type("\x1b[I") // focus: requests the newest state, which is shown already
	term.Type("R")      // redraws everything
	term.Await(t, "the whole frame once more", func([]string) bool {
		_, drawn, cleared := strings.Cut(term.Raw(), "\x1b[2J")
		return cleared && strings.Contains(drawn, "\x1b[?2026l")
	})
	shown := slices.Clone(term.Lines())
	term.Type("q")
	must.Succeed(t, <-term.ended)
	var want []string
	for _, line := range strings.Split(plain(term.app.View()), "\n") {
		want = append(want, strings.TrimRight(line, " "))
	}
	must.Match(t, want, shown)
}

func TestTwoSessionsTwoLooks(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		colour := open(t, 80, 24, nil)
		mono := open(t, 80, 24, func(cfg *tui.Config) { cfg.Env.Styles = styles(termenv.Ascii, style.ASCII()) })
		if !strings.Contains(colour.Frame(), "38;2;") {
			t.Error("the session with colours has none")
		}
		if strings.Contains(mono.Frame(), "38;") || strings.Contains(mono.Frame(), "◉") {
			t.Errorf("the session without colours and glyphs has some:\n%q", mono.Frame())
		}
		if got := fmt.Sprint(mono.Text() == colour.Text()); got != "false" {
			t.Error("both sessions draw the same signs")
		}
	})
}
