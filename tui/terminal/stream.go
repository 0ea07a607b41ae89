package terminal

import (
	"io"
	"sync"
	"time"
)

// Stream is the keyboard of a terminal that is not a file here, such as the
// channel of an SSH session. It gives keys as [Input] does.
//
// One goroutine reads ahead from the source. It ends when the source ends or,
// once it has something to hand over, after Close.
type Stream struct {
	*keyboard
	source *readAhead
}

// NewStream returns the keyboard behind r. The caller closes it, and closes r.
func NewStream(r io.Reader) *Stream {
	a := &readAhead{chunks: make(chan []byte), closed: make(chan struct{})}
	go a.run(r)
	s := &Stream{keyboard: newKeyboard(a), source: a}
	s.ahead = true
	return s
}

// Close makes a waiting Read return [io.EOF].
func (s *Stream) Close() error {
	s.source.once.Do(func() { close(s.source.closed) })
	return nil
}

// readAhead reads a source in a goroutine of its own, so that a read can end before
// anything comes.
type readAhead struct {
	chunks chan []byte
	closed chan struct{}
	once   sync.Once
	err    error // why the source ended; read after chunks is closed
	buf    []byte
}

func (a *readAhead) run(r io.Reader) {
	defer close(a.chunks)
	for {
		buf := make([]byte, 1024)
		n, err := r.Read(buf)
		if n > 0 {
			select {
			case a.chunks <- buf[:n]:
			case <-a.closed:
				return
			}
		}
		if err != nil {
			a.err = err
			return
		}
	}
}

func (a *readAhead) next() (byte, error) {
	if _, err := a.fill(nil); err != nil {
		return 0, err
	}
	c := a.buf[0]
	a.buf = a.buf[1:]
	return c, nil
}

func (a *readAhead) ready(d time.Duration) (bool, error) {
	if len(a.buf) > 0 {
		return true, nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	return a.fill(timer.C)
}

// fill waits for bytes, or until late fires unless it is nil, and reports whether there
// are any.
func (a *readAhead) fill(late <-chan time.Time) (bool, error) {
	if len(a.buf) > 0 {
		return true, nil
	}
	select {
	case b, ok := <-a.chunks:
		if !ok {
			return false, a.err
		}
		a.buf = b
		return true, nil
	case <-a.closed:
		return false, io.EOF
	case <-late:
		return false, nil
	}
}
