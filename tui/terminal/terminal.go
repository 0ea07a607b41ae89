package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// ErrNoTerminal reports that input or output is not a terminal.
var ErrNoTerminal = errors.New("not a terminal")

// Size is the size of a terminal in cells.
type Size struct {
	Width  int
	Height int
}

// UsualSize is the size of a terminal that does not say what it has, such as a serial
// console, unless the environment knows.
func UsualSize() Size { return Size{Width: 80, Height: 24} }

// maxSize is larger than any real window. A terminal may say that it has 65535x65535.
func maxSize() Size { return Size{Width: 1000, Height: 500} }

// Known returns the size with what is 0 taken from another one, and limited.
func (s Size) Known(other Size) Size {
	most := maxSize()
	if s.Width <= 0 {
		s.Width = other.Width
	}
	if s.Height <= 0 {
		s.Height = other.Height
	}
	return Size{Width: min(s.Width, most.Width), Height: min(s.Height, most.Height)}
}

// Terminal is where a session shows itself: the tty of this process, or the
// far end of an SSH channel.
type Terminal interface {
	io.Writer

	// Input returns the keyboard.
	Input() io.Reader

	// Raw makes the terminal hand over keys as they come. The function it
	// returns undoes that.
	Raw() (restore func() error, err error)

	// Size returns the size now.
	Size() (Size, error)

	// Resized sends a token whenever the size may have changed, until ctx ends.
	Resized(ctx context.Context) <-chan struct{}

	// Files returns the descriptors that a child process, such as an editor,
	// may take over; nil if there is none and none may be started.
	Files() (in, out *os.File)
}

// TTY is the terminal of this process.
type TTY struct {
	in    *Input
	out   *os.File
	usual Size // as in SetUsual
}

var _ Terminal = (*TTY)(nil)

// NewTTY returns the terminal that in and out are open on. It returns
// [ErrNoTerminal] where one of them is not open on a terminal.
func NewTTY(in, out *os.File) (*TTY, error) {
	for _, f := range []*os.File{in, out} {
		if !term.IsTerminal(f.Fd()) {
			return nil, fmt.Errorf("%s: %w", f.Name(), ErrNoTerminal)
		}
	}
	return &TTY{in: NewInput(in), out: out, usual: UsualSize()}, nil
}

// Write implements [io.Writer].
func (t *TTY) Write(p []byte) (int, error) { return t.out.Write(p) }

// Input returns the keyboard.
func (t *TTY) Input() io.Reader { return t.in }

// Files returns the files the terminal was made from.
func (t *TTY) Files() (in, out *os.File) { return t.in.file, t.out }

// Raw turns off echo, line editing and signals from keys.
func (t *TTY) Raw() (restore func() error, err error) {
	state, err := term.MakeRaw(t.in.Fd())
	if err != nil {
		return nil, fmt.Errorf("raw mode: %w", err)
	}
	return func() error {
		if err := term.Restore(t.in.Fd(), state); err != nil {
			return fmt.Errorf("restore the terminal's mode: %w", err)
		}
		return nil
	}, nil
}

// Size returns the size of the window.
func (t *TTY) Size() (Size, error) {
	w, h, err := term.GetSize(t.out.Fd())
	if err != nil {
		return Size{}, fmt.Errorf("size of the terminal: %w", err)
	}
	return Size{Width: w, Height: h}.Known(t.usual), nil
}

// SetUsual sets the size of a window that does not say what it has, as LINES and COLUMNS
// do.
func (t *TTY) SetUsual(size Size) { t.usual = size }

// Resized sends a token after each SIGWINCH.
func (t *TTY) Resized(ctx context.Context) <-chan struct{} {
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, unix.SIGWINCH)
	out := make(chan struct{}, 1)
	go func() {
		defer signal.Stop(sig)
		for {
			select {
			case <-ctx.Done():
				return
			case <-sig:
			}
			select {
			case out <- struct{}{}:
			default:
			}
		}
	}()
	return out
}

// SetReply sets take to be called with the terminal's answers to queries, from the
// goroutine that reads keys. It must be called before the first Read.
func (t *TTY) SetReply(take func(reply []byte)) { t.in.SetReply(take) }

// SetHold sets how long an unfinished escape sequence is held for its rest. The
// default is Hold.
func (t *TTY) SetHold(hold time.Duration) { t.in.SetHold(hold) }
