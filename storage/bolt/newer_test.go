package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// newerRecord returns an encoded record as a release would write it that has its kind at a
// newer major version.
func newerRecord(b []byte, major uint16) []byte {
	b = bytes.Clone(b)
	binary.BigEndian.PutUint16(b[1:], major)
	return withSum(b)
}

// withSum returns an encoded record with its checksum.
func withSum(b []byte) []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.BigEndian.PutUint32(b[5:], crc32.Update(crc32.Checksum(b[:5], table), table, b[9:]))
	return b
}

// readable checks that a file of a newer release opens, read-only, for a reason that has
// say in it.
func readable(t *testing.T, path, say string) *bolt.Store {
	t.Helper()
	before := read(t, path)
	s := open(t, path, engine.Options{})
	if why := s.Capabilities().ReadOnly; !strings.Contains(why, say) || !strings.Contains(why, "newer placetop") {
		t.Errorf("read-only because of %q, want %q", why, say)
	}
	if n := s.Condition().Newer; n == nil || !errors.Is(n, storage.ErrNewer) {
		t.Errorf("newer is %v", n)
	}
	must.Fail(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(900, 4, 4)}).Err(), placement.ErrUnsupported)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(before, read(t, path)) {
		t.Error("the file was written")
	}
	return s
}

func TestNewerMinorSchemaIsWritten(t *testing.T) {
	t.Parallel()
	path, want := sample(t)
	v := bolt.Schema()
	v.Minor += 7
	bolt.Rewrite(t, path, true, func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte(bolt.RecordBucket("future_kind")))
		if err != nil {
			return err
		}
		if err := b.Put([]byte("k"), []byte("who knows")); err != nil {
			return err
		}
		if _, err := tx.CreateBucketIfNotExists([]byte("future")); err != nil {
			return err
		}
		return bolt.SetSchema(tx, v)
	})
	s := open(t, path, engine.Options{})
	storagetest.Same(t, want, s.Snapshot())
	if why := s.Capabilities().ReadOnly; why != "" {
		t.Errorf("read-only because of %q", why)
	}
	if n := s.Condition().Newer; n != nil {
		t.Errorf("of a newer minor version: %v", n)
	}
	must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(900, 4, 4)}).Result())(t)
	storagetest.Clean(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// What this release does not know is kept, and so is the format.
	bolt.Rewrite(t, path, false, func(tx *bbolt.Tx) error {
		if v := tx.Bucket([]byte(bolt.RecordBucket("future_kind"))).Get([]byte("k")); string(v) != "who knows" {
			t.Errorf("the unknown record is now %q", v)
		}
		return nil
	})
	open(t, path, engine.Options{})
}

func TestNewerMajorSchemaIsReadOnly(t *testing.T) {
	t.Parallel()
	path, want := sample(t)
	bolt.Rewrite(t, path, false, func(tx *bbolt.Tx) error {
		return bolt.SetSchema(tx, versioned.Version{Major: bolt.Schema().Major + 1, Minor: 3})
	})
	storagetest.Same(t, want, readable(t, path, fmt.Sprintf("format %d.3", bolt.Schema().Major+1)).Snapshot())
}

func TestNewerMajorSchemaThatCannotBeRead(t *testing.T) {
	t.Parallel()
	path, _ := sample(t)
	bolt.Rewrite(t, path, true, func(tx *bbolt.Tx) error {
		if err := tx.DeleteBucket([]byte(bolt.RecordBucket(placement.KindProvider))); err != nil {
			return err
		}
		return bolt.SetSchema(tx, versioned.Version{Major: bolt.Schema().Major + 1})
	})
	_, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()})
	if !errors.Is(err, storage.ErrNewer) || errors.Is(err, storage.ErrDamaged) || !strings.Contains(err.Error(), "placetop v9.1 made the file") {
		t.Errorf("open: %v", err)
	}
}

