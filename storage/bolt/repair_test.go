package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// repaired repairs the journal of a file that holds the cloud want, and checks all that
// Repair promises. It returns the result.
func repaired(t *testing.T, path string, want *cloud.Snapshot) engine.RepairResult {
	t.Helper()
	before := read(t, path)
	o := bolt.Options{Clock: storagetest.Clock()}
	tried, err := bolt.Repair(t.Context(), path, o, engine.RepairOptions{DryRun: true})
	if err != nil || tried.Damage == "" || !bytes.Equal(before, read(t, path)) {
		t.Fatalf("tried only: %+v, %v", tried, err)
	}
	done := must.Get(bolt.Repair(t.Context(), path, o, engine.RepairOptions{Actor: "ann"}))(t)
	if !bytes.Equal(before, read(t, done.Aside)) {
		t.Error("the copy is not what was there before")
	}
	if err := os.Remove(done.Aside); err != nil {
		t.Error(err)
	}
	if tried.Aside = done.Aside; tried != done {
		t.Errorf("it was to come to %+v, and came to %+v", tried, done)
	}
	s := open(t, path, bolt.Options{})
	got := s.Snapshot()
	if s.Damage() != nil || s.Capabilities().ReadOnly != "" || got.Revision() != done.Revision || got.Revision() != want.Revision()+1 {
		t.Errorf("repaired to %+v: revision %d, %v", done, got.Revision(), s.Damage())
	}
	storagetest.Clean(t, s)
	if !bytes.Equal(records(t, want), records(t, s.Snapshot())) || !bytes.Equal(records(t, want), records(t, reverted(t, s, 1))) {
		t.Error("the records are not what they were")
	}
	events := must.Get(s.Events(t.Context(), cloud.EventQuery{Limit: 1 << 20}))(t)
	if len(events) != done.Kept+1 || done.Kept > 0 && events[done.Kept].Revision != done.First {
		t.Errorf("%d events are left, after %+v", len(events), done)
	}
	if ev := events[0]; ev.Actor != "ann" || !strings.Contains(ev.Note, done.Damage) || len(ev.Changes) > 0 {
		t.Errorf("the journal says of the repair: %+v", ev)
	}
	reverted(t, s, done.Kept+1) // the rest of the past is readable
	done.Aside = ""
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := s.BackupFile(t.Context(), copied, diskfile.Options{}); err != nil {
		t.Errorf("backup: %v", err)
	}
	if err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(900, 4, 4)}).Err(); err != nil {
		t.Errorf("apply: %v", err)
	}
	storagetest.Clean(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return done
}

// records returns everything in a cloud, as an export.
func records(t *testing.T, s *cloud.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, ops.Export(&b, s))
	return b.Bytes()
}

// reverted returns the cloud in s as it was n revisions ago.
func reverted(t *testing.T, s *bolt.Store, n int) *cloud.Snapshot {
	t.Helper()
	events, err := s.Events(t.Context(), cloud.EventQuery{Limit: n})
	if err != nil || len(events) != n {
		t.Fatalf("%d events, %v", len(events), err)
	}
	at := s.Snapshot()
	for _, ev := range events {
		at = must.Get(at.Before(ev))(t)
	}
	return at
}

