package terminal

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// leastBuffer is the least buffer of a Read: it has room for what one byte may add.
const leastBuffer = 2 * maxKey

// source is where the bytes of a keyboard come from.
type source interface {
	// next waits for a byte.
	next() (byte, error)
	// ready waits for a byte, at most for d, and reports whether there is one. If there
	// will be no more, next says why.
	ready(d time.Duration) (bool, error)
}

// keyboard reads keys: each Read returns one, or a piece of one paste.
type keyboard struct {
	src source
	decoder
}

func newKeyboard(src source) *keyboard {
	return &keyboard{src: src, decoder: decoder{hold: Hold}}
}

// SetHold sets how long an unfinished escape sequence is held for its rest. A lone esc is
// delayed by as much. The default is Hold. It must be called before the first Read.
func (k *keyboard) SetHold(hold time.Duration) { k.hold = hold }

// SetReply sets take to be called with the terminal's answers to queries, from the
// goroutine that reads keys. It must be called before the first Read.
func (k *keyboard) SetReply(take func(reply []byte)) { k.reply = take }

// Read waits for a key and puts its bytes into p. The terminal's answers to queries are
// not keys, whoever asked: for them, and for all that is dropped, Read returns no bytes
// and no error.
//
// Of a paste it only returns a piece while there is more to read: a reader that waits for
// the terminal, not for Read, would not notice that nothing comes any more.
func (k *keyboard) Read(p []byte) (int, error) {
	if len(p) < leastBuffer {
		return 0, io.ErrShortBuffer
	}
	k.out = k.out[:0]
	var c byte
	var err error
	if len(k.held) > 0 {
		c, k.held = k.held[0], nil
	} else if c, err = k.src.next(); err != nil {
		return 0, err
	}
	k.feed(c)
	for {
		wait := k.wait()
		if wait == 0 {
			break
		}
		more, err := k.src.ready(wait)
		if more && len(k.out) > len(p)-leastBuffer {
			break // the rest comes with the next Read; a full buffer would make its reader wait for more
		}
		if more {
			c, err = k.src.next()
		}
		if !more || err != nil { // an error comes again
			k.lapse()
			continue
		}
		k.feed(c)
	}
	return copy(p, k.out), nil
}

// Input is the keyboard of a local terminal. What Read has not returned is still in the
// kernel. So the cancelable reader of Bubble Tea, which waits on the descriptor, sees all
// there is, and a canceled read loses nothing.
//
// One key per read has two more effects: keys that arrive together over a slow
// link stay separate messages, and a focus report is seen although a key
// follows it.
type Input struct {
	*keyboard
	file *os.File
}

// NewInput returns the keyboard of the terminal that f is open on.
func NewInput(f *os.File) *Input {
	return &Input{keyboard: newKeyboard(descriptor{f}), file: f}
}

// Write implements cancelreader.File, with Close, Fd and Name.
func (in *Input) Write(p []byte) (int, error) { return in.file.Write(p) }

// Close closes the terminal.
func (in *Input) Close() error { return in.file.Close() }

// Fd returns the terminal's descriptor.
func (in *Input) Fd() uintptr { return in.file.Fd() }

// Name returns the terminal's path.
func (in *Input) Name() string { return in.file.Name() }

// descriptor reads from a file.
type descriptor struct{ *os.File }

func (f descriptor) next() (byte, error) {
	var c [1]byte
	n, err := f.Read(c[:])
	if n == 0 && err == nil {
		err = io.ErrNoProgress
	}
	return c[0], err
}

func (f descriptor) ready(d time.Duration) (bool, error) { return readable(f.Fd(), d) }

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
