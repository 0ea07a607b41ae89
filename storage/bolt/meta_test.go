package bolt_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestDamagedMetaHeader damages the header of a meta page, at which only bbolt's own check
// panics: opening and verifying tell the same fault and the same remedy, which mends it.
func TestDamagedMetaHeader(t *testing.T) {
	t.Parallel()
	path, want := sample(t)
	whole := read(t, path)
	for _, at := range []int{0, 7, 8, 9, os.Getpagesize(), os.Getpagesize() + 8} {
		damaged := bytes.Clone(whole)
		damaged[at]++
		write(t, path, damaged)
		_, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()})
		if remedy, _ := storage.RemedyOf(err); remedy != storage.Rewrite || !strings.Contains(err.Error(), "its pages: assertion failed") {
			t.Errorf("byte %d: opened with %v, remedy %d", at, err, remedy)
		}
		found := must.Get(bolt.VerifyFile(t.Context(), path, engine.Options{Clock: storagetest.Clock()}))(t)
		if len(found) != 1 || !strings.HasPrefix(found[0].What, "assertion failed") || storage.RemedyFor(found) != storage.Rewrite {
			t.Errorf("byte %d: verify finds %v", at, found)
		}
		must.Get(bolt.Engine{}.Compact(t.Context(), path, engine.Options{Clock: storagetest.Clock()}))(t)
		s := open(t, path, engine.Options{})
		storagetest.SameRecords(t, want, s.Snapshot())
		storagetest.Clean(t, s)
		must.Succeed(t, s.Close())
	}
}

// TestDamagedMetaPage damages one bit of either meta page, at which bbolt silently takes
// the other: opening and verifying say so, and no revision number is given out twice, not
// that of a transaction that may be lost either.
func TestDamagedMetaPage(t *testing.T) { //nolint:tparallel // its subtests count together
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{})
	must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 1000, 4)}).Result())(t)
	for n := range uint64(3) {
		must.Get(s.Apply(t.Context(), vcpu(10+n)).Result())(t)
	}
	confirmed := s.Snapshot().Revision()
	must.Succeed(t, s.Close())
	whole := must.Get(os.ReadFile(path))(t)
	tried, older := 0, 0 // files, and those that came up without the newest transaction
	for bit := 0; bit < 2*64; bit += storagetest.Stride(5) {
		tried++
		at := bit/64*os.Getpagesize() + 16 + bit%64 // behind the header of the page
		t.Run(fmt.Sprintf("byte %d", at), func(t *testing.T) {
			damaged := append([]byte(nil), whole...)
			damaged[at] ^= 1 << (bit % 8)
			path := filepath.Join(t.TempDir(), "damaged.db")
			must.Succeed(t, os.WriteFile(path, damaged, 0o600))

			found := must.Get(bolt.VerifyFile(t.Context(), path, engine.Options{Clock: time.Now}))(t)
			if len(found) != 1 || !strings.Contains(found[0].What, "one of its two meta pages is invalid") || storage.RemedyFor(found) != storage.Rewrite {
				t.Errorf("verify finds %v", found)
			}
			reader := open(t, path, engine.Options{ReadOnly: true})
			if found := must.Get(reader.Verify(t.Context()))(t); reader.Condition().Aged == "" || len(found) != 1 {
				t.Errorf("a reader is told %q, and finds %v", reader.Condition().Aged, found)
			}
			was := reader.Snapshot()
			if err := reader.Backup(t.Context(), io.Discard); !errors.Is(err, storage.ErrDamaged) {
				t.Errorf("a backup that shows no trace: %v", err)
			}
			must.Succeed(t, reader.Close())
			compacted := filepath.Join(t.TempDir(), "compacted.db")
			must.Succeed(t, os.WriteFile(compacted, damaged, 0o600))
			if done := must.Get(bolt.Engine{}.Compact(t.Context(), compacted, engine.Options{Clock: time.Now}))(t); !strings.Contains(done.Aged, "one transaction older") {
				t.Errorf("compacting tells %q", done.Aged)
			}
			after := open(t, compacted, engine.Options{})
			storagetest.SameRecords(t, was, after.Snapshot())
			if after.Snapshot().Revision() <= confirmed || after.Condition().Aged != "" {
				t.Errorf("compacted, it is at revision %d, which was given out: %q", after.Snapshot().Revision(), after.Condition().Aged)
			}
			must.Succeed(t, after.Close())
			if was.Revision() < confirmed {
				older++
			}

			s := open(t, path, engine.Options{})
			if aged := s.Condition().Aged; !strings.Contains(aged, "one transaction older") {
				t.Errorf("a writer is told %q", aged)
			}
			storagetest.SameRecords(t, was, s.Snapshot())
			done := must.Get(s.Apply(t.Context(), vcpu(20)).Result())(t)
			if rev := done.Event.Revision; rev <= confirmed {
				t.Errorf("revision %d is given out again: %d were confirmed", rev, confirmed)
			}
			storagetest.Clean(t, s)
			events := must.Get(s.Events(t.Context(), cloud.EventQuery{Limit: 2}))(t)
			if len(events) != 2 || !strings.Contains(events[1].Note, "are left out") || events[1].Revision+1 != done.Event.Revision {
				t.Errorf("the journal has %+v", events)
			}
			must.Succeed(t, s.Close())

			again := open(t, path, engine.Options{})
			if again.Condition().Aged != "" || again.Condition().Damage != nil {
				t.Errorf("opened again: %q, %v", again.Condition().Aged, again.Condition().Damage)
			}
			storagetest.Same(t, s.Snapshot(), again.Snapshot())
			storagetest.Clean(t, again)
		})
	}
	if older != tried/2 {
		t.Errorf("%d of %d files came up without the newest transaction", older, tried)
	}
}

// TestDamagedMetaPageBesideOthers has a file with an invalid meta page and another reason
// not to write it, which comes first: it is neither compacted nor backed up.
func TestDamagedMetaPageBesideOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit    func(*bbolt.Tx) error
		compact error
	}{
		"a damaged journal": {func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("journal")).Put(bolt.JournalKey(1, 0), []byte("no entry"))
		}, storage.ErrDamaged},
		"a newer schema": {func(tx *bbolt.Tx) error {
			return bolt.SetSchema(tx, versioned.Version{Major: bolt.Schema().Major + 1})
		}, storage.ErrNewer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := sample(t)
			bolt.Rewrite(t, path, false, c.edit)
			b := read(t, path)
			b[16+20] ^= 1
			write(t, path, b)
			must.Fail(t, must.Err(bolt.Engine{}.Compact(t.Context(), path, engine.Options{Clock: time.Now})), c.compact)
			s := open(t, path, engine.Options{})
			must.Fail(t, s.Backup(t.Context(), io.Discard), storage.ErrDamaged)
			must.Succeed(t, s.Close())
			if !bytes.Equal(b, read(t, path)) {
				t.Error("the file was written")
			}
		})
	}
}