// TestDamagedJournal damages the journal of a file in every way that leaves its records
// sound. The file opens for reading and says so, is not copied to a useless backup, and
// is as good as new once the journal is cut.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	good, want := sample(t)
	image := read(t, good)
	journal := func(tx *bbolt.Tx) *bbolt.Bucket { return tx.Bucket([]byte(bolt.JournalBucket)) }
	edit := func(rev cloud.Revision, fn func([]byte) []byte) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error {
			key := bolt.JournalKey(rev, 0)
			return journal(tx).Put(key, fn(bytes.Clone(journal(tx).Get(key))))
		}
	}
	sealed := func(b []byte) []byte { bolt.Seal(b); return b }
	last := want.Revision()
	for name, test := range map[string]struct {
		bolt  func(tx *bbolt.Tx) error // changes the file through bbolt
		bytes func(b []byte) []byte    // changes the bytes of the file
		deep  bool                     // it shows only when the events are read
		want  string
		first cloud.Revision // the oldest one left; 0 for none
	}{
		"a torn entry":     {bolt: edit(7, func(b []byte) []byte { return b[:len(b)/2] }), want: "revision 7: entry 0: checksum does not match", first: 8},
		"a wrong checksum": {bolt: edit(9, func(b []byte) []byte { b[0]++; return b }), want: "revision 9: entry 0: checksum", first: 10},
		"another byte":     {bolt: edit(9, func(b []byte) []byte { b[len(b)-1]++; return b }), want: "revision 9: entry 0: checksum", first: 10},
		"garbage":          {bolt: edit(3, func([]byte) []byte { return []byte("nothing of ours") }), want: "revision 3: entry 0: checksum", first: 4},
		"an empty entry":   {bolt: edit(3, func([]byte) []byte { return []byte{} }), want: "revision 3: entry 0: checksum", first: 4},
		"the newest entry": {bolt: edit(last, func(b []byte) []byte { return b[:9] }), want: "checksum"},
		"sealed garbage":   {bolt: edit(5, func([]byte) []byte { return sealed([]byte("....nothing of ours")) }), want: "revision 5", deep: true, first: 6},
		"an event of another": {bolt: func(tx *bbolt.Tx) error {
			return journal(tx).Put(bolt.JournalKey(5, 0), bytes.Clone(journal(tx).Get(bolt.JournalKey(6, 0))))
		}, want: "revision 5: its head", deep: true, first: 6},
		"a gap":           {bolt: func(tx *bbolt.Tx) error { return journal(tx).Delete(bolt.JournalKey(7, 0)) }, want: "revision 8 follows revision 6", first: 8},
		"no newest":       {bolt: func(tx *bbolt.Tx) error { return journal(tx).Delete(bolt.JournalKey(last, 0)) }, want: "it ends with revision"},
		"a part too many": {bolt: func(tx *bbolt.Tx) error { return journal(tx).Put(bolt.JournalKey(7, 3), sealed([]byte("....."))) }, want: "revision 7: entry 3 follows entry 0", first: 8},
		"one from the future": {bolt: func(tx *bbolt.Tx) error {
			return journal(tx).Put(bolt.JournalKey(last+1, 0), bytes.Clone(journal(tx).Get(bolt.JournalKey(last, 0))))
		}, want: "it ends with revision", first: 1},
		"a foreign key": {bolt: func(tx *bbolt.Tx) error { return journal(tx).Put([]byte("zzz"), []byte("x")) }, want: "an entry without a revision", first: 1},
		"no bucket":     {bolt: func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(bolt.JournalBucket)) }, want: "it has no bucket journal"},
		"an empty bucket": {bolt: func(tx *bbolt.Tx) error {
			err := tx.DeleteBucket([]byte(bolt.JournalBucket))
			_, made := tx.CreateBucket([]byte(bolt.JournalBucket))
			return errors.Join(err, made)
		}, want: "it is empty"},
		"a torn page":                {bytes: func(b []byte) []byte { return tearJournal(b, func(page []byte) { clear(page[:64]) }) }, want: "its pages are damaged"},
		"a page that is another one": {bytes: func(b []byte) []byte { return tearJournal(b, func(page []byte) { page[0]++ }) }, want: "its pages are damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "placetop.db")
			b := bytes.Clone(image)
			if test.bytes != nil {
				b = test.bytes(b)
			}
			write(t, path, b)
			if test.bolt != nil {
				bolt.Rewrite(t, path, false, test.bolt)
			}
			before := read(t, path)
			o := bolt.Options{Clock: storagetest.Clock()}
			found, err := bolt.VerifyFile(t.Context(), path, o)
			if err != nil || !slices.ContainsFunc(found, func(f storage.Defect) bool {
				return strings.Contains("journal, "+f.String(), test.want) || strings.Contains(f.What, afterColon(test.want))
			}) {
				t.Errorf("verify finds %v, %v, want %s", found, err, test.want)
			}
			if slices.ContainsFunc(found, func(f storage.Defect) bool { return f.Remedy != storage.CutJournal }) {
				t.Errorf("verify finds %v, and all of that is the journal's", found)
			}
			s := open(t, path, o)
			storagetest.Same(t, want, s.Snapshot())
			if !test.deep {
				d := s.Damage()
				if d == nil || !strings.Contains(d.Error(), test.want) || d.Remedy != storage.CutJournal {
					t.Errorf("opened with %v, want %s", d, test.want)
				}
				err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(900, 4, 4)}).Err()
				if !errors.Is(err, placement.ErrUnsupported) || !isCut(err, path) {
					t.Errorf("apply: %v", err)
				}
				if again, err := s.Verify(t.Context()); err != nil || !slices.Equal(again, found) {
					t.Errorf("verify of the open file finds %v, %v, want %v", again, err, found)
				}
				must.Fail(t, s.Backup(t.Context(), new(bytes.Buffer)), storage.ErrDamaged)
				events, err := s.Events(t.Context(), cloud.EventQuery{Limit: 1 << 20})
				if err != nil || len(events) > 0 && events[0].Revision != last {
					t.Errorf("%d events, %v", len(events), err)
				}
			}
			to := filepath.Join(t.TempDir(), "copy.db")
			if err := s.BackupFile(t.Context(), to, diskfile.Options{}); !errors.Is(err, storage.ErrDamaged) || !isCut(err, path) {
				t.Errorf("backup: %v", err)
			}
			if left, err := os.ReadDir(filepath.Dir(to)); err != nil || len(left) > 0 {
				t.Errorf("the backup left %v, %v", left, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			for what, do := range map[string]func() error{
				"restore": func() error { _, err := bolt.Restore(t.Context(), path, to, o); return err },
				"compact": func() error { _, err := bolt.Compact(t.Context(), path, o); return err },
			} {
				if err := do(); !errors.Is(err, storage.ErrDamaged) && !(test.deep && what == "compact") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if !bytes.Equal(before, read(t, path)) {
				t.Error("the damaged file was written")
			}
			if done := repaired(t, path, want); done.First != test.first {
				t.Errorf("what is left begins with revision %d, want %d", done.First, test.first)
			}
		})
	}
}

