package bolt

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"testing"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
)

// Names of buckets and keys, for tests that look into a file.
const (
	MetaBucket    = metaBucket
	JournalBucket = journalBucket
	FileKey       = fileKey
)

// RecordBucket returns the name of the bucket of a kind.
func RecordBucket(kind versioned.Kind) string { return recordBucket(kind) }

// JournalKey returns the key of an entry of the journal.
func JournalKey(rev cloud.Revision, seq uint32) []byte { return journalKey(rev, seq) }

// OnCommit has s commit through commit.
func OnCommit(s *Store, commit func(*bbolt.Tx) error) {
	done := make(chan struct{})
	s.inspect <- func() { s.commit = commit; close(done) }
	<-done
}

// Rewrite changes the file at path, which must not be open, behind the back of
// Store, with fn, and then makes the sum over its records right, where mend is
// set. That the transaction wrote the file it says in any case.
func Rewrite(tb testing.TB, path string, mend bool, fn func(*bbolt.Tx) error) {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		tb.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if !mend {
			// Where fn has left no such record, there is nothing to say in it.
			_ = editFile(tx, func(*fileRecord) {})
			return nil
		}
		all := dicts{}
		err := tx.Bucket([]byte(metaBucket)).ForEach(func(k, v []byte) error { return all.add(k, v, castagnoli()) })
		if err != nil {
			return err
		}
		var sum uint64
		err = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			if _, ok := kindOf(string(name)); !ok {
				return nil
			}
			kind, _ := kindOf(string(name))
			sums := sumOf(castagnoli(), string(name))
			return b.ForEach(func(k, v []byte) error {
				envelope, err := unpack(all[kind], k, v, nil)
				sum += sums.entry(k, envelope)
				return err
			})
		})
		if err != nil {
			return err
		}
		return editFile(tx, func(f *fileRecord) { f.Sum = sum })
	})
	if err := errors.Join(err, db.Close()); err != nil {
		tb.Fatal(err)
	}
}

// SetSchema sets the schema that the file says it has.
func SetSchema(tx *bbolt.Tx, v versioned.Version) error {
	return editFile(tx, func(f *fileRecord) { f.Major, f.Minor, f.CreatedBy = v.Major, v.Minor, "placetop v9.1" })
}

func editFile(tx *bbolt.Tx, edit func(*fileRecord)) error {
	c := newCodecs()
	b := tx.Bucket([]byte(metaBucket))
	if b == nil {
		return errForeign
	}
	f, err := c.file(b.Get([]byte(fileKey)))
	if err != nil {
		return err
	}
	edit(f)
	return c.putFile(tx, f)
}

// DecodeJournal decodes an event of one entry and returns it, for fuzzing.
func DecodeJournal(rev cloud.Revision, entries [][]byte) (cloud.Event, error) {
	ev, _, err := newCodecs().decodeEvent(rawEvent{rev: rev, entries: entries}, castagnoli())
	return ev, err
}

// PlainEntry returns the first entry of an event as it stands where nothing is packed.
func PlainEntry(entry []byte) []byte {
	rest, packed := cutPacked(entry[sumSize:])
	head, rest, err := cutPart(rest)
	if err != nil {
		panic(err)
	}
	changes, err := unpackChanges(rest, packed)
	if err != nil {
		panic(err)
	}
	return append(appendPart(make([]byte, sumSize), head), changes...)
}

// NewDict returns a dictionary out of samples.
func NewDict(samples []byte) *s2.Dict {
	d, _ := newDict(samples, castagnoli())
	return d
}

// Pack is pack.
func Pack(d *s2.Dict, key, envelope []byte) []byte { return new(packer).pack(d, key, envelope) }

// Unpack is unpack.
func Unpack(d *s2.Dict, key, stored, room []byte) ([]byte, error) {
	return unpack(d, key, stored, room)
}

// FileSchema returns the schema that the file says it has.
func FileSchema(tx *bbolt.Tx) versioned.Version {
	f, err := newCodecs().file(tx.Bucket([]byte(metaBucket)).Get([]byte(fileKey)))
	if err != nil {
		panic(err)
	}
	return f.schema()
}

// Seal puts the checksum of an entry in its place.
func Seal(entry []byte) { seal(entry, castagnoli()) }

// DecodeRecord decodes a record as Verify does.
func DecodeRecord(kind versioned.Kind, key, value []byte) (versioned.Record, error) {
	return decode(newCodecs().cloud, kind, key, value)
}

// EncodeRecord encodes a record as Apply does.
func EncodeRecord(r versioned.Record) ([]byte, error) { return newCodecs().encode(r) }

// RenumberMeta adds more to the number of the newest transaction in the image of a
// file, and mends the checksum of its meta page.
func RenumberMeta(file []byte, more uint64) {
	ne := binary.NativeEndian
	size := int(ne.Uint32(file[pageHeader+8:]))
	metas := [2][]byte{file[pageHeader:][:metaSize], file[size+pageHeader:][:metaSize]}
	newest := metas[0]
	if ne.Uint64(metas[1][48:]) > ne.Uint64(newest[48:]) {
		newest = metas[1]
	}
	ne.PutUint64(newest[48:], ne.Uint64(newest[48:])+more)
	sum := fnv.New64a()
	sum.Write(newest[:metaSize-8])
	ne.PutUint64(newest[metaSize-8:], sum.Sum64())
}
