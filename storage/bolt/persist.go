package bolt

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// putFile writes the file's own record, as of the transaction tx.
func (c codecs) putFile(tx *bbolt.Tx, file *fileRecord) error {
	file.Transaction = uint64(tx.ID()) // bbolt counts up from 0
	b, err := c.own.Encode(file)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(metaBucket)).Put([]byte(fileKey), b)
}

// persist brings the accepted decisions of a batch, which lead to working from what the file
// holds, to disk: all of them, or none. Disk is how long the writing to disk, with its
// sync, took. The error matches placement.ErrUnavailable.
func (s *Store) persist(working *cloud.Snapshot, batch []*decision) (disk time.Duration, err error) {
	if broken := s.broken.Load(); broken != nil {
		return 0, broken
	}
	if err := s.stillThere(); err != nil {
		return 0, err
	}
	file := *s.file
	err = s.guarded(func() error {
		tx, err := s.db.Begin(true)
		if err != nil {
			return err
		}
		w := &fileWriter{Store: s, tx: tx, sum: s.file.Sum, buckets: map[versioned.Kind]*kindBucket{}}
		if err := w.all(working, batch, &file); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		err = s.commit(tx)
		stats := tx.Stats()
		disk = stats.GetWriteTime()
		return err
	})
	if err != nil {
		return disk, s.failed(batch, err)
	}
	s.file, s.doubt = &file, nil
	return disk, nil
}

// failed finds out what a failed commit has left, and returns the error for its callers.
func (s *Store) failed(batch []*decision, err error) error {
	if broken := s.broken.Load(); broken != nil {
		return broken
	}
	notKept := &storage.NotKeptError{Path: s.path, Err: err, Hint: hintFor(err), Remedy: remedyFor(err)}
	if s.untouched() {
		s.doubt = nil
		return notKept
	}
	s.remember(batch)
	return notKept.Doubt()
}

// remember notes which records a failed commit may have changed in the file, each with
// the first change to it: its record before is that of the newest Snapshot.
func (s *Store) remember(batch []*decision) {
	if s.doubt == nil {
		s.doubt = map[slotID]versioned.Change{}
	}
	for _, d := range batch {
		for _, c := range d.Event.Changes {
			id := slotID{c.Kind(), string(c.Key())}
			if _, ok := s.doubt[id]; !ok {
				s.doubt[id] = c
			}
		}
	}
}

// untouched reports whether the file's own record is, for sure, as before.
func (s *Store) untouched() bool {
	var file *fileRecord
	err := s.sound(func() error {
		return s.db.View(func(tx *bbolt.Tx) (err error) {
			file, err = s.codecs.file(tx.Bucket([]byte(metaBucket)).Get([]byte(fileKey)))
			return err
		})
	})
	return err == nil && *file == *s.file
}

// hintFor returns what to do about a disk error.
func hintFor(err error) string {
	return cmp.Or(diskfile.Hint(err), "Nothing was changed; try again")
}

// remedyFor returns the remedy for a disk error that a command offers.
func remedyFor(err error) storage.Remedy {
	if diskfile.Hint(err) == "" {
		return storage.LookAtIt
	}
	return diskfile.Remedy(err)
}

// stillThere returns an error unless the file is where it was opened, and as long as it
// has to be: what is written to a deleted file is lost with the process.
func (s *Store) stillThere() error {
	err := diskfile.SamePlace(s.handle, s.path)
	if err != nil {
		err = fmt.Errorf("the file is gone: %w", err)
	} else {
		_, err = s.whole()
	}
	if err != nil {
		return &storage.NotKeptError{Path: s.path, Err: err, Hint: "Put the file back, or quit this program", Remedy: storage.GoBack}
	}
	return nil
}

// errForeignWrite means that another program wrote to the file without its lock.
var errForeignWrite = errors.New("the file was changed by another program")

// fileWriter writes one transaction.
type fileWriter struct {
	*Store
	tx      *bbolt.Tx
	sum     uint64
	buckets map[versioned.Kind]*kindBucket
}

// kindBucket is the bucket of a kind of records.
type kindBucket struct {
	*bbolt.Bucket
	name string
	sums bucketSum
}

// slotID names a record.
type slotID struct {
	kind versioned.Kind
	key  string
}

// slot is a record of the file that a batch changes.
type slot struct {
	bucket *kindBucket
	key    []byte
	was    []byte // as in the file; nil for none
	is     []byte // as the batch leaves it; nil for none
}

func (w *fileWriter) meta() *bbolt.Bucket { return w.tx.Bucket([]byte(metaBucket)) }