// afterColon returns what Verify says of a revision, without the revision.
func afterColon(s string) string {
	if _, what, ok := strings.Cut(s, ": "); ok {
		return what
	}
	return s
}

// tearJournal damages the pages that only the journal uses, those whose entries begin
// with the key of its first revision or a later one.
func tearJournal(b []byte, tear func(page []byte)) []byte {
	size := os.Getpagesize()
	for at := 2 * size; at+size <= len(b); at += size {
		page := b[at : at+size]
		ne := binary.NativeEndian
		flags, count := ne.Uint16(page[8:]), ne.Uint16(page[10:])
		if flags != 2 || count == 0 || int(ne.Uint64(page)) != at/size {
			continue
		}
		pos, ksize := int(ne.Uint32(page[16+4:])), ne.Uint32(page[16+8:])
		if from := 16 + pos; ksize == 12 && from+12 <= size && bytes.Equal(page[from:from+6], make([]byte, 6)) {
			tear(page)
		}
	}
	return b
}

func TestRepairIsRefused(t *testing.T) {
	t.Parallel()
	o := bolt.Options{Clock: storagetest.Clock()}
	good, _ := sample(t)
	both := filepath.Join(t.TempDir(), "both.db")
	write(t, both, read(t, good))
	bolt.Rewrite(t, both, false, func(tx *bbolt.Tx) error {
		records := tx.Bucket([]byte(bolt.RecordBucket(placement.KindConsumer)))
		k, _ := records.Cursor().First()
		return errors.Join(records.Delete(bytes.Clone(k)), tx.DeleteBucket([]byte(bolt.JournalBucket)))
	})
	held := withHost(t, bolt.Options{})
	for name, test := range map[string]struct {
		path string
		want error
	}{
		"records are damaged, too": {both, storage.ErrDamaged},
		"an open file":             {held.Path(), storage.ErrLocked},
		"no file":                  {filepath.Join(t.TempDir(), "none"), os.ErrNotExist},
	} {
		if _, err := bolt.Repair(t.Context(), test.path, o, engine.RepairOptions{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := read(t, good)
	if done, err := bolt.Repair(t.Context(), good, o, engine.RepairOptions{}); err != nil || done.Damage != "" || !bytes.Equal(before, read(t, good)) {
		t.Errorf("a sound file: %+v, %v", done, err)
	}
}

// isCut reports whether an error says that the journal of a file can be cut.
func isCut(err error, path string) bool {
	remedy, at := storage.RemedyOf(err)
	return remedy == storage.CutJournal && at == path
}
