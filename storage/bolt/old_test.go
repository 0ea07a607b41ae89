package bolt_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// old returns the path of a copy of a file that an older release wrote.
func old(tb testing.TB, name string) string {
	tb.Helper()
	f := must.Get(os.Open(filepath.Join("testdata", name+".db.gz")))(tb)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(tb)
	path := filepath.Join(tb.TempDir(), "placetop.db")
	write(tb, path, must.Get(io.ReadAll(z))(tb))
	return path
}

// oldFiles are files of each older schema, with what is in them: a made-up cloud and, from
// 4.0 on, what commands did to it. In 2.0, 3.0 and the last two, 300 traits are packed; in the
// last, a process was killed whose last 42 revisions are only in the log.
var oldFiles = []struct {
	name      string
	revision  cloud.Revision
	providers int
	notes     []string // of events
}{
	{"schema-1.0", 54, 8, nil},
	{"schema-2.0", 55, 8, nil},
	{"schema-3.0", 55, 8, nil},
	{"schema-4.0", 110, 9, []string{"evacuate clickhouse-1 from cmp-001", "live migration is completed", "undo revision 104: create flavor old.small", "edit resource provider cmp-002", "kafka-2 gets back its claim on cmp-002"}},
	{"schema-4.0-dict", 112, 9, []string{"import 300 records", "create trait CUSTOM_ANCIENT_TRAIT_WITH_A_LONG_NAME_NUMBER_301"}},
	{"schema-4.0-log", 160, 69, []string{"evacuate clickhouse-1 from cmp-001", "host", "claim"}},
}

// whole checks that s shows all that an older file has.
func whole(t *testing.T, s *bolt.Store, revision cloud.Revision, providers int, notes []string) {
	t.Helper()
	snap := s.Snapshot()
	if snap.Revision() != revision || snap.Placement().ProviderCount() != providers {
		t.Fatalf("revision %d, %d providers", snap.Revision(), snap.Placement().ProviderCount())
	}
	storagetest.Clean(t, s)
	events := must.Get(s.Events(t.Context(), cloud.EventQuery{Limit: 10_000}))(t)
	if len(events) != int(revision) {
		t.Errorf("%d events", len(events))
	}
	for _, note := range notes {
		if !slices.ContainsFunc(events, func(ev cloud.Event) bool { return ev.Note == note }) {
			t.Errorf("no event %q", note)
		}
	}
	storagetest.Same(t, snap, storagetest.Replay(t, events))
}

// A file of any older schema opens with all that is in it, and becomes one of the present
// schema.
func TestOldFile(t *testing.T) {
	t.Parallel()
	for _, f := range oldFiles {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			path := old(t, f.name)
			s := open(t, path, engine.Options{})
			whole(t, s, f.revision, f.providers, f.notes)
			must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(5000, 4, 4)}).Result())(t)
			want := s.Snapshot()
			must.Succeed(t, s.Close())
			if v := schemaOf(t, path); v != bolt.Schema() {
				t.Errorf("it is of schema %s, want %s", v, bolt.Schema())
			}
			s = open(t, path, engine.Options{})
			storagetest.Same(t, want, s.Snapshot())
			whole(t, s, f.revision+1, f.providers+2, f.notes)
			if left := must.Get(os.ReadDir(filepath.Dir(path)))(t); len(left) != 1 {
				t.Errorf("beside it are %v", left)
			}
		})
	}
}

