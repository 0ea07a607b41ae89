package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// FuzzOpen opens files with up to eight bytes changed, and cut off. Whatever the bytes
// are, the file opens or is refused with a known error, and stays as it is; if only the
// journal is damaged it can be cut.
func FuzzOpen(f *testing.F) {
	good, _ := sample(f)
	image := read(f, good)
	image = image[:bytes.LastIndexFunc(image, func(r rune) bool { return r != 0 })+1]
	if rest := len(image) % os.Getpagesize(); rest > 0 {
		image = append(image, make([]byte, os.Getpagesize()-rest)...)
	}
	page := func(n, at int, v uint16) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(n*os.Getpagesize()+at))
		return binary.BigEndian.AppendUint16(b, v)
	}
	f.Add(uint32(0), []byte{})
	f.Add(uint32(5000), []byte{})
	most, added := storagetest.Stride(5), 0
	add := func(cut uint32, edits []byte) { // one of five, so that each of the eight edits is made of some page
		if added++; added%most == 0 {
			f.Add(cut, edits)
		}
	}
	for n := range len(image) / os.Getpagesize() {
		add(uint32(0), page(n, 0, 7))                                          // its number
		add(uint32(0), page(n, 8, 0x0100))                                     // its kind
		add(uint32(0), page(n, 10, 0xFFFF))                                    // how many elements
		add(uint32(0), append(page(n, 12, 0xFF00), page(n, 14, 0x0100)...))    // what it flows over into
		add(uint32(0), append(page(n, 16, 0xFFFF), page(n, 24, 0x0300)...))    // its first element
		add(uint32(0), append(page(n, 20, 0x0001), page(n, 28, 0xFFFF)...))    //
		add(uint32(0), append(page(n, 32, 0x0500), page(n, 40, 0x0200)...))    // its second
		add(uint32(n*os.Getpagesize()+1), page(n, os.Getpagesize()-9, 0x4142)) // its last value
	}
	f.Fuzz(func(t *testing.T, cut uint32, edits []byte) {
		b := bytes.Clone(image)
		for i := 0; i+6 <= len(edits) && i < 8*6; i += 6 {
			at := int(binary.BigEndian.Uint32(edits[i:])) % (len(b) - 1)
			copy(b[at:], edits[i+4:i+6])
		}
		if cut > 0 {
			b = b[:int(cut)%len(b)]
		}
		path := filepath.Join(t.TempDir(), "placetop.db")
		write(t, path, b)
		s, err := bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()})
		switch {
		case err == nil:
			if _, err := s.Verify(t.Context()); err != nil {
				t.Errorf("verify: %v", err)
			}
			if _, err := s.Events(t.Context(), cloud.EventQuery{}); err != nil && !errors.Is(err, storage.ErrDamaged) {
				t.Errorf("events: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		case !errors.Is(err, storage.ErrDamaged) && !errors.Is(err, storage.ErrNewer):
			t.Errorf("refused with %v", err)
		}
		// An empty file becomes a new one, and revisions that may be lost are left out.
		if len(b) > 0 && (err != nil || s.Condition().Aged == "") && !bytes.Equal(b, read(t, path)) {
			t.Error("the file was written")
		}
		if _, err := bolt.VerifyFile(t.Context(), path, engine.Options{Clock: storagetest.Clock()}); err != nil {
			t.Errorf("verify the file: %v", err)
		}
	})
}

