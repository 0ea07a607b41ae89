package tuitest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestKeyIsNamedAsBubbleTeaNamesIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"j", "J", "é", "漢", "enter", "esc", "tab", "shift+tab", " ", "ctrl+d", "ctrl+@", "ctrl+\\", "ctrl+_",
		"up", "shift+up", "ctrl+left", "pgdown", "home", "f5", "backspace", "delete", "alt+x", "alt+esc", "/", "?",
	} {
		if got := tuitest.Key(name).String(); got != name {
			t.Errorf("Key(%q) is named %q", name, got)
		}
	}
}

// steps is a model with every kind of command.
type steps struct{ log []string }

type step string

func (s *steps) Init() tea.Cmd { return say("init") }

func say(text string) tea.Cmd { return func() tea.Msg { return step(text) } }

func (s *steps) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case step:
		s.log = append(s.log, string(msg))
	case tea.KeyMsg:
		switch msg.String() {
		case "b":
			return s, tea.Batch(say("b1"), nil, say("b2"))
		case "s":
			return s, tea.Sequence(say("s1"), nil, say("s2"))
		case "t":
			return s, tea.Tick(time.Hour, func(time.Time) tea.Msg { return step("tick") })
		case "q":
			return s, tea.Quit
		}
	}
	return s, nil
}

func (s *steps) View() string { return strings.Join(s.log, " ") }

func TestDriverRunsCommandsToTheEnd(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := tuitest.Start(t, &steps{}, 80, 24)
		d.Press("b", "s", "t")
		if got, want := d.Frame(), "init b1 b2 s1 s2"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		d.Advance(time.Hour)
		if !strings.HasSuffix(d.Frame(), "tick") {
			t.Errorf("after an hour: %q", d.Frame())
		}
		d.Press("q")
		if !d.Quit() {
			t.Error("the model has quit")
		}
	})
}

func TestEmulatorTellsWhatStandsThere(t *testing.T) {
	t.Parallel()
	e := tuitest.NewEmulator(10, 2)
	defer e.Close()
	fmt.Fprint(e, "\x1b[?2004h\x1b[?25la漢b\x1b[2;3H\x1b[31mred")
	must.Be(t, strings.Join(e.Lines(), "|"), "a漢b|  red")
	if !e.Mode(ansi.ModeBracketedPaste) || e.Mode(ansi.ModeTextCursorEnable) {
		t.Error("modes are not seen")
	}
	e.Look(func(e *vt.Emulator) {
		if cell := e.CellAt(2, 1); cell.Content != "r" || cell.Style.Fg != ansi.Red {
			t.Errorf("a red r is %+v", cell)
		}
	})
	if n := e.Bytes(); n != len(e.TakeRaw()) || len(e.TakeRaw()) != 0 {
		t.Errorf("%d bytes", n)
	}
}

func TestFrameProblem(t *testing.T) {
	t.Parallel()
	for frame, ok := range map[string]bool{"ab\ncd": true, "ab": false, "ab\ncd\n": false, "ab\nc": false, "\x1b[1mab\x1b[m\n漢": true} {
		if got := tuitest.FrameProblem(frame, 2, 2); (got == "") != ok {
			t.Errorf("%q: %q", frame, got)
		}
	}
}