// An old file that must not be written shows all the same, and is left as it is. So it is
// with all that reads a file without opening it, or writes another.
func TestOldFileIsRead(t *testing.T) {
	t.Parallel()
	for _, f := range oldFiles {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			path := old(t, f.name)
			was := read(t, path)
			o := engine.Options{Clock: storagetest.Clock()}
			one, other := open(t, path, engine.Options{ReadOnly: true}), open(t, path, engine.Options{ReadOnly: true})
			whole(t, one, f.revision, f.providers, f.notes)
			whole(t, other, f.revision, f.providers, f.notes)
			copied := filepath.Join(t.TempDir(), "copy.db")
			must.Succeed(t, one.BackupFile(t.Context(), copied, diskfile.Options{}))
			whole(t, open(t, copied, engine.Options{}), f.revision, f.providers, f.notes)
			must.Succeed(t, errors.Join(one.Close(), other.Close()))
			if found := must.Get(bolt.VerifyFile(t.Context(), path, o))(t); len(found) > 0 {
				t.Errorf("verify finds %v", found)
			}
			storagetest.Same(t, one.Snapshot(), must.Get(bolt.Engine{}.Peek(t.Context(), path))(t))
			restored := filepath.Join(t.TempDir(), "restored.db")
			must.Get(bolt.Engine{}.Restore(t.Context(), path, restored, o))(t)
			if !bytes.Equal(was, read(t, path)) {
				t.Error("the file was written")
			}
			whole(t, open(t, restored, engine.Options{}), f.revision, f.providers, f.notes)
			must.Get(bolt.Engine{}.Compact(t.Context(), path, o))(t)
			whole(t, open(t, path, engine.Options{}), f.revision, f.providers, f.notes)
		})
	}
}

// A process that upgrades a file may be killed at any moment: the file is the old one, or
// the new one. It is killed as soon as it was seen to change the files so many times, until
// one is done before.
func TestOldFileUpgradeIsKilled(t *testing.T) {
	t.Parallel()
	f := oldFiles[3]
	path := old(t, f.name)
	was := read(t, path)
	upgraded := 0
	for changes, done := 0, false; !done; changes++ {
		write(t, path, was)
		files := listed(t, filepath.Dir(path))
		cmd, opened := start(t, "open "+path)
		ready := make(chan struct{})
		go func() {
			defer close(ready)
			opened.Scan()
		}()
		for seen := 0; seen < changes && !done; {
			select {
			case <-ready:
				done = true
			default:
				if now := listed(t, filepath.Dir(path)); now != files {
					seen, files = seen+1, now
				}
			}
		}
		_ = cmd.Process.Kill()
		<-ready
		_ = cmd.Wait()
		if !bytes.Equal(was, read(t, path)) {
			upgraded++
		}
		s := open(t, path, engine.Options{})
		whole(t, s, f.revision, f.providers, f.notes)
		must.Succeed(t, s.Close())
	}
	if upgraded == 0 {
		t.Error("none was upgraded")
	}
}

// listed returns the files of a folder, with their sizes and when they were written.
func listed(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, f := range must.Get(os.ReadDir(dir))(t) {
		if info, err := f.Info(); err == nil { // else it is gone again
			fmt.Fprintln(&b, info.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// An old file that is damaged is refused, and left as it is; one of which only the journal
// is damaged is read, and can be repaired.
func TestOldFileIsDamaged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file   string
		damage func(tx *bbolt.Tx) error
		say    string
	}{
		"no dictionary": {"schema-4.0-dict", func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("dict")) }, "without a dictionary"},
		"another dictionary": {"schema-4.0-dict", func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("dict"))
			v := bytes.Clone(b.Get([]byte("dict/trait")))
			v[50]++
			return b.Put([]byte("dict/trait"), v)
		}, "the dictionary of trait: checksum does not match"},
		"a record is gone": {"schema-4.0", func(tx *bbolt.Tx) error {
			c := tx.Bucket([]byte(bolt.RecordBucket(placement.KindTrait))).Cursor()
			c.First()
			return c.Delete()
		}, "checksum of its records"},
		"no log": {"schema-4.0-log", func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("log")) }, "its log is missing"},
		"a hole in its log": {"schema-4.0-log", func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("log"))
			v := bytes.Clone(b.Get([]byte("log")))
			clear(v[8<<10 : 9<<10])
			return b.Put([]byte("log"), v)
		}, "what was between is lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := old(t, test.file)
			bolt.Rewrite(t, path, false, test.damage)
			if what := refused(t, path); !strings.Contains(what, test.say) {
				t.Errorf("it is said: %s; want: %s", what, test.say)
			}
		})
	}
	t.Run("journal", func(t *testing.T) {
		t.Parallel()
		path := old(t, "schema-4.0")
		bolt.Rewrite(t, path, false, func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(bolt.JournalBucket))
			k := bolt.JournalKey(70, 0)
			v := bytes.Clone(b.Get(k))
			v[len(v)-1]++
			return b.Put(k, v)
		})
		was := read(t, path)
		s := open(t, path, engine.Options{})
		if s.Condition().Damage == nil || s.Snapshot().Revision() != 110 || s.Capabilities().ReadOnly == "" {
			t.Errorf("damage %v, revision %d", s.Condition().Damage, s.Snapshot().Revision())
		}
		must.Succeed(t, s.Close())
		if !bytes.Equal(was, read(t, path)) {
			t.Error("the file was written")
		}
	})
}

