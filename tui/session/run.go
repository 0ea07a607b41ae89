package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"

	"github.com/placetop/placetop/tui/terminal"
)

// SignalError reports that a signal ended the session.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// Config is what a session needs.
type Config struct {
	// Terminal is where the session shows itself.
	Terminal terminal.Terminal

	// Capabilities say what the terminal can do.
	Capabilities Capabilities

	// Clock tells the time between frames.
	Clock func() time.Time

	// Local is set for the terminal that the process was started on. Only there
	// do signals end the session, and can it be suspended or lend the terminal
	// to another program.
	Local bool

	// Mouse asks for mouse reports from the start.
	Mouse bool
}

// Run shows model on the terminal until it quits, ctx ends, a signal arrives or
// the terminal is gone, and leaves the terminal as it was before. It returns
// the last model, and a [*SignalError], a [*PanicError], the error of ctx, or
// nil if the model quit.
func Run(ctx context.Context, cfg Config, model tea.Model) (tea.Model, error) {
	restore, err := cfg.Terminal.Raw()
	if err != nil {
		return model, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	options := terminal.ScreenOptions{
		Sync:   cfg.Capabilities.Sync,
		Focus:  cfg.Capabilities.Strings,
		VT100:  cfg.Capabilities.VT100,
		Clock:  cfg.Clock,
		Failed: func(err error) { cancel(fmt.Errorf("write to the terminal: %w", err)) },
	}
	if t, ok := cfg.Terminal.(interface {
		Pace(quit <-chan struct{})
	}); ok {
		options.Pace = t.Pace
	}
	screen := terminal.NewScreen(cfg.Terminal, options)
	host := &host{cfg: cfg, screen: screen, inner: model, restore: restore, cancel: cancel}

	// Signals are caught before anything is drawn: one that arrives earlier ends a
	// program that has not touched the screen yet.
	ending, stopping := make(chan os.Signal, 1), make(chan os.Signal, 1)
	if cfg.Local {
		signal.Notify(ending, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
		defer signal.Stop(ending)
		signal.Notify(stopping, unix.SIGTSTP)
		defer signal.Stop(stopping)
	}
	resized := cfg.Terminal.Resized(ctx)
	if size, err := cfg.Terminal.Size(); err == nil {
		host.size = size
	}
	screen.Mouse(cfg.Mouse)
	screen.Enter()
	host.held.Store(true)

	program := tea.NewProgram(host,
		tea.WithInput(cfg.Terminal.Input()),
		tea.WithOutput(cfg.Terminal),
		tea.WithoutRenderer(),
		tea.WithoutSignalHandler(),
	)
	if t, ok := cfg.Terminal.(interface{ SetReply(take func([]byte)) }); ok {
		t.SetReply(func(reply []byte) {
			program.Send(repliedMsg{reply})
		})
	}
	ended := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		for {
			select {
			case <-ended:
				return
			case <-ctx.Done():
				end(program, ended)
				return
			case s := <-ending:
				cancel(&SignalError{Signal: s})
			case <-stopping:
				if host.held.Load() {
					program.Send(suspendMsg{})
				} else { // the terminal is left; Go keeps SIGTSTP from stopping a process
					_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
				}
			case <-resized:
				if size, err := cfg.Terminal.Size(); err == nil {
					program.Send(tea.WindowSizeMsg(size))
				}
			}
		}
	}()
	_, runErr := program.Run()
	close(ended)
	<-watching

	closeErr := screen.Close()
	restoreErr := host.restore()
	switch cause := context.Cause(ctx); {
	case host.crash != nil:
		return host.inner, host.crash
	case cause != nil:
		return host.inner, cause
	case runErr != nil:
		return host.inner, runErr
	default:
		return host.inner, errors.Join(closeErr, restoreErr)
	}
}

// end quits program, and kills it if it is too busy to react. Quitting comes first,
// because only then does Bubble Tea wait for the goroutine that reads keys before it
// closes that goroutine's input.
func end(program *tea.Program, ended <-chan struct{}) {
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		program.Quit()
	}()
	timer := time.NewTimer(terminal.Patience)
	defer timer.Stop()
	select {
	case <-ended:
	case <-asked:
	case <-timer.C:
		program.Kill()
	}
	<-asked
}

// host is the model that Bubble Tea runs: it wraps the real one, handles the session's
// own messages, and passes each view to the screen.
type host struct {
	cfg     Config
	screen  *terminal.Screen
	inner   tea.Model
	size    terminal.Size
	restore func() error // undoes raw mode
	crash   *PanicError
	cancel  context.CancelCauseFunc // ends the session, also from View
	held    atomic.Bool             // the session has the terminal: nobody else draws on it
}

