package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/terminal"
	"github.com/placetop/placetop/tui/tuitest"
)

// keyLog shows the size and the received keys.
type keyLog struct {
	size  tea.WindowSizeMsg
	keys  []string
	note  string
	panic bool
}

type noteMsg string

func (m *keyLog) Init() tea.Cmd { return nil }

func (m *keyLog) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size = msg
	case noteMsg:
		m.note = string(msg)
	case tea.FocusMsg:
		m.keys = append(m.keys, "focus")
	case tea.BlurMsg:
		m.keys = append(m.keys, "blur")
	case tea.KeyMsg:
		m.keys = append(m.keys, msg.String())
		switch msg.String() {
		case "q":
			return m, tea.Quit
		case "U":
			panic("in Update")
		case "V":
			m.panic = true
		case "C":
			return m, func() tea.Msg { panic("in a command") }
		case "B":
			return m, tea.Sequence(nil, tea.Batch(nil, func() tea.Msg { panic("in a batch in a sequence") }))
		case "y":
			return m, tea.Batch(session.Copy("secret"), session.Title("title"))
		case "e":
			cmd := exec.Command("sh", "-c", "echo in the editor; read line; exit 3")
			return m, session.Exec(cmd, func(err error) tea.Msg { return noteMsg(fmt.Sprint("editor: ", err)) })
		case "ctrl+z":
			return m, session.Suspend()
		case "ctrl+l":
			return m, session.Repaint()
		}
	}
	return m, nil
}

func (m *keyLog) View() string {
	if m.panic {
		panic("in View")
	}
	return fmt.Sprintf("size %dx%d\nkeys %s\n%s\nend", m.size.Width, m.size.Height, strings.Join(m.keys, " "), m.note)
}

// started is a session in a pseudo-terminal.
type started struct {
	*tuitest.PTY
	ended chan error
}

func start(ctx context.Context, t *testing.T, model tea.Model) started {
	t.Helper()
	return startHolding(ctx, t, model, terminal.Hold)
}

// startHolding is start with another hold time for unfinished escape sequences.
func startHolding(ctx context.Context, t *testing.T, model tea.Model, hold time.Duration) started {
	t.Helper()
	p := tuitest.OpenPTY(t, 60, 10)
	tty := must.Get(terminal.NewTTY(p.TTY, p.TTY))(t)
	tty.SetHold(hold)
	s := started{PTY: p, ended: make(chan error, 1)}
	go func() {
		_, err := session.Run(ctx, session.Config{
			Terminal:     tty,
			Capabilities: session.Capabilities{Sync: true, Strings: true},
			Clock:        time.Now,
			Local:        true,
		}, model)
		s.ended <- err
	}()
	s.WaitForText("size 60x10")
	return s
}

// checkRestored fails if the terminal is not as the shell left it.
func (s started) checkRestored(t *testing.T) {
	t.Helper()
	s.drained()
	if s.Mode(ansi.ModeAltScreenSaveCursor) {
		t.Error("the alternate screen still shows")
	}
	if !s.Mode(ansi.ModeTextCursorEnable) {
		t.Error("the cursor is hidden")
	}
	for _, mode := range []ansi.Mode{ansi.ModeBracketedPaste, ansi.ModeFocusEvent, ansi.ModeSynchronizedOutput} {
		if s.Mode(mode) {
			t.Errorf("mode %v is still set", mode)
		}
	}
}

// drained waits until what the program wrote has reached the emulator.
func (s started) drained() {
	_, _ = s.TTY.WriteString("\x1b[3G.done.")
	s.WaitForText(".done.")
}

func TestRunKeysAndQuit(t *testing.T) {
	t.Parallel()
	s := start(t.Context(), t, &keyLog{})
	before := must.Get(term.GetState(s.TTY.Fd()))(t)
	if !s.Mode(ansi.ModeAltScreenSaveCursor) || s.Mode(ansi.ModeTextCursorEnable) || !s.Mode(ansi.ModeBracketedPaste) || !s.Mode(ansi.ModeFocusEvent) {
		t.Error("the terminal was not entered")
	}
	s.Type("jj\x1b[A")
	s.WaitForText("keys j j up")
	s.Type("\x1b[I")
	s.WaitForText("keys j j up focus")
	s.Type("\x1b[200~a q\x1b[201~")
	s.WaitForText("focus [a q]")
	quiet := s.Bytes()
	s.Type("\x1b[12;3R") // an unrequested report changes nothing
	s.Type("k")
	s.WaitForText("[a q] k")
	if got := s.Bytes() - quiet; got > 40 {
		t.Errorf("one more letter took %d bytes", got)
	}
	s.Type("q")
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
	s.checkRestored(t)
	after := must.Get(term.GetState(s.TTY.Fd()))(t)
	if *before == *after {
		t.Error("raw mode was not left")
	}
}

func TestRunSplitEscapes(t *testing.T) {
	t.Parallel()
	// This is long enough for any machine: the rest must arrive within it.
	const hold = 2 * time.Second
	s := startHolding(t.Context(), t, &keyLog{}, hold)
	s.Type("\x1b")
	timer := time.AfterFunc(terminal.Hold/5, func() { s.Type("[A") })
	defer timer.Stop()
	s.WaitForText("keys up")
	s.Type("\x1b[")
	timer = time.AfterFunc(terminal.Hold/5, func() { s.Type("A") })
	defer timer.Stop()
	s.WaitForText("keys up up")
	s.Type("\x1b")
	s.WaitForText("keys up up esc")
	s.Type("q")
	<-s.ended
}

