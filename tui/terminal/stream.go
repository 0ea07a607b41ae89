package terminal

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Stream is the keyboard of a terminal that is not a file here, such as the
// channel of an SSH session. It gives keys as [Input] does.
//
// One goroutine reads ahead from the source. It ends when the source ends or,
// once it has something to hand over, after Close.
type Stream struct {
	chunks chan []byte
	closed chan struct{}
	once   sync.Once
	err    error // why the source ended; read after chunks is closed
	buf    []byte
	hold   atomic.Int64 // as set by SetHold
	paste  bool
	reply  func([]byte) // receives the terminal's answers; may be nil
}

// NewStream returns the keyboard behind r. The caller closes it, and closes r.
func NewStream(r io.Reader) *Stream {
	s := &Stream{
		chunks: make(chan []byte),
		closed: make(chan struct{}),
	}
	s.SetHold(Hold)
	go s.readAhead(r)
	return s
}

func (s *Stream) readAhead(r io.Reader) {
	defer close(s.chunks)
	for {
		buf := make([]byte, 1024)
		n, err := r.Read(buf)
		if n > 0 {
			select {
			case s.chunks <- buf[:n]:
			case <-s.closed:
				return
			}
		}
		if err != nil {
			s.err = err
			return
		}
	}
}

// SetReply sets take to be called with the terminal's answers to queries, from the
// goroutine that reads keys. It must be called before the first Read.
func (s *Stream) SetReply(take func(reply []byte)) { s.reply = take }

// SetHold sets how long an unfinished escape sequence is held for its rest. A lone esc is
// delayed by as much.
func (s *Stream) SetHold(hold time.Duration) { s.hold.Store(int64(hold)) }

// Close makes a waiting Read return [io.EOF].
func (s *Stream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// Read returns the next key, or a piece of a paste. Answers of the terminal are
// dropped: then it returns no bytes and no error.
func (s *Stream) Read(p []byte) (int, error) {
	if len(p) < 2 {
		return 0, io.ErrShortBuffer
	}
	if len(s.buf) == 0 {
		if err := s.fill(nil); err != nil {
			return 0, err
		}
	}
	if s.paste {
		return s.readPaste(p)
	}
	n, state := nextToken(s.buf)
	if state == tokenPartial {
		n, state = s.complete()
	}
	if state == tokenReply {
		if s.reply != nil {
			s.reply(s.buf[:n])
		}
		s.buf = s.buf[n:]
		return 0, nil
	}
	n = copy(p[:len(p)-1], s.buf[:n])
	s.paste = string(s.buf[:n]) == pasteStart
	s.buf = s.buf[n:]
	return n, nil
}

// complete waits, each time for at most the hold time, until the first key in the buffer
// is complete.
func (s *Stream) complete() (int, tokenState) {
	hold := time.Duration(s.hold.Load())
	timer := time.NewTimer(hold)
	defer timer.Stop()
	for {
		if err := s.fill(timer.C); err != nil {
			return len(s.buf), tokenPartial
		}
		if n, state := nextToken(s.buf); state != tokenPartial {
			return n, state
		}
		timer.Reset(hold)
	}
}

// readPaste returns a piece of the paste, with its end if that is there.
func (s *Stream) readPaste(p []byte) (int, error) {
	most := len(p) - 1
	if most <= len(pasteEnd) {
		return 0, io.ErrShortBuffer
	}
	for {
		if i := bytes.Index(s.buf, []byte(pasteEnd)); i >= 0 && i+len(pasteEnd) <= most {
			s.paste = false
			return s.take(p, i+len(pasteEnd)), nil
		}
		if n := min(len(s.buf)-len(pasteEnd)+1, most-len(pasteEnd)); n > 0 {
			return s.take(p, n), nil
		}
		if err := s.fill(nil); err != nil {
			return s.take(p, min(len(s.buf), most)), err
		}
	}
}

// take moves n bytes of the buffer to p.
func (s *Stream) take(p []byte, n int) int {
	n = copy(p, s.buf[:n])
	s.buf = s.buf[n:]
	return n
}

// nextToken returns the length of the first key in b.
func nextToken(b []byte) (int, tokenState) {
	for n := 1; n <= len(b); n++ {
		if state := scanToken(b[:n]); state != tokenPartial {
			return n, state
		}
	}
	return len(b), tokenPartial
}

// fill waits for more bytes, or until late fires unless it is nil.
func (s *Stream) fill(late <-chan time.Time) error {
	select {
	case b, ok := <-s.chunks:
		if !ok {
			return s.err
		}
		s.buf = append(s.buf, b...)
		return nil
	case <-s.closed:
		return io.EOF
	case <-late:
		return io.ErrNoProgress
	}
}
