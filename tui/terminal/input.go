package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Hold is how long an unfinished escape sequence is held for its rest. A lone
// esc is late by as much.
const Hold = 25 * time.Millisecond

// Input is the keyboard of a local terminal. Each Read returns one key, or a
// piece of one paste, and never keeps a byte back: what Read has not returned
// is still in the kernel. So the cancelable reader of Bubble Tea, which waits
// on the descriptor, sees all there is, and a canceled read loses nothing.
//
// One key per read has two more effects: keys that arrive together over a slow
// link stay separate messages, and a focus report is seen although a key
// follows it.
type Input struct {
	file *os.File

	hold    time.Duration
	reply   func([]byte) // receives answers of the terminal; nil drops them
	pasting bool
	tail    []byte // the end of the paste so far, shorter than pasteEnd
	long    []byte // an answer of the terminal that is too long for the reader's buffer
}

// NewInput returns the keyboard of the terminal that f is open on.
func NewInput(f *os.File) *Input {
	return &Input{file: f, hold: Hold}
}

// Write implements cancelreader.File, with Close, Fd and Name.
func (in *Input) Write(p []byte) (int, error) { return in.file.Write(p) }

// Close closes the terminal.
func (in *Input) Close() error { return in.file.Close() }

// Fd returns the terminal's descriptor.
func (in *Input) Fd() uintptr { return in.file.Fd() }

// Name returns the terminal's path.
func (in *Input) Name() string { return in.file.Name() }

// Read waits for a key and puts its bytes into p. The terminal's answers to
// queries are not keys, whoever asked: for them Read returns no bytes and no
// error.
func (in *Input) Read(p []byte) (int, error) {
	if len(p) < 2 {
		return in.file.Read(p)
	}
	if in.pasting {
		return in.readPaste(p)
	}
	return in.readToken(p, 0)
}

// readToken reads byte by byte, into p from start, until a key is complete, the hold time
// has passed or p is full except for one byte: a reader that got a full buffer would wait
// for more.
func (in *Input) readToken(p []byte, start int) (int, error) {
	in.long = in.long[:0]
	n := start
	for {
		if n == len(p)-1 {
			if stringState(p[start:n]) == tokenPartial && isString(p[start:n]) {
				return start, in.dropString(p[start:n])
			}
			return n, nil
		}
		m, err := in.file.Read(p[n : n+1])
		if m == 0 || err != nil {
			if n > start && err != nil && !errors.Is(err, io.EOF) {
				return n, nil
			}
			return n, err
		}
		n += m
		switch scanToken(p[start:n]) {
		case tokenWhole:
			in.pasting = string(p[start:n]) == pasteStart
			in.tail = in.tail[:0]
			return n, nil
		case tokenReply:
			if in.reply != nil {
				in.reply(bytes.Clone(p[start:n]))
			}
			return start, nil
		case tokenPartial:
		}
		more, err := readable(in.Fd(), in.hold)
		if err != nil {
			return n, err
		}
		if !more {
			return n, nil
		}
	}
}

// isString reports whether b starts a control string.
func isString(b []byte) bool {
	return len(b) > 2 && b[0] == esc && (b[1] == ']' || b[1] == 'P' || b[1] == '_' || b[1] == '^' || b[1] == 'X')
}

// dropString reads and drops the rest of a control string that began with b.
func (in *Input) dropString(b []byte) error {
	in.long = append(in.long[:0], b...)
	for scanToken(in.long) == tokenPartial {
		more, err := readable(in.Fd(), in.hold)
		if err != nil || !more {
			return err
		}
		var c [1]byte
		if m, err := in.file.Read(c[:]); m == 0 || err != nil {
			return err
		}
		in.long = append(in.long, c[0])
	}
	return nil
}

// readPaste reads what is available of a paste. Of keys that follow the end of the paste
// in the same read, it reads up to a complete key.
func (in *Input) readPaste(p []byte) (int, error) {
	n, err := in.file.Read(p[:len(p)-1])
	if n == 0 || err != nil {
		return n, err
	}
	seen := append(in.tail, p[:n]...)
	rest, ended := afterPaste(seen)
	if !ended {
		if keep := len(pasteEnd) - 1; len(seen) > keep {
			seen = seen[len(seen)-keep:]
		}
		in.tail = append(in.tail[:0], seen...)
		return n, nil
	}
	in.pasting = false
	in.tail = in.tail[:0]
	return in.finishToken(p, n, rest)
}

// finishToken continues reading if rest, the bytes after a paste at the end of p[:n],
// ends within a key.
func (in *Input) finishToken(p []byte, n int, rest []byte) (int, error) {
	var last []byte // the unfinished key
	for len(rest) > 0 {
		m, state := nextToken(rest)
		if state == tokenPartial {
			last = append(last, rest...)
		}
		rest = rest[m:]
	}
	for len(last) > 0 && n < len(p)-1 {
		more, err := readable(in.Fd(), in.hold)
		if err != nil || !more {
			return n, err
		}
		m, err := in.file.Read(p[n : n+1])
		if m == 0 || err != nil {
			return n, err
		}
		last = append(last, p[n])
		n++
		if scanToken(last) != tokenPartial {
			break
		}
	}
	return n, nil
}

// readable waits until fd can be read without blocking, at most for d.
func readable(fd uintptr, d time.Duration) (bool, error) {
	if fd >= unix.FD_SETSIZE {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(d.Milliseconds()))
		return n > 0, os.NewSyscallError("poll", ignoreInterrupt(err))
	}
	var set unix.FdSet // select, because poll refuses terminals on macOS
	for {
		set.Zero()
		set.Set(int(fd))
		tv := unix.NsecToTimeval(int64(d))
		n, err := unix.Select(int(fd)+1, &set, nil, nil, &tv)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return false, os.NewSyscallError("select", err)
		default:
			return n > 0, nil
		}
	}
}

// ignoreInterrupt drops EINTR: to the caller it looks as if nothing was available.
func ignoreInterrupt(err error) error {
	if errors.Is(err, unix.EINTR) {
		return nil
	}
	return err
}