func TestRunFramesAreWhole(t *testing.T) {
	t.Parallel()
	s := start(t.Context(), t, &keyLog{})
	s.Type("yjk")
	s.WaitForText("keys y j k")
	s.Await(t, "clipboard and title", func([]string) bool {
		return strings.Contains(s.Raw(), "\x1b]52;c;c2VjcmV0\x07") && strings.Contains(s.Raw(), "\x1b]2;title\x07")
	})
	s.Type("q")
	<-s.ended
	s.drained()
	raw := s.Raw()
	inside := false
	for rest := raw; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "\x1b[?2026h"):
			if inside {
				t.Fatal("a frame starts in a frame")
			}
			inside = true
		case strings.HasPrefix(rest, "\x1b[?2026l"):
			inside = false
		case inside && (strings.HasPrefix(rest, "\x1b]") || rest[0] == '\a'):
			t.Fatalf("a sequence inside a frame: %.40q", rest)
		}
		rest = rest[1:]
	}
}

func TestRunAfterPanic(t *testing.T) {
	t.Parallel()
	for key, where := range map[string]string{
		"U": "in Update", "V": "in View", "C": "in a command", "B": "in a batch in a sequence",
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			s := start(t.Context(), t, &keyLog{})
			s.Type(key)
			err := <-s.ended
			var crash *session.PanicError
			if !errors.As(err, &crash) || crash.Value != where {
				t.Fatalf("Run returned %v", err)
			}
			if !strings.Contains(string(crash.Stack), "run_test.go") {
				t.Errorf("the stack does not lead to the panic:\n%s", crash.Stack)
			}
			s.checkRestored(t)
		})
	}
}

func TestRunEndsWithTheContext(t *testing.T) {
	t.Parallel()
	gone := errors.New("idle for too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := start(ctx, t, &keyLog{})
	cancel(gone)
	must.Fail(t, <-s.ended, gone)
	s.checkRestored(t)
}

func TestRunExec(t *testing.T) {
	t.Parallel()
	s := start(t.Context(), t, &keyLog{})
	s.Type("e")
	s.WaitForText("in the editor")
	if s.Mode(ansi.ModeAltScreenSaveCursor) || !s.Mode(ansi.ModeTextCursorEnable) {
		t.Error("the editor has not got the terminal")
	}
	s.Type("typed for the editor\n")
	s.WaitForText("editor: exit status 3")
	s.Type("j")
	s.WaitForText("keys e j")
	s.Type("q")
	<-s.ended
	s.checkRestored(t)
}

// TestRunResize is not parallel, like those below: the signal goes to the
// whole process.
func TestRunResize(t *testing.T) {
	s := start(t.Context(), t, &keyLog{})
	s.Resize(40, 8)
	s.WaitForText("size 40x8")
	s.Resize(100, 30)
	s.WaitForText("size 100x30")
	must.Be(t, s.Lines()[3], "end")
	s.Emulator.Resize(5, 1) // and back before anything reads the size
	s.Resize(100, 30)
	s.WaitForText("size 100x30")
	s.Type("q")
	<-s.ended
}

func TestRunEndsWithASignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		s := start(t.Context(), t, &keyLog{})
		must.Succeed(t, syscall.Kill(os.Getpid(), sig))
		err := <-s.ended
		var ended *session.SignalError
		if !errors.As(err, &ended) || ended.Signal != sig {
			t.Errorf("Run returned %v, want %v", err, sig)
		}
		s.checkRestored(t)
	}
}

// TestSuspendChild is the program that TestRunSuspend starts.
func TestSuspendChild(t *testing.T) {
	if os.Getenv("PLACETOP_SUSPEND_CHILD") == "" {
		t.Skip("only as a child of TestRunSuspend")
	}
	tty, err := terminal.NewTTY(os.Stdin, os.Stdout)
	must.Succeed(t, err)
	if ci, ok := os.LookupEnv("CI"); ok {
		t.Fatalf("the environment was left with CI=%q", ci)
	}
	_, err = session.Run(t.Context(), session.Config{
		Terminal: tty, Capabilities: session.Capabilities{Strings: true}, Clock: time.Now, Local: true,
	}, &keyLog{})
	must.Succeed(t, err)
}

func TestRunSuspend(t *testing.T) {
	t.Parallel()
	p := tuitest.OpenPTY(t, 60, 10)
	child := exec.Command(os.Args[0], "-test.run=^TestSuspendChild$")
	child.Env = []string{"PLACETOP_SUSPEND_CHILD=1", "TERM=xterm-256color", "LANG=C.UTF-8"}
	child.Stdin, child.Stdout, child.Stderr = p.TTY, p.TTY, p.TTY
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Succeed(t, child.Start())
	t.Cleanup(func() { _ = child.Process.Kill() })
	p.WaitForText("size 60x10")
	if raw := string(p.TakeRaw()); strings.Contains(raw, "\x1b]1") || strings.Contains(raw, "\x1b[6n") {
		t.Errorf("the program asks the terminal: %q", raw)
	}
	suspended := func(stop func(), resumed string) {
		stop()
		p.Await(t, "the first screen", func([]string) bool { return !p.Mode(ansi.ModeAltScreenSaveCursor) })
		// The terminal is left just before the process stops, so the signal is repeated until
		// it is seen.
		awake := make(chan struct{})
		go func() {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-awake:
					return
				case <-tick.C:
					_ = child.Process.Signal(syscall.SIGCONT)
				}
			}
		}()
		p.WaitForText(resumed)
		close(awake)
	}
	suspended(func() { p.Type("\x1a") }, "keys ctrl+z")
	suspended(func() { must.Succeed(t, child.Process.Signal(syscall.SIGTSTP)) }, "keys ctrl+z") // as kill does
	p.Type("j")
	p.WaitForText("keys ctrl+z j")
	p.Type("q")
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
}
