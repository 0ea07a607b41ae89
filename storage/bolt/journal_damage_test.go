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
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestDamagedJournal damages the journal of a file in every way that leaves its records
// sound. The file opens for reading and says so, is not copied to a useless backup,
// and all that it holds can be read.
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
	}{
		"a torn entry":     {bolt: edit(7, func(b []byte) []byte { return b[:len(b)/2] }), want: "revision 7: entry 0: checksum does not match"},
		"a wrong checksum": {bolt: edit(9, func(b []byte) []byte { b[0]++; return b }), want: "revision 9: entry 0: checksum"},
		"another byte":     {bolt: edit(9, func(b []byte) []byte { b[len(b)-1]++; return b }), want: "revision 9: entry 0: checksum"},
		"garbage":          {bolt: edit(3, func([]byte) []byte { return []byte("nothing of ours") }), want: "revision 3: entry 0: checksum"},
		"an empty entry":   {bolt: edit(3, func([]byte) []byte { return []byte{} }), want: "revision 3: entry 0: checksum"},
		"the newest entry": {bolt: edit(last, func(b []byte) []byte { return b[:9] }), want: "checksum"},
		"sealed garbage":   {bolt: edit(5, func([]byte) []byte { return sealed([]byte("....nothing of ours")) }), want: "revision 5", deep: true},
		"an event of another": {bolt: func(tx *bbolt.Tx) error {
			return journal(tx).Put(bolt.JournalKey(5, 0), bytes.Clone(journal(tx).Get(bolt.JournalKey(6, 0))))
		}, want: "revision 5: its head", deep: true},
		"a gap":           {bolt: func(tx *bbolt.Tx) error { return journal(tx).Delete(bolt.JournalKey(7, 0)) }, want: "revision 8 follows revision 6"},
		"no newest":       {bolt: func(tx *bbolt.Tx) error { return journal(tx).Delete(bolt.JournalKey(last, 0)) }, want: "it ends with revision"},
		"a part too many": {bolt: func(tx *bbolt.Tx) error { return journal(tx).Put(bolt.JournalKey(7, 3), sealed([]byte("....."))) }, want: "revision 7: entry 3 follows entry 0"},
		"one from the future": {bolt: func(tx *bbolt.Tx) error {
			return journal(tx).Put(bolt.JournalKey(last+1, 0), bytes.Clone(journal(tx).Get(bolt.JournalKey(last, 0))))
		}, want: "it ends with revision"},
		"a foreign key": {bolt: func(tx *bbolt.Tx) error { return journal(tx).Put([]byte("zzz"), []byte("x")) }, want: "an entry without a revision"},
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
			o := engine.Options{Clock: storagetest.Clock()}
			found, err := bolt.VerifyFile(t.Context(), path, o)
			if err != nil || !slices.ContainsFunc(found, func(f storage.Defect) bool {
				return strings.Contains("journal, "+f.String(), test.want) || strings.Contains(f.What, afterColon(test.want))
			}) {
				t.Errorf("verify finds %v, %v, want %s", found, err, test.want)
			}
			if slices.ContainsFunc(found, func(f storage.Defect) bool { return f.Remedy != storage.DropJournal }) {
				t.Errorf("verify finds %v, and all of that is the journal's", found)
			}
			s := open(t, path, o)
			storagetest.Same(t, want, s.Snapshot())
			if !test.deep {
				d := s.Condition().Damage
				if d == nil || !strings.Contains(d.Error(), test.want) || d.Remedy != storage.DropJournal {
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
				"restore": func() error { _, err := bolt.Engine{}.Restore(t.Context(), path, to, o); return err },
				"compact": func() error { _, err := bolt.Engine{}.Compact(t.Context(), path, o); return err },
			} {
				if err := do(); !errors.Is(err, storage.ErrDamaged) && !(test.deep && what == "compact") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if !bytes.Equal(before, read(t, path)) {
				t.Error("the damaged file was written")
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

// isCut reports whether an error says that a file can be copied without its journal.
func isCut(err error, path string) bool {
	remedy, at := storage.RemedyOf(err)
	return remedy == storage.DropJournal && at == path
}
