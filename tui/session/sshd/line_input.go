package sshd

import (
	"io"
	"sync"
)

// typedAhead is how much input is kept for a command that does not read it, in pieces.
const typedAhead = 256

// The codes of ^C and ^D.
const interrupts, endsInput = 3, 4

// lineInput is what a command reads from a terminal, with the little line discipline that it
// needs: a carriage return ends a line, ^D the input, and ^C interrupts the command.
type lineInput struct {
	pieces chan []byte
	rest   []byte
}

// IsTerminal reports that it is a terminal, so that a command may wait for enter.
func (*lineInput) IsTerminal() bool { return true }

// Cooked returns the keyboard of the session's terminal for a command that may read lines,
// and echoes what is typed. Interrupt is called at ^C.
func (s *Session) Cooked(interrupt func()) io.Reader {
	c := &lineInput{pieces: make(chan []byte, typedAhead)}
	go func() {
		end := sync.OnceFunc(func() { close(c.pieces) })
		defer end()
		ended := false
		buf := make([]byte, 1024)
		for {
			n, err := s.Stdin().Read(buf)
			var line []byte
			for _, b := range buf[:n] {
				switch {
				case b == interrupts:
					interrupt()
					return
				case b == endsInput:
					ended = true
				case ended: // the command continues, and can still be interrupted
				case b == '\r':
					line = append(line, '\n')
				default:
					line = append(line, b)
				}
			}
			if len(line) > 0 {
				_, _ = s.Stdout().Write(line) // a client that has gone sees no echo
				select {
				case c.pieces <- line:
				default: // nothing reads
				}
			}
			if ended {
				end()
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

// Read implements io.Reader.
func (c *lineInput) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		piece, ok := <-c.pieces
		if !ok {
			return 0, io.EOF
		}
		c.rest = piece
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
