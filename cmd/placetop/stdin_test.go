package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
)

func TestUntilDone(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 20_000)
	if err := iotest.TestReader(&contextReader{ctx: t.Context(), from: iotest.HalfReader(strings.NewReader(text))}, []byte(text)); err != nil {
		t.Error(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	u := &contextReader{ctx: ctx, from: r}
	go w.Write([]byte("a"))
	if n, err := u.Read(make([]byte, 8)); n != 1 || err != nil {
		t.Fatalf("got %d, %v", n, err)
	}
	cancel()
	must.Fail(t, must.Err(u.Read(make([]byte, 8))), context.Canceled)
}

// TestInterrupt interrupts a command that waits for its input, as ctrl+c does: it says
// so, exits with 1, and has made no file.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		db := filepath.Join(t.TempDir(), "x.db")
		cmd := exec.CommandContext(t.Context(), "placetop", "import", "-", "--db", db)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		must.Succeed(t, err)
		// Under nohup, what is started here would ignore hangups as well, unless they are
		// handled meanwhile. Whether they are ignored cannot be told: Ignored forgets it
		// once any test has handled them.
		handled := make(chan os.Signal, 1)
		signal.Notify(handled, sig)
		must.Succeed(t, cmd.Start())
		signal.Stop(handled)
		// This is more than a pipe holds: once it is written, the program is reading.
		must.Get(in.Write([]byte(strings.Repeat("\n", 1<<20))))(t)
		must.Succeed(t, cmd.Process.Signal(sig))
		err = cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
			t.Errorf("%v: ended with %v", sig, err)
		}
		if want := "placetop: interrupted; nothing more was written\n"; stderr.String() != want {
			t.Errorf("%v: said %q, want %q", sig, stderr.String(), want)
		}
		if matches, err := filepath.Glob(db + "*"); err != nil || len(matches) > 0 {
			t.Errorf("%v: left %v, %v", sig, matches, err)
		}
	}
}

// TestInterruptedCopy interrupts a copy whose cloud has got to its file, and has not been read
// again: nothing of it is left, as nothing says that it is whole.
func TestInterruptedCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.db"), filepath.Join(dir, "to.db")
	must.Succeed(t, exec.CommandContext(t.Context(), "placetop", "demo", "--hosts", "400", "--no-tui", "--db", from).Run())
	cmd := exec.CommandContext(t.Context(), "placetop", "copy", from, to)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	must.Succeed(t, cmd.Start())
	for {
		if is, err := (bolt.Engine{}).Peek(t.Context(), to); err == nil && is.Revision() > 0 {
			break
		}
	}
	must.Succeed(t, cmd.Process.Signal(os.Interrupt))
	err := cmd.Wait()
	left := must.Get(filepath.Glob(to + "*"))(t)
	if err == nil { // it was done before
		must.Match(t, []string{to}, left)
		return
	}
	must.Be(t, stderr.String(), "placetop: interrupted; nothing more was written\n")
	must.Match(t, []string(nil), left)
}
