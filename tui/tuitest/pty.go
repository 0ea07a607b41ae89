package tuitest

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/placetop/placetop/model/modeltest/must"
)

// PTY is a pseudo terminal. What the program under test writes to TTY shows on
// the emulator, and what the test types it reads from TTY.
type PTY struct {
	*Emulator

	// TTY is the end for the program.
	TTY *os.File

	t      testing.TB
	master *os.File
}

// OpenPTY returns a terminal of width x height cells that ends with the test.
func OpenPTY(t testing.TB, width, height int) *PTY {
	t.Helper()
	master, tty, err := openPTY()
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	p := &PTY{Emulator: NewEmulator(width, height), TTY: tty, t: t, master: master}
	p.setSize(width, height)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 32<<10)
		for {
			n, err := master.Read(buf)
			_, _ = p.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		_ = master.Close()
		<-done
		_ = p.Close()
	})
	return p
}

// Type writes s to the program as the keyboard would, in one piece.
func (p *PTY) Type(s string) {
	p.t.Helper()
	if _, err := p.master.WriteString(s); err != nil {
		p.t.Fatalf("type %q: %v", s, err)
	}
}

// Resize changes the size of the window and tells this process of it.
func (p *PTY) Resize(width, height int) {
	p.t.Helper()
	p.Emulator.Resize(width, height)
	p.setSize(width, height)
	must.Succeed(p.t, unix.Kill(os.Getpid(), unix.SIGWINCH))
}

func (p *PTY) setSize(width, height int) {
	p.t.Helper()
	size := &unix.Winsize{Row: uint16(height), Col: uint16(width)}
	must.Succeed(p.t, unix.IoctlSetWinsize(int(p.master.Fd()), unix.TIOCSWINSZ, size))
}

// WaitForText blocks until text is somewhere on the screen.
func (p *PTY) WaitForText(text string) {
	p.t.Helper()
	p.Await(p.t, "the text "+text, func(lines []string) bool {
		return strings.Contains(strings.Join(lines, "\n"), text)
	})
}
