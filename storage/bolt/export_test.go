package bolt

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"testing"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
)

// Names of buckets and keys, for tests that look into a file.
const (
	MetaBucket    = metaBucket
	JournalBucket = journalBucket
	FileKey       = fileKey
)

// RecordBucket returns the name of the bucket for a kind of records.
func RecordBucket(kind versioned.Kind) string { return recordBucket(kind) }

// JournalKey returns the key of a journal entry.
func JournalKey(rev cloud.Revision, seq uint32) []byte { return journalKey(rev, seq) }

// OnCommit makes s commit through commit.
func OnCommit(s *Store, commit func(*bbolt.Tx) error) { inWriter(s, func() { s.commit = commit }) }

// Waiting returns how many callers wait to be decided.
func Waiting(s *Store) int { return len(s.queue.Requests) }

func inWriter(s *Store, fn func()) {
	done := make(chan struct{})
	s.inspect <- func() { fn(); close(done) }
	<-done
}

// Rewrite changes the file at path, which must not be open, with fn, without Store. With
// mend it then corrects the sum over its records. It always corrects the number of the
// transaction that wrote the file.
func Rewrite(tb testing.TB, path string, mend bool, fn func(*bbolt.Tx) error) {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must.Succeed(tb, err)
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if !mend {
			// If fn has left no such record, there is nothing to correct.
			_ = editFile(tx, func(*fileRecord) {})
			return nil
		}
		var sum uint64
		err := tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			if _, ok := kindOf(string(name)); !ok {
				return nil
			}
			sums := sumOf(castagnoli(), string(name))
			return b.ForEach(func(k, v []byte) error {
				sum += sums.entry(k, v)
				return nil
			})
		})
		if err != nil {
			return err
		}
		return editFile(tx, func(f *fileRecord) { f.Sum = sum })
	})
	must.Succeed(tb, errors.Join(err, db.Close()))
}

// SetSchema sets the schema version in the file.
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
	f.Sum += f.Log // as in a file before 5.0
	return c.putFile(tx, f)
}

// DecodeJournal decodes the one event in entries and returns it, for fuzzing.
func DecodeJournal(rev cloud.Revision, entries [][]byte) (cloud.Event, error) {
	ev, _, err := newCodecs().decodeEvent(rawEvent{rev: rev, entries: entries}, castagnoli())
	return ev, err
}

// FileSchema returns the schema version in the file.
func FileSchema(tx *bbolt.Tx) versioned.Version {
	f, err := newCodecs().file(tx.Bucket([]byte(metaBucket)).Get([]byte(fileKey)))
	if err != nil {
		panic(err)
	}
	return f.schema()
}

// StoredEntry returns an entry of the journal in the form of the file.
func StoredEntry(entry []byte) []byte { return storedEntry(entry, castagnoli()) }

// PlainEntry is the inverse of StoredEntry.
func PlainEntry(stored []byte) []byte {
	entry, err := plainEntry(stored, castagnoli())
	if err != nil {
		panic(err)
	}
	return entry
}

// Seal puts the checksum of an entry in its place.
func Seal(entry []byte) { seal(entry, castagnoli()) }

// DecodeRecord decodes a record as Verify does.
func DecodeRecord(kind versioned.Kind, key, value []byte) (versioned.Record, error) {
	return newCodecs().record(kind, key, value)
}

// EncodeRecord encodes a record as Apply does.
func EncodeRecord(r versioned.Record) ([]byte, error) { return newCodecs().encode(r) }

// RenumberMeta adds more to the number of the newest transaction in the image of a file,
// and corrects the checksum of its meta page.
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

// Leap is by how much the revision of a file with an invalid meta page grows.
const Leap = leap

// OldEntry returns what an old entry of the journal holds.
func OldEntry(entry []byte, seq uint32) ([]byte, error) { return unpackEntry(entry, seq, castagnoli()) }

// OldRecord returns what an old packed record holds, with a dictionary made of samples.
func OldRecord(samples, key, stored []byte) ([]byte, error) {
	return unpack(s2.MakeDict(samples, nil), key, stored)
}

// OldLog returns how many events the blocks of log number 7 hold.
func OldLog(blocks []byte) (events int, err error) {
	records, err := logRecords(blocks, 7, 0, castagnoli())
	u := &upgrade{codecs: newCodecs()}
	for _, r := range records {
		more, err := u.eventsOf(r.body)
		if err != nil {
			return 0, err
		}
		events += len(more)
	}
	return events, err
}

// SealOldLog makes b a record of log number 7, from revision 0 to 1.
func SealOldLog(b []byte) []byte {
	head := make([]byte, logHead, logHead+len(b))
	binary.BigEndian.PutUint32(head[4:], uint32(len(b)))
	head[15], head[31] = 7, 1
	head = append(head, b...)
	seal(head, castagnoli())
	return head
}
