package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestBackupBesideWriters takes backups while the file is written. Each is a sound file
// of one revision, with the journal up to it.
func TestBackupBesideWriters(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := uint64(10); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.Apply(t.Context(), vcpu(n)).Err(); err != nil {
				must.Fail(t, err, placement.ErrCapacity)
				return
			}
		}
	})
	var newest cloud.Revision
	for i := range 4 {
		var b bytes.Buffer
		before := s.Snapshot().Revision()
		must.Succeed(t, s.Backup(t.Context(), &b))
		path := filepath.Join(t.TempDir(), "backup.db")
		write(t, path, b.Bytes())
		copied := open(t, path, engine.Options{ReadOnly: i%2 == 0})
		rev := copied.Snapshot().Revision()
		if rev < before {
			t.Errorf("the backup is of revision %d, it was taken from %d on", rev, before)
		}
		newest = max(newest, rev)
		storagetest.Clean(t, copied)
		events := must.Get(copied.Events(t.Context(), cloud.EventQuery{Limit: 10_000}))(t)
		storagetest.Same(t, copied.Snapshot(), storagetest.Replay(t, events))
	}
	close(stop)
	writing.Wait()
	// A backup may hold a revision that is on its way to disk and not yet published, but
	// none that never gets published.
	if newest > s.Snapshot().Revision() {
		t.Errorf("a backup is of revision %d, the newest is %d", newest, s.Snapshot().Revision())
	}
}

