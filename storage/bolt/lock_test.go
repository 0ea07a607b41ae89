package bolt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// locked opens the file at path, which another store must hold.
func locked(t *testing.T, path string, o engine.Options) *storage.LockedError {
	t.Helper()
	o.Clock = time.Now
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // not for ever, however busy the machine is
	defer cancel()
	_, err := bolt.Open(ctx, path, o)
	if ctx.Err() != nil {
		t.Error("there is no answer")
	}
	var e *storage.LockedError
	if !errors.As(err, &e) || !errors.Is(err, storage.ErrLocked) || !errors.Is(err, placement.ErrUnavailable) {
		t.Fatalf("it was opened, or refused with %v", err)
	}
	if e.Path != path || e.Hint == "" {
		t.Errorf("it is said: %v", e)
	}
	return e
}

func TestHeldByAnotherProcess(t *testing.T) {
	t.Parallel()
	path, want := sample(t)
	cmd, out := start(t, "hold "+path)
	if !out.Scan() || out.Text() != "held" {
		t.Fatalf("the child says %q", out.Text())
	}
	for _, readOnly := range []bool{false, true} {
		e := locked(t, path, engine.Options{ReadOnly: readOnly})
		if runtime.GOOS != "linux" {
			continue
		}
		if e.PID != cmd.Process.Pid || !strings.HasPrefix(e.Command, filepath.Base(os.Args[0])) {
			t.Errorf("held by pid %d, %q, want %d, %q", e.PID, e.Command, cmd.Process.Pid, os.Args[0])
		}
		if age := time.Since(e.Since); age < -time.Minute || age > 10*time.Minute {
			t.Errorf("held since %s", e.Since)
		}
	}
	// It can still be read, without a lock.
	s := must.Get(bolt.Engine{}.Peek(t.Context(), path))(t)
	storagetest.Same(t, want, s)
}

func TestHeldByThisProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{})
	e := locked(t, path, engine.Options{})
	if runtime.GOOS == "linux" && e.PID != os.Getpid() {
		t.Errorf("held by pid %d, want %d", e.PID, os.Getpid())
	}
	must.Succeed(t, s.Close())
	open(t, path, engine.Options{})
}

func TestWaitsForALittleWhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{})
	freed := make(chan error, 1)
	go func() {
		freed <- s.Close()
	}()
	// There is time enough, whether Close comes before or during the wait.
	open(t, path, engine.Options{Wait: 10 * time.Second})
	if err := <-freed; err != nil {
		t.Error(err)
	}
}

// TestWaitingIsTold waits for a file until Waiting is called with its holder, which then
// closes it.
func TestWaitingIsTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{})
	told := 0
	open(t, path, engine.Options{Wait: time.Hour, Waiting: func(held *storage.LockedError) {
		told++
		if held.Path != path || runtime.GOOS == "linux" && held.PID != os.Getpid() {
			t.Errorf("held by %+v", held)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}})
	must.Be(t, told, 1)
}

// TestNoWaiting tries only once.
func TestNoWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{Wait: -1})
	locked(t, path, engine.Options{Wait: -1})
	must.Succeed(t, s.Close())
	open(t, path, engine.Options{Wait: -1})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	open(t, path, engine.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, must.Err(bolt.Open(ctx, path, engine.Options{Clock: storagetest.Clock(), Wait: time.Hour})), context.Canceled)
}

func TestReadersShareAFile(t *testing.T) {
	t.Parallel()
	path, want := sample(t)
	for range 2 {
		s := open(t, path, engine.Options{ReadOnly: true})
		storagetest.Same(t, want, s.Snapshot())
		storagetest.Clean(t, s)
		err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 4, 4)}).Err()
		must.Fail(t, err, placement.ErrUnsupported)
		if why := s.Capabilities().ReadOnly; !strings.Contains(why, path) {
			t.Errorf("read-only because of %q", why)
		}
		if events, err := s.Events(t.Context(), cloud.EventQuery{}); err != nil || len(events) == 0 {
			t.Errorf("%d events, %v", len(events), err)
		}
	}
	locked(t, path, engine.Options{})
}

// TestPeekBesideAWriter reads a file again and again while it is written. Each reading is
// the cloud of one revision, as the writer had it.
func TestPeekBesideAWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{})
	stop, stopped := make(chan struct{}), make(chan struct{})
	snapshots := map[cloud.Revision]*cloud.Snapshot{0: s.Snapshot()}
	go func() {
		defer close(stopped)
		r := storagetest.NewRandom("peek", 4)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if done, err := s.Apply(t.Context(), r.Change(s.Snapshot())).Result(); err == nil {
				snapshots[done.Snapshot.Revision()] = done.Snapshot
			}
		}
	}()
	var seen []*cloud.Snapshot
	for range 30 {
		got, err := bolt.Engine{}.Peek(t.Context(), path)
		if err != nil {
			t.Errorf("peek: %v", err)
			continue
		}
		seen = append(seen, got)
	}
	close(stop)
	<-stopped
	for _, got := range seen {
		storagetest.Same(t, snapshots[got.Revision()], got)
	}
}