// FuzzJournal decodes entries of the journal whose checksums are right.
func FuzzJournal(f *testing.F) {
	path, _ := sample(f)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must.Succeed(f, err)
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(bolt.JournalBucket)).ForEach(func(k, v []byte) error {
			v = bolt.PlainEntry(v)
			f.Add(binary.BigEndian.Uint64(k), v, []byte{})
			f.Add(binary.BigEndian.Uint64(k), v[:len(v)/2], v[len(v)/2:])
			return nil
		})
	})
	must.Succeed(f, errors.Join(err, db.Close()))
	f.Fuzz(func(t *testing.T, rev uint64, first, second []byte) {
		entries := [][]byte{bolt.StoredEntry(first)}
		if len(second) >= 4 {
			entries = append(entries, bolt.StoredEntry(second))
			damaged := bytes.Clone(second) // whose checksum is right
			bolt.Seal(damaged)
			_, _ = bolt.DecodeJournal(cloud.Revision(rev), [][]byte{damaged})
		}
		ev, err := bolt.DecodeJournal(cloud.Revision(rev), entries)
		if err != nil {
			return
		}
		if ev.Revision != cloud.Revision(rev) {
			t.Errorf("revision %d was read as %d", rev, ev.Revision)
		}
		for _, c := range ev.Changes {
			if c.Before == nil && c.After == nil {
				t.Error("a change without a record")
			}
			_ = c.Title()
		}
	})
}

// FuzzRecord decodes records with a valid envelope. What can be decoded and is accepted
// for writing reads back as the same.
func FuzzRecord(f *testing.F) {
	codec := cloud.NewCodec()
	kinds := codec.Kinds()
	path, _ := sample(f)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must.Succeed(f, err)
	err = db.View(func(tx *bbolt.Tx) error {
		for i, kind := range kinds {
			b := tx.Bucket([]byte(bolt.RecordBucket(kind)))
			if b == nil {
				continue
			}
			c := b.Cursor()
			for k, v := c.First(); k != nil; k, v = c.Next() {
				f.Add(uint8(i), bytes.Clone(v[9:]))
			}
		}
		return nil
	})
	must.Succeed(f, errors.Join(err, db.Close()))
	table := crc32.MakeTable(crc32.Castagnoli)
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		kind := kinds[int(n)%len(kinds)]
		b := append([]byte{1, 0, 1, 0, 0, 0, 0, 0, 0}, data...)
		binary.BigEndian.PutUint32(b[5:], crc32.Update(crc32.Checksum(b[:5], table), table, b[9:]))
		r, err := codec.Decode(kind, b)
		if err != nil {
			return
		}
		again, err := bolt.EncodeRecord(r)
		if err != nil {
			must.Fail(t, err, placement.ErrInvalid)
			return
		}
		back, err := bolt.DecodeRecord(kind, r.RecordKey(), again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if third, err := bolt.EncodeRecord(back); err != nil || !bytes.Equal(again, third) {
			t.Errorf("%+v reads back as %+v (%v)", r, back, reflect.DeepEqual(r, back))
		}
	})
}

// FuzzOld reads what files of older schemas have packed: whatever the bytes are, they are
// read, or there is an error.
func FuzzOld(f *testing.F) {
	f.Add([]byte("resource_provider resource_provider"), s2.Encode(nil, []byte("resource_provider")))
	for _, name := range []string{"schema-4.0", "schema-4.0-dict", "schema-4.0-log"} {
		inspect(f, old(f, name), func(tx *bbolt.Tx) {
			c := tx.Bucket([]byte(bolt.JournalBucket)).Cursor()
			_, v := c.First()
			f.Add(bytes.Clone(v), bytes.Clone(v[4:]))
			b := tx.Bucket([]byte(bolt.RecordBucket(placement.KindTrait)))
			k, v := b.Cursor().Last()
			f.Add(bytes.Clone(k), bytes.Clone(v))
		})
	}
	f.Fuzz(func(_ *testing.T, a, b []byte) {
		_, _ = bolt.OldRecord(a, a[:min(len(a), 20)], b)
		_, _ = bolt.OldRecord(a, a[:min(len(a), 20)], append([]byte{0xB2, 1}, b...))
		if len(b) >= 4 {
			entry := bytes.Clone(b)
			bolt.Seal(entry)
			_, _ = bolt.OldEntry(entry, 0)
			_, _ = bolt.OldEntry(entry, 1)
		}
		_, _ = bolt.OldLog(bolt.SealOldLog(b))
		_, _ = bolt.OldLog(bolt.SealOldLog(s2.Encode(nil, b)))
		_, _ = bolt.OldLog(b)
	})
}
