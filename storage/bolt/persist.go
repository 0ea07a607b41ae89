package bolt

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// initialise writes the first transaction of a new file.
func (s *Store) initialise() error {
	file := &fileRecord{
		Major: Schema().Major, Minor: Schema().Minor, UUID: s.options.NewID(),
		Created: s.options.Clock().UnixMilli(), CreatedBy: s.options.Version,
		AtSec: s.newest.Load().At().Unix(),
	}
	err := guarded(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			for _, name := range []string{metaBucket, journalBucket} {
				if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
					return err
				}
			}
			return s.codecs.putFile(tx, file)
		})
	})
	if err != nil {
		return err
	}
	s.file = file
	return nil
}

// putFile writes the file's own record, as of the transaction tx.
func (c codecs) putFile(tx *bbolt.Tx, file *fileRecord) error {
	file.Transaction = uint64(tx.ID()) // bbolt counts up from 0
	stands := *file
	stands.Sum += file.Log
	b, err := c.own.Encode(&stands)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(metaBucket)).Put([]byte(fileKey), b)
}

// persist brings the accepted decisions of a batch, which lead to working from what bbolt
// holds, to disk: all of them, or none. After that the log with a number continues from
// there; 0 for none. Disk is how long the writing to disk, with its sync, took. The error
// matches placement.ErrUnavailable.
func (s *Store) persist(working *cloud.Snapshot, batch []*decision, log uint64) (disk time.Duration, err error) {
	if broken := s.broken.Load(); broken != nil {
		return 0, broken
	}
	if err := s.stillThere(); err != nil {
		return 0, err
	}
	file := *s.file
	file.Log = log
	var w *fileWriter
	err = s.guarded(func() error {
		tx, err := s.db.Begin(true)
		if err != nil {
			return err
		}
		w = &fileWriter{Store: s, tx: tx, sum: s.file.Sum, made: dicts{}, buckets: map[versioned.Kind]*kindBucket{}}
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
	s.file, s.doubt, s.dicts = &file, nil, s.dicts.with(w.made)
	_ = s.see() // the next writer gets the error, if any
	return disk, nil
}

// kept returns how many decisions of a batch change something.
func kept(batch []*decision) (n int) {
	for _, d := range batch {
		if d.kept() {
			n++
		}
	}
	return n
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
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		return "The file has reached its maximum size; raise that, or make the file smaller; nothing was changed"
	}
	return cmp.Or(diskfile.Hint(err), "Nothing was changed; try again")
}

// remedyFor returns the remedy for a disk error that a command offers.
func remedyFor(err error) storage.Remedy {
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		return storage.MakeSmaller
	}
	if diskfile.Hint(err) == "" {
		return storage.LookAtIt
	}
	return diskfile.Remedy(err)
}

// stillThere returns an error unless the file is where it was opened, and as long as it
// has to be: what is written to a deleted file is lost with the process.
func (s *Store) stillThere() error {
	_, err := s.inPlace()
	return err
}

// inPlace is stillThere, but also returns the file as its meta pages describe it.
func (s *Store) inPlace() (*image, error) {
	fail := func(err error) (*image, error) {
		return nil, &storage.NotKeptError{Path: s.path, Err: err, Hint: "Put the file back, or quit this program", Remedy: storage.GoBack}
	}
	if err := diskfile.SamePlace(s.handle, s.path); err != nil {
		return fail(fmt.Errorf("the file is gone: %w", err))
	}
	im, err := s.whole()
	if err != nil {
		return fail(err)
	}
	return im, nil
}

// errForeignWrite means that another program wrote to the file without its lock.
var errForeignWrite = errors.New("the file was changed by another program")

// fileWriter writes one transaction.
type fileWriter struct {
	*Store
	tx      *bbolt.Tx
	sum     uint64
	made    dicts // dictionaries that this transaction adds, or that a commit that was reported as failed has added
	buckets map[versioned.Kind]*kindBucket
	packer  packer
	entry   []byte // memory to make a journal entry in
	packed  []byte // memory to pack it in
	spare   []slot // not used yet
}

// kindBucket is the bucket of a kind of records.
type kindBucket struct {
	*bbolt.Bucket
	at   *bbolt.Cursor // to look up records, in memory that is used again
	kind versioned.Kind
	name string
	sums bucketSum
	dict *s2.Dict // nil for none
}