// The newest record of a log may be torn: it was never confirmed.
func TestOldFileWithATornLog(t *testing.T) {
	t.Parallel()
	path := old(t, "schema-4.0-log")
	b := read(t, path)
	at := bytes.LastIndexFunc(b, func(r rune) bool { return r != 0 })
	for head := at &^ (4<<10 - 1); head > 0; head -= 4 << 10 { // the last block that is a record
		if fmt.Sprint(b[head+16:head+24]) == fmt.Sprint([]byte{0, 0, 0, 0, 0, 0, 0, 159}) {
			b[head+40]++
			break
		}
	}
	write(t, path, b)
	whole(t, open(t, path, engine.Options{}), 159, 69, nil)
}

// A disk without room for the upgraded copy says so, and what to do.
func TestOldFileCannotBeReplaced(t *testing.T) {
	t.Parallel()
	path := old(t, "schema-4.0")
	must.Succeed(t, os.Link(path, path+".link"))
	_, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()})
	if remedy, _ := storage.RemedyOf(err); remedy != storage.ReadOnly || !strings.Contains(err.Error(), "2 names") {
		t.Errorf("open: %v", err)
	}
	whole(t, open(t, path, engine.Options{ReadOnly: true}), 110, 9, nil)
}

// A damaged meta page of an old file is told, as of any, and no revision is given out twice.
func TestOldFileWithADamagedMetaPage(t *testing.T) {
	t.Parallel()
	path := old(t, "schema-4.0")
	b := read(t, path)
	b[20]++
	write(t, path, b)
	s := open(t, path, engine.Options{})
	if s.Condition().Aged == "" || s.Snapshot().Revision() < bolt.Leap {
		t.Errorf("revision %d, aged %q", s.Snapshot().Revision(), s.Condition().Aged)
	}
	storagetest.Clean(t, s)
}

// Ctx ends an upgrade.
func TestOldFileUpgradeEnds(t *testing.T) {
	t.Parallel()
	path := old(t, "schema-4.0")
	was := read(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, must.Err(bolt.Open(ctx, path, engine.Options{Clock: storagetest.Clock()})), context.Canceled)
	if !bytes.Equal(was, read(t, path)) {
		t.Error("the file was written")
	}
}

// inspect reads the file at path with bbolt.
func inspect(tb testing.TB, path string, fn func(*bbolt.Tx)) {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must.Succeed(tb, err)
	err = db.View(func(tx *bbolt.Tx) error { fn(tx); return nil })
	must.Succeed(tb, errors.Join(err, db.Close()))
}

// schemaOf returns the format version in the file at path.
func schemaOf(t *testing.T, path string) (v versioned.Version) {
	t.Helper()
	inspect(t, path, func(tx *bbolt.Tx) { v = bolt.FileSchema(tx) })
	return v
}

// Each major version of the schema that was ever written has a file here.
func TestOldFilesOfEachSchema(t *testing.T) {
	t.Parallel()
	have := map[uint16]bool{}
	for _, f := range oldFiles {
		v := schemaOf(t, old(t, f.name))
		if !strings.HasPrefix(f.name, "schema-"+v.String()) {
			t.Errorf("%s is of schema %s", f.name, v)
		}
		have[v.Major] = true
	}
	for major := range bolt.Schema().Major {
		if major > 0 && !have[major] {
			t.Errorf("no file is of schema %d", major)
		}
	}
}