// Init starts the model. It knows its size before its first view.
func (h *host) Init() tea.Cmd {
	var cmds [2]tea.Cmd
	h.try(func() {
		cmds[0] = h.inner.Init()
		if h.size != (terminal.Size{}) {
			h.inner, cmds[1] = h.inner.Update(tea.WindowSizeMsg(h.size))
		}
	})
	return h.guard(tea.Batch(cmds[:]...))
}

// Update takes the session's messages and passes the others on.
func (h *host) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if h.crash != nil {
		return h, tea.Quit
	}
	switch msg := msg.(type) {
	case copyMsg:
		h.copy(msg.text)
		return h, nil
	case titleMsg:
		if h.cfg.Capabilities.Strings {
			h.screen.Title(msg.title)
		}
		return h, nil
	case askMsg:
		if h.cfg.Capabilities.Strings {
			h.screen.Send(askBackground)
		}
		return h, nil
	case mouseMsg:
		h.screen.Mouse(msg.on)
		return h, nil
	case repaintMsg:
		h.screen.Repaint()
		return h, nil
	case repliedMsg: // other answers are to questions of a program that ran before
		if dark, ok := darkBackground(msg.reply); ok {
			return h, h.pass(BackgroundMsg{Dark: dark})
		}
		return h, nil
	case suspendMsg:
		return h, h.suspend()
	case execMsg:
		return h, h.exec(msg)
	case resumeMsg:
		return h, h.resume(msg.then)
	case tea.ResumeMsg:
		return h, h.resume(msg)
	case crashMsg:
		h.crash = msg.crash
		return h, tea.Quit
	case tea.WindowSizeMsg:
		h.size = terminal.Size(msg)
		h.screen.Resized()
	}
	return h, h.pass(msg)
}

// pass passes msg to the model.
func (h *host) pass(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	h.try(func() { h.inner, cmd = h.inner.Update(msg) })
	if h.crash != nil {
		return tea.Quit
	}
	return h.guard(cmd)
}

// View hands the model's view to the screen. Bubble Tea gets nothing to draw.
func (h *host) View() string {
	if h.crash != nil {
		return ""
	}
	var view string
	h.try(func() { view = h.inner.View() })
	if h.crash == nil && h.size != (terminal.Size{}) {
		h.screen.Draw(view, h.size.Width, h.size.Height)
	}
	return ""
}

// try runs f and records a panic.
func (h *host) try(f func()) {
	defer func() {
		if crash := Recovered(recover()); crash != nil {
			h.crash = crash
			h.cancel(crash)
		}
	}()
	f()
}

func (h *host) guard(cmd tea.Cmd) tea.Cmd {
	return Guard(cmd, func(crash *PanicError) tea.Msg { return crashMsg{crash: crash} })
}

// copy sends text to the clipboard of the terminal.
func (h *host) copy(text string) {
	if !h.cfg.Capabilities.Strings {
		return
	}
	sequence := osc52.New(text)
	if h.cfg.Capabilities.GNUScreen {
		sequence = sequence.Screen()
	}
	h.screen.Send(sequence.String())
}

// suspend leaves the terminal and stops the process.
func (h *host) suspend() tea.Cmd {
	if !h.cfg.Local {
		return nil
	}
	if err := h.release(); err != nil {
		return h.pass(err)
	}
	return tea.Suspend
}

// exec leaves the terminal and runs a child process on it.
func (h *host) exec(msg execMsg) tea.Cmd {
	in, out := h.cfg.Terminal.Files()
	if !h.cfg.Local || in == nil || out == nil {
		return h.guard(func() tea.Msg { return msg.done(terminal.ErrNoTerminal) })
	}
	if err := h.release(); err != nil {
		return h.guard(func() tea.Msg { return resumeMsg{then: msg.done(err)} })
	}
	// The files themselves: with the wrapped reader exec would copy, and the copy would
	// keep swallowing keys after the child has ended.
	msg.cmd.Stdin, msg.cmd.Stdout, msg.cmd.Stderr = in, out, out
	return tea.ExecProcess(msg.cmd, func(err error) tea.Msg { return resumeMsg{then: msg.done(err)} })
}

// release leaves the screen and raw mode.
func (h *host) release() error {
	if err := h.screen.Leave(); err != nil {
		return err
	}
	if err := h.restore(); err != nil {
		return err
	}
	h.held.Store(false)
	return nil
}

// resume takes the terminal again, in its current size.
func (h *host) resume(then tea.Msg) tea.Cmd {
	// Leaving restores the state of the start: the current state may be raw already, if
	// leaving failed.
	if _, err := h.cfg.Terminal.Raw(); err != nil {
		return tea.Quit
	}
	h.screen.Enter()
	h.held.Store(true)
	var cmds []tea.Cmd
	if size, err := h.cfg.Terminal.Size(); err == nil {
		h.size = size
		cmds = append(cmds, h.pass(tea.WindowSizeMsg(size)))
	}
	if then != nil {
		cmds = append(cmds, h.pass(then))
	}
	return tea.Batch(cmds...)
}