func TestBackupFile(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	dir := t.TempDir()
	to := filepath.Join(dir, "backup.db")
	must.Succeed(t, s.BackupFile(t.Context(), to, diskfile.Options{}))
	copied := open(t, to, engine.Options{ReadOnly: true})
	storagetest.Same(t, s.Snapshot(), copied.Snapshot())
	first := read(t, to)
	if err := s.BackupFile(t.Context(), to, diskfile.Options{Overwrite: true}); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("over a backup that somebody has open: %v", err)
	}
	if err := copied.Close(); err != nil {
		t.Error(err)
	}
	must.Get(s.Apply(t.Context(), vcpu(10)).Result())(t)
	must.Fail(t, s.BackupFile(t.Context(), to, diskfile.Options{}), placement.ErrExists)
	if !bytes.Equal(first, read(t, to)) {
		t.Error("the backup was overwritten")
	}
	if err := s.BackupFile(t.Context(), to, diskfile.Options{Overwrite: true}); err != nil {
		t.Errorf("over a backup, as told: %v", err)
	}
	if got, err := (bolt.Engine{}).Peek(t.Context(), to); err != nil || got.Revision() != 2 {
		t.Errorf("%v, %v", got, err)
	}
	for name, path := range map[string]string{
		"itself": s.Path(), "a folder": dir, "a folder that is not there": filepath.Join(dir, "no", "backup.db"),
	} {
		var e *storage.TargetError
		if err := s.BackupFile(t.Context(), path, diskfile.Options{Overwrite: true}); !errors.As(err, &e) {
			t.Errorf("to %s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, s.BackupFile(ctx, filepath.Join(dir, "other.db"), diskfile.Options{}), context.Canceled)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	storagetest.Clean(t, s)
}

func TestRestore(t *testing.T) {
	t.Parallel()
	backup, want := sample(t)
	for name, before := range map[string]func(t *testing.T, path string){
		"no file":        func(*testing.T, string) {},
		"another cloud":  func(t *testing.T, path string) { t.Helper(); write(t, path, read(t, fileOf(t))) },
		"a damaged file": func(t *testing.T, path string) { t.Helper(); write(t, path, read(t, backup)[:9000]) },
		"something else": func(t *testing.T, path string) { t.Helper(); write(t, path, []byte("no cloud at all")) },
		"an empty file":  func(t *testing.T, path string) { t.Helper(); write(t, path, nil) },
		"a link to a file": func(t *testing.T, path string) {
			t.Helper()
			real := path + ".real"
			write(t, real, []byte("x"))
			must.Succeed(t, os.Symlink(real, path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "placetop.db")
			before(t, path)
			old, oldErr := os.ReadFile(path)
			done := must.Get(bolt.Engine{}.Restore(t.Context(), backup, path, engine.Options{Clock: storagetest.Clock()}))(t)
			if done.Revision != want.Revision() || !done.At.Equal(want.At()) || (done.Aside == "") != (oldErr != nil) {
				t.Errorf("restored %+v", done)
			}
			if done.Aside != "" && !bytes.Equal(old, read(t, done.Aside)) {
				t.Errorf("%s is not what was there before", done.Aside)
			}
			s := open(t, path, engine.Options{})
			storagetest.Same(t, want, s.Snapshot())
			storagetest.Clean(t, s)
		})
	}
}

// fileOf returns a closed file with one host.
func fileOf(t *testing.T) string {
	t.Helper()
	s := withHost(t, engine.Options{})
	must.Succeed(t, s.Close())
	return s.Path()
}

func TestRestoreTwiceInASecond(t *testing.T) {
	t.Parallel()
	backup, _ := sample(t)
	path := fileOf(t)
	aside := map[string]bool{}
	for range 3 {
		done := must.Get(bolt.Engine{}.Restore(t.Context(), backup, path, engine.Options{Clock: clockAtStart}))(t)
		aside[done.Aside] = true
	}
	if len(aside) != 3 {
		t.Errorf("three files were put aside as %v", aside)
	}
}

func TestRestoreIsRefused(t *testing.T) {
	t.Parallel()
	backup, _ := sample(t)
	torn := filepath.Join(t.TempDir(), "torn.db")
	write(t, torn, read(t, backup)[:40_000])
	empty := filepath.Join(t.TempDir(), "empty.db")
	write(t, empty, nil)
	held := withHost(t, engine.Options{})
	for name, test := range map[string]struct {
		backup, path string
		want         error
	}{
		"a damaged backup":       {torn, fileOf(t), storage.ErrDamaged},
		"an empty backup":        {empty, fileOf(t), storage.ErrDamaged},
		"no backup":              {filepath.Join(t.TempDir(), "none"), fileOf(t), os.ErrNotExist},
		"over an open file":      {backup, held.Path(), storage.ErrLocked},
		"from an open file":      {held.Path(), fileOf(t), storage.ErrLocked},
		"the backup over itself": {backup, backup, placement.ErrUnavailable},
	} {
		before := read(t, test.path)
		_, err := bolt.Engine{}.Restore(t.Context(), test.backup, test.path, engine.Options{Clock: storagetest.Clock()})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(before, read(t, test.path)) {
			t.Errorf("%s: the file was changed", name)
		}
		left, err := filepath.Glob(test.path + ".*")
		if err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	limit(t, s, 5, 0)
	for n := range uint64(200) {
		c := vcpu(10 + n)
		vm := storagetest.Instance(10 + n)
		vm.Flavor = strings.Repeat("f", 30_000)
		modeltest.PutIn(&c, s.Snapshot(), vm)
		must.Get(s.Apply(t.Context(), c).Result())(t)
	}
	for n := range uint64(190) {
		c := cloud.Change{Ops: []placement.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(10 + n)}}}
		modeltest.DeleteIn(&c, s.Snapshot(), storagetest.Instance(10+n))
		must.Get(s.Apply(t.Context(), c).Result())(t)
	}
	o := engine.Options{Clock: storagetest.Clock()}
	if _, err := (bolt.Engine{}).Compact(t.Context(), s.Path(), o); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("of an open file: %v", err)
	}
	must.Succeed(t, s.Close())
	done := must.Get(bolt.Engine{}.Compact(t.Context(), s.Path(), o))(t)
	if info, err := os.Stat(s.Path()); err != nil || info.Size() != done.After || done.After*4 > done.Before {
		t.Errorf("compacted %+v, %v, now %d", done, err, info.Size())
	}
	again := open(t, s.Path(), engine.Options{})
	storagetest.Same(t, s.Snapshot(), again.Snapshot())
	storagetest.Clean(t, again)
	must.Get(again.Apply(t.Context(), vcpu(999)).Result())(t)
	torn := filepath.Join(t.TempDir(), "torn.db")
	write(t, torn, read(t, fileOf(t))[:9000])
	for path, want := range map[string]error{torn: storage.ErrDamaged, filepath.Join(t.TempDir(), "none"): os.ErrNotExist} {
		must.Fail(t, must.Err(bolt.Engine{}.Compact(t.Context(), path, o)), want)
	}
}

// panicky is a writer that panics as net/http does.
type panicky struct{}

func (panicky) Write([]byte) (int, error) { panic("abort") }

func TestBackupToAWriterThatPanics(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of the writer is gone")
			}
		}()
		_ = s.Backup(t.Context(), panicky{})
	}()
	works(t, s, 10)
}
