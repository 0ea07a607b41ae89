package bolt_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/storagetest"
)

// What is packed unpacks to the same, wherever its key is in it, and unpacking does not
// panic, whatever the bytes.
func TestPackedRecords(t *testing.T) {
	t.Parallel()
	d := bolt.NewDict(bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog; "), 20))
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "key")
		envelope := append([]byte{1}, rapid.SliceOfN(rapid.ByteRange('a', 'f'), 0, 400).Draw(t, "before")...)
		if rapid.Bool().Draw(t, "has its key") {
			envelope = append(envelope, key...)
		}
		envelope = append(envelope, rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "after")...)
		room := make([]byte, rapid.IntRange(0, 1000).Draw(t, "room"))
		stored := bolt.Pack(d, key, envelope)
		got, err := bolt.Unpack(d, key, stored, room)
		if err != nil || !bytes.Equal(got, envelope) || len(stored) > len(envelope) {
			t.Fatalf("%x became %x (%d bytes stored): %v", envelope, got, len(stored), err)
		}
		if len(stored) > 0 {
			broken := slices.Clone(stored)
			broken[rapid.IntRange(0, len(broken)-1).Draw(t, "at")] ^= rapid.ByteRange(1, 255).Draw(t, "bits")
			_, _ = bolt.Unpack(d, key, broken[:rapid.IntRange(0, len(broken)).Draw(t, "cut")], room)
		}
	})
}

// same fails unless two clouds hold the same records.
func same(t *testing.T, what string, got, want *cloud.Snapshot) {
	t.Helper()
	a, b := slices.Collect(got.Records()), slices.Collect(want.Records())
	if d := cmp.Diff(b, a); d != "" || got.Revision() != want.Revision() {
		t.Fatalf("%s: revision %d, want %d, records (-want +got):\n%s", what, got.Revision(), want.Revision(), d)
	}
}

// sound fails unless Verify finds nothing and the whole journal leads from the empty
// cloud to that of s.
func sound(t *testing.T, s *bolt.Store) {
	t.Helper()
	if found, err := s.Verify(t.Context()); err != nil || len(found) > 0 {
		t.Fatalf("verify finds %v, %v", found, err)
	}
	events, err := s.Events(t.Context(), cloud.EventQuery{Limit: 1 << 20})
	must.Succeed(t, err)
	slices.Reverse(events)
	replayed := cloud.Empty()
	for _, ev := range events {
		if replayed, _, err = replayed.Apply(ev.Replay()); err != nil {
			t.Fatalf("revision %d: %v", ev.Revision, err)
		}
	}
	same(t, "the journal replayed", replayed, s.Snapshot())
}

// Records and events that are many are stored packed, and stay the same through writes,
// deletions, a compaction and a backup.
func TestPackedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, bolt.Options{})
	fill(t, s, 1500, 1200)
	var c cloud.Change
	for n := range uint64(1100) { // most of the existing ones, and then two
		i, _ := s.Snapshot().Nova().Instance(storagetest.Consumer(firstConsumer + n))
		c.Put(s.Snapshot(), i.Edit(func(i *nova.Instance) { i.Name += " again" }))
	}
	var few cloud.Change
	first, _ := s.Snapshot().Nova().Instance(storagetest.Consumer(firstConsumer + 1150))
	last, _ := s.Snapshot().Nova().Instance(storagetest.Consumer(firstConsumer + 1199))
	few.Put(s.Snapshot(), first.Edit(func(i *nova.Instance) { i.Name = "renamed" }))
	few.Delete(s.Snapshot(), last)
	for _, c := range []cloud.Change{c, few} {
		must.Get(s.Apply(t.Context(), c).Result())(t)
	}
	sound(t, s)
	want := s.Snapshot()
	copied := filepath.Join(t.TempDir(), "backup.db")
	must.Succeed(t, s.BackupFile(t.Context(), copied, diskfile.Options{}))
	must.Succeed(t, s.Close())
	plain, packed := 0, 0
	inspect(t, path, func(tx *bbolt.Tx) {
		for _, kind := range []versioned.Kind{nova.KindInstance, placement.KindConsumer, placement.KindProvider} {
			_ = tx.Bucket([]byte(bolt.RecordBucket(kind))).ForEach(func(_, v []byte) error {
				if v[0] == 1 {
					plain++
				} else {
					packed++
				}
				return nil
			})
		}
	})
	if plain > packed/100 {
		t.Errorf("%d records are packed, %d are not", packed, plain)
	}
	must.Get(bolt.Compact(t.Context(), path, bolt.Options{Clock: storagetest.Clock()}))(t)
	for _, path := range []string{path, copied} {
		s := open(t, path, bolt.Options{})
		same(t, path, s.Snapshot(), want)
		sound(t, s)
	}
}

