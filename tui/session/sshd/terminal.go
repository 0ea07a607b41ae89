package sshd

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/placetop/placetop/tui/terminal"
)

// Terminal is the terminal of a client.
type Terminal struct {
	s       *Session
	changed chan struct{} // holds one token: the size has changed
	pace    *pace

	mu   sync.Mutex
	size terminal.Size
	keys *terminal.Stream // nil until requested
}

var _ terminal.Terminal = (*Terminal)(nil)

func newTerminal(s *Session, size terminal.Size) *Terminal {
	t := &Terminal{s: s, size: size, changed: make(chan struct{}, 1)}
	t.pace = &pace{ask: t.alive}
	return t
}

// Write implements [io.Writer].
func (t *Terminal) Write(p []byte) (int, error) {
	n, err := t.s.channel.Write(p)
	if err == nil {
		t.pace.wrote()
	}
	return n, err
}

// Pace waits until nothing of what was written is still on its way, so that the next frame
// is a new one, or quit is closed.
func (t *Terminal) Pace(quit <-chan struct{}) { t.pace.wait(t.s.done, quit) }

// alive returns once the client has answered, and so received all that was written
// before.
func (t *Terminal) alive() error {
	_, err := t.s.channel.SendRequest("keepalive@openssh.com", true, nil)
	return err
}

// Input returns the keyboard. From then on nothing else may read what the client
// sends.
func (t *Terminal) Input() io.Reader { return t.stream() }

func (t *Terminal) stream() *terminal.Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = terminal.NewStream(keyboard{t.s.Stdin(), t.s})
		t.keys.SetHold(terminal.HoldRemote)
	}
	return t.keys
}

// keyboard is the client's input. Its end is that of the session, like the hangup of a
// terminal.
type keyboard struct {
	io.Reader
	s *Session
}

// Read implements io.Reader.
func (k keyboard) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	if err != nil {
		k.s.stop(&EndError{"the client sends no more input"})
	}
	return n, err
}

// SetReply sets take to be called with the terminal's answers to queries. It must be
// called before the first Read.
func (t *Terminal) SetReply(take func(reply []byte)) { t.stream().SetReply(take) }

// Close ends the keyboard.
func (t *Terminal) Close() error { return t.stream().Close() }

// Raw does nothing: the client hands over keys as they come.
func (t *Terminal) Raw() (restore func() error, err error) {
	return func() error { return nil }, nil
}

// Size returns the size of the client's window.
func (t *Terminal) Size() (terminal.Size, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size, nil
}

func (t *Terminal) resize(size terminal.Size) {
	t.mu.Lock()
	t.size = size
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// Resized sends a token whenever the size may have changed.
func (t *Terminal) Resized(context.Context) <-chan struct{} { return t.changed }

// Files returns nil: no program may be lent the client's terminal.
func (t *Terminal) Files() (in, out *os.File) { return nil, nil }