// get is Get, without a Cursor for each record.
func (b *kindBucket) get(key []byte) []byte {
	k, v := b.at.Seek(key)
	if !bytes.Equal(k, key) {
		return nil
	}
	return v
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
	was    []byte // as in the file, unpacked; nil for none
	is     []byte // as the batch leaves it, not yet packed; nil for none
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
	if err := w.log(file.Log); err != nil {
		return err
	}
	changes := 0
	for _, d := range batch {
		changes += len(d.Event.Changes)
	}
	w.spare = make([]slot, changes)
	slots := make(map[slotID]*slot, changes)
	entries, err := w.journal(batch, slots)
	if err != nil {
		return err
	}
	if err := w.records(slots); err != nil {
		return err
	}
	b := w.tx.Bucket([]byte(journalBucket))
	if entries > 0 {
		most := keep{revisions: w.options.JournalRevisions, age: w.options.JournalAge}
		if err := w.codecs.trim(b, working.Revision(), w.options.Clock(), most, 2*entries+64); err != nil {
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
func (w *fileWriter) event(b *bbolt.Bucket, d *decision, slots map[slotID]*slot) (int, error) {
	ev := d.Event
	head, err := w.codecs.head(ev)
	if err != nil {
		return 0, err
	}
	seq := uint32(0)
	headed := 0 // where the changes of an entry begin
	put := func(entry []byte) error {
		packed := packEntry(entry, headed, &w.packed)
		seal(packed, w.table)
		seq++
		return b.Put(journalKey(ev.Revision, seq-1), packed)
	}
	entry := appendPart(slices.Grow(w.entry[:0], sumSize+len(head)+8+d.size)[:sumSize], head)
	defer func() { w.entry = entry }()
	headed = len(entry)
	for i, c := range ev.Changes {
		if len(entry) >= entrySize {
			if err := put(entry); err != nil {
				return 0, err
			}
			entry, headed = entry[:sumSize], sumSize
		}
		kind := c.Kind()
		sl, err := w.slot(slots, kind, c.Key())
		if err != nil {
			return 0, err
		}
		entry = appendPart(entry, string(kind))
		entry = appendPart(entry, sl.is)
		entry = appendPart(entry, d.after[i])
		sl.is = d.after[i]
	}
	return int(seq) + 1, put(entry)
}

// log makes the log with a number; 0 removes the log if the store is being closed.
func (w *fileWriter) log(number uint64) error {
	switch {
	case number != 0:
		return w.makeLog()
	case w.isClosed():
		return w.dropLog()
	}
	return nil
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
	if k, _ := b.Cursor().First(); k == nil {
		b.FillPercent = 0.9 // it is filled in key order
	}
	kb := &kindBucket{Bucket: b, at: b.Cursor(), kind: kind, name: name, sums: sumOf(w.table, name), dict: w.dicts[kind]}
	if kb.dict == nil {
		if kb.dict, err = w.lostDict(kind); err != nil {
			return nil, err
		}
	}
	w.buckets[kind] = kb
	return kb, nil
}

// lostDict returns the dictionary that a commit that was reported as failed has given a
// kind; nil if none.
func (w *fileWriter) lostDict(kind versioned.Kind) (*s2.Dict, error) {
	b := w.tx.Bucket([]byte(dictBucket))
	if b == nil {
		return nil, nil
	}
	raw := b.Get([]byte(dictPrefix + string(kind)))
	if raw == nil {
		return nil, nil
	}
	d, err := parseDict(raw, w.table)
	if err == nil {
		w.made[kind] = d
	}
	return d, err
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
	was, err := unpack(b.dict, key, b.get(key), nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %w", kind.Words(), versioned.KeyText(key), errForeignWrite, err)
	}
	if len(w.spare) == 0 {
		w.spare = make([]slot, 1)
	}
	sl := &w.spare[0]
	w.spare = w.spare[1:]
	*sl = slot{bucket: b, key: key, was: was, is: was}
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
	for len(ordered) > 0 {
		b := ordered[0].bucket
		n := slices.IndexFunc(ordered, func(sl *slot) bool { return sl.bucket != b })
		if n < 0 {
			n = len(ordered)
		}
		if err := w.ofKind(b, ordered[:n]); err != nil {
			return err
		}
		ordered = ordered[n:]
	}
	return nil
}

// ofKind writes the records of one kind, in key order.
func (w *fileWriter) ofKind(b *kindBucket, slots []*slot) error {
	if err := w.makeDict(b, slots); err != nil {
		return err
	}
	for _, sl := range slots {
		if sl.was != nil {
			w.sum -= b.sums.entry(sl.key, sl.was)
		}
		if sl.is != nil {
			w.sum += b.sums.entry(sl.key, sl.is)
		}
	}
	switch n := made(slots); {
	case n < manyRecords:
	case b.among(slots, n/mostKept):
		b.FillPercent = 0.9 // existing records are between pages that are filled in key order
	case n >= b.Stats().KeyN/mostKept:
		return w.anew(b, slots)
	}
	for _, sl := range slots {
		var err error
		if sl.is == nil {
			err = b.Delete(sl.key)
		} else {
			err = b.Put(sl.key, w.packer.pack(b.dict, sl.key, sl.is))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// How many new records of a kind make it worthwhile to rewrite all of them: at least this
// many, and at least one for each mostKept existing ones.
const (
	manyRecords = 1024
	mostKept    = 8
)

// made returns how many of the slots are for records that are not in the file.
func made(slots []*slot) int {
	n := 0
	for _, sl := range slots {
		if sl.was == nil && sl.is != nil {
			n++
		}
	}
	return n
}

// among reports whether there are at most most records between the first and the last of
// the slots.
func (b *kindBucket) among(slots []*slot, most int) bool {
	c, last := b.Cursor(), slots[len(slots)-1].key
	n := 0
	for k, _ := c.Seek(slots[0].key); k != nil && bytes.Compare(k, last) <= 0; k, _ = c.Next() {
		if n++; n > most {
			return false
		}
	}
	return true
}

// anew writes all records of a kind into a new bucket, including those that are not in
// slots. Pages filled in key order are full; pages split by insertions stay half empty.
func (w *fileWriter) anew(b *kindBucket, slots []*slot) error {
	packed := make([][]byte, len(slots))
	inParts(len(slots), func(from, to int) {
		var p packer
		for i, sl := range slots[from:to] {
			if sl.is != nil {
				packed[from+i] = p.pack(b.dict, sl.key, sl.is)
			}
		}
	})
	type pair struct{ key, value []byte }
	all := make([]pair, 0, b.Stats().KeyN+len(slots))
	c := b.Cursor()
	k, v := c.First()
	for i, sl := range slots {
		for ; k != nil && bytes.Compare(k, sl.key) < 0; k, v = c.Next() {
			all = append(all, pair{bytes.Clone(k), bytes.Clone(v)})
		}
		if k != nil && bytes.Equal(k, sl.key) {
			k, v = c.Next()
		}
		if sl.is != nil {
			all = append(all, pair{sl.key, packed[i]})
		}
	}
	for ; k != nil; k, v = c.Next() {
		all = append(all, pair{bytes.Clone(k), bytes.Clone(v)})
	}
	// The old value of a slot may be on a page of the bucket that is deleted.
	for _, sl := range slots {
		sl.was = nil
	}
	if err := w.tx.DeleteBucket([]byte(b.name)); err != nil {
		return err
	}
	made, err := w.tx.CreateBucket([]byte(b.name))
	if err != nil {
		return err
	}
	made.FillPercent = 0.9
	b.Bucket, b.at = made, made.Cursor()
	for _, p := range all {
		if err := made.Put(p.key, p.value); err != nil {
			return err
		}
	}
	return nil
}

// inParts calls fn for parts of n things, each from one index up to another, in parallel
// if they are many.
func inParts(n int, fn func(from, to int)) {
	parts := runtime.GOMAXPROCS(0)
	if n < manyRecords {
		parts = 1
	}
	var all sync.WaitGroup
	for i := 1; i < parts; i++ {
		all.Go(func() { fn(n*i/parts, n*(i+1)/parts) })
	}
	fn(0, n/parts)
	all.Wait()
}

// makeDict makes a dictionary, from samples of all its slots, for a kind that has none
// and many slots.
func (w *fileWriter) makeDict(b *kindBucket, slots []*slot) error {
	n := len(slots)
	if b.dict != nil || n < dictRecords {
		return nil
	}
	var samples []byte
	for i := 0; i < n && len(samples) < dictSize; i += max(n/dictSamples, 1) {
		samples = append(samples, slots[i].is...)
	}
	dict, raw := newDict(samples, w.table)
	if dict == nil {
		return nil
	}
	b.dict, w.made[b.kind] = dict, dict
	d, err := w.tx.CreateBucketIfNotExists([]byte(dictBucket))
	if err != nil {
		return err
	}
	return d.Put([]byte(dictPrefix+string(b.kind)), raw)
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