// A damaged dictionary is reported by Open and by Verify.
func TestDamagedDictionary(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(b *bbolt.Bucket, key, value []byte) error{
		"changed": func(b *bbolt.Bucket, key, value []byte) error {
			value = bytes.Clone(value)
			value[len(value)/2]++
			return b.Put(key, value)
		},
		"gone": func(b *bbolt.Bucket, key, _ []byte) error { return b.Delete(key) },
		"cut":  func(b *bbolt.Bucket, key, value []byte) error { return b.Put(key, bytes.Clone(value[:3])) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filled(t, 300, 300)
			bolt.Rewrite(t, path, false, func(tx *bbolt.Tx) error {
				b := tx.Bucket([]byte("dict"))
				key := []byte("dict/" + placement.KindConsumer)
				return damage(b, key, b.Get(key))
			})
			must.Fail(t, must.Err(bolt.Open(t.Context(), path, bolt.Options{Clock: storagetest.Clock()})), storage.ErrDamaged)
			if found, err := bolt.VerifyFile(t.Context(), path, bolt.Options{Clock: storagetest.Clock()}); err != nil || len(found) == 0 {
				t.Errorf("verify finds %v, %v", found, err)
			}
		})
	}
}

// A file of format 1.0, written by a release of that time, is readable, and reading
// leaves it alone. The first write upgrades it; its old content stays readable.
func TestOlderFile(t *testing.T) {
	t.Parallel()
	f := must.Get(os.Open("testdata/schema-1.0.db.gz"))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	was := must.Get(io.ReadAll(z))(t)
	path := filepath.Join(t.TempDir(), "placetop.db")
	must.Succeed(t, os.WriteFile(path, was, 0o600))
	s := open(t, path, bolt.Options{})
	if s.Snapshot().Revision() != 54 || s.Snapshot().Placement().ProviderCount() != 8 {
		t.Fatalf("revision %d, %d providers", s.Snapshot().Revision(), s.Snapshot().Placement().ProviderCount())
	}
	sound(t, s)
	must.Succeed(t, s.Close())
	if is, err := os.ReadFile(path); err != nil || !bytes.Equal(is, was) || schemaOf(t, path).Major != 1 {
		t.Fatalf("reading has changed it: %v", err)
	}
	s = open(t, path, bolt.Options{})
	fill(t, s, 300, 300)
	sound(t, s)
	want := s.Snapshot()
	must.Succeed(t, s.Close())
	if v := schemaOf(t, path); v != bolt.Schema() {
		t.Errorf("after a write it is of format %s, want %s", v, bolt.Schema())
	}
	s = open(t, path, bolt.Options{})
	same(t, "opened again", s.Snapshot(), want)
}

// inspect reads the file at path with bbolt.
func inspect(t *testing.T, path string, fn func(*bbolt.Tx)) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must.Succeed(t, err)
	err = db.View(func(tx *bbolt.Tx) error { fn(tx); return nil })
	must.Succeed(t, errors.Join(err, db.Close()))
}

// schemaOf returns the format version in the file at path.
func schemaOf(t *testing.T, path string) (v versioned.Version) {
	t.Helper()
	inspect(t, path, func(tx *bbolt.Tx) { v = bolt.FileSchema(tx) })
	return v
}