// threeInstances returns the path of a file that holds instances 1 to 3.
func threeInstances(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{})
	var c cloud.Change
	for n := range uint64(3) {
		modeltest.PutIn(&c, s.Snapshot(), storagetest.Instance(1+n))
	}
	must.Get(s.Apply(t.Context(), c).Result())(t)
	must.Succeed(t, s.Close())
	return path
}

// The first of several newer records is named.
func TestNewerRecordIsReadOnly(t *testing.T) {
	t.Parallel()
	path := threeInstances(t)
	bolt.Rewrite(t, path, true, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bolt.RecordBucket(nova.KindInstance)))
		c := b.Cursor()
		first, v := c.First()
		second, w := c.Next()
		return errors.Join(b.Put(bytes.Clone(first), newerRecord(v, 9)), b.Put(bytes.Clone(second), newerRecord(w, 10)))
	})
	again := readable(t, path, "a record of kind instance was written by a newer placetop in format 9.")
	if n := again.Snapshot().Nova().InstanceCount(); n != 1 {
		t.Errorf("%d instances can be read, want 1", n)
	}
}

// TestFieldsOfANewerReleaseStay writes any record but those with fields of a newer minor
// version, which this program would drop. Such a record without any is written.
func TestFieldsOfANewerReleaseStay(t *testing.T) {
	t.Parallel()
	path := threeInstances(t)
	var written []byte
	each := func(do func(b *bbolt.Bucket, n int, k, v []byte)) {
		bolt.Rewrite(t, path, true, func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(bolt.RecordBucket(nova.KindInstance)))
			for n := range uint64(3) {
				k := storagetest.Instance(1 + n).RecordKey()
				do(b, int(n), k, bytes.Clone(b.Get(k)))
			}
			return nil
		})
	}
	each(func(b *bbolt.Bucket, n int, k, v []byte) {
		binary.BigEndian.PutUint16(v[3:], 99)
		switch n {
		case 0: // has one more field
			v[9]++
			v = append(v, 0x18, 200, 1)
			written = withSum(v)
		case 1: // has none
		default:
			return
		}
		must.Succeed(t, b.Put(k, withSum(v)))
	})
	s := open(t, path, engine.Options{})
	for n := range uint64(3) {
		i := *storagetest.Instance(1 + n)
		i.Host = "elsewhere"
		var c cloud.Change
		modeltest.PutIn(&c, s.Snapshot(), &i)
		err := s.Apply(t.Context(), c).Err()
		if n > 0 {
			must.Succeed(t, err)
			continue
		}
		must.Fail(t, err, storage.ErrNewer)
		if !strings.Contains(err.Error(), i.Name) || !strings.Contains(err.Error(), "99") {
			t.Error(err)
		}
	}
	storagetest.Clean(t, s)
	must.Succeed(t, s.Close())
	each(func(_ *bbolt.Bucket, n int, _, v []byte) {
		if n == 0 && !bytes.Equal(v, written) {
			t.Errorf("the record is now %x, it was %x", v, written)
		}
	})
}

func TestNewerJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "placetop.db")
	s := open(t, path, engine.Options{})
	must.Get(s.Apply(t.Context(), cloud.Change{Note: "first", Ops: storagetest.Host(1, 4, 4)}).Result())(t)
	must.Succeed(t, s.Close())
	bolt.Rewrite(t, path, false, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bolt.JournalBucket))
		key := bolt.JournalKey(1, 0)
		entry := bytes.Replace(bolt.PlainEntry(b.Get(key)), []byte("resource_provider_traits"), []byte("resource_provider_future"), 1)
		return b.Put(key, bolt.StoredEntry(entry))
	})
	again := open(t, path, engine.Options{})
	events, err := again.Events(t.Context(), cloud.EventQuery{})
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if ev := events[0]; len(ev.Changes) != 2 || !strings.Contains(ev.Note, "1 records that only a newer placetop can read") {
		t.Errorf("note %q, %d changes", ev.Note, len(ev.Changes))
	}
}