func (w *fileWriter) all(working *cloud.Snapshot, batch []*decision, file *fileRecord) error {
	has, err := w.codecs.file(w.meta().Get([]byte(fileKey)))
	switch {
	case err != nil:
		return err
	case *has == *w.file:
	case w.doubt != nil && has.UUID == file.UUID:
		if err := w.takeBack(has); err != nil {
			return err
		}
	default:
		return errForeignWrite
	}
	slots := map[slotID]*slot{}
	entries, err := w.journal(batch, slots)
	if err != nil {
		return err
	}
	if err := w.records(slots); err != nil {
		return err
	}
	b := w.tx.Bucket([]byte(journalBucket))
	if entries > 0 {
		if err := w.codecs.trim(b, working.Revision(), w.options.Clock(), working.Operator().JournalLimits(), 2*entries+64); err != nil {
			return err
		}
	}
	file.Major, file.Minor = Schema().Major, Schema().Minor
	file.Revision, file.Sum = uint64(working.Revision()), w.sum
	file.AtSec, file.AtNano = working.At().Unix(), int64(working.At().Nanosecond())
	return w.codecs.putFile(w.tx, file)
}

// journal writes the events of a batch, and collects in slots the records as they leave
// them. It returns how many entries it wrote.
func (w *fileWriter) journal(batch []*decision, slots map[slotID]*slot) (int, error) {
	b := w.tx.Bucket([]byte(journalBucket))
	b.FillPercent = 1 // entries are only added at the end
	n := 0
	for _, d := range batch {
		if !d.kept() {
			continue
		}
		more, err := w.event(b, d, slots)
		if err != nil {
			return 0, err
		}
		n += more
	}
	return n, nil
}

// event writes one event and returns how many entries it took.
func (w *fileWriter) event(b *bbolt.Bucket, d *decision, slots map[slotID]*slot) (n int, err error) {
	err = w.codecs.entries(d.Event, func(i int, c versioned.Change) (was, is []byte, err error) {
		sl, err := w.slot(slots, c.Kind(), c.Key())
		if err == nil {
			was, is = sl.is, d.after[i]
			sl.is = is
		}
		return was, is, err
	}, func(key, entry []byte) error {
		n++
		return b.Put(key, storedEntry(entry, w.table))
	})
	return n, err
}

// bucket returns the bucket of a kind, and makes it if there is none.
func (w *fileWriter) bucket(kind versioned.Kind) (*kindBucket, error) {
	if b, ok := w.buckets[kind]; ok {
		return b, nil
	}
	name := recordBucket(kind)
	b, err := w.tx.CreateBucketIfNotExists([]byte(name))
	if err != nil {
		return nil, err
	}
	kb := &kindBucket{Bucket: b, name: name, sums: sumOf(w.table, name)}
	w.buckets[kind] = kb
	return kb, nil
}

// slot returns the slot of a record, filled from the file if the batch has not touched it
// yet.
func (w *fileWriter) slot(slots map[slotID]*slot, kind versioned.Kind, key []byte) (*slot, error) {
	id := slotID{kind, string(key)}
	if sl, ok := slots[id]; ok {
		return sl, nil
	}
	b, err := w.bucket(kind)
	if err != nil {
		return nil, err
	}
	was := b.Get(key)
	sl := &slot{bucket: b, key: key, was: was, is: was}
	slots[id] = sl
	return sl, nil
}

// records writes the records as a batch leaves them.
func (w *fileWriter) records(slots map[slotID]*slot) error {
	ordered := make([]*slot, 0, len(slots))
	for _, sl := range slots {
		ordered = append(ordered, sl)
	}
	slices.SortFunc(ordered, func(a, b *slot) int {
		if a.bucket != b.bucket {
			return strings.Compare(a.bucket.name, b.bucket.name)
		}
		return bytes.Compare(a.key, b.key)
	})
	var in *kindBucket
	for _, sl := range ordered {
		var err error
		if sl.bucket != in {
			in = sl.bucket
			if last, _ := in.Cursor().Last(); bytes.Compare(sl.key, last) > 0 {
				in.FillPercent = 0.9 // of pages that are split: records come in order, and few between these
			}
		}
		if sl.was != nil {
			w.sum -= sl.bucket.sums.entry(sl.key, sl.was)
		}
		if sl.is == nil {
			err = sl.bucket.Delete(sl.key)
		} else {
			w.sum += sl.bucket.sums.entry(sl.key, sl.is)
			err = sl.bucket.Put(sl.key, sl.is)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeBack restores the records and the journal to the state before a commit that was
// reported as failed but reached the file. The file's own record is now has.
func (w *fileWriter) takeBack(has *fileRecord) error {
	w.sum = has.Sum
	slots := map[slotID]*slot{}
	for _, c := range w.doubt {
		sl, err := w.slot(slots, c.Kind(), c.Key())
		if err != nil {
			return err
		}
		sl.is = nil
		if c.Before != nil {
			b, err := w.codecs.encode(c.Before)
			if err != nil {
				return err
			}
			sl.is = b
		}
	}
	if err := w.records(slots); err != nil {
		return err
	}
	if w.sum != w.file.Sum {
		return errForeignWrite
	}
	c := w.tx.Bucket([]byte(journalBucket)).Cursor()
	from := journalKey(cloud.Revision(w.file.Revision)+1, 0)
	for k, _ := c.Seek(from); k != nil; k, _ = c.Seek(from) {
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}
