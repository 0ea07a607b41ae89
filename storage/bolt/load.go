package bolt

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
)

var (
	// errForeign means that a sound bbolt file is not ours.
	errForeign = errors.New("it is a bbolt file of another program: it has no bucket " + metaBucket)
	// errSum means that the records are not those that were written.
	errSum = errors.New("the checksum of its records is wrong: one is missing, or was altered")
)

// content is what a file holds.
type content struct {
	file       *fileRecord // nil for a file without any bucket: one that was just made
	snapshot   *cloud.Snapshot
	beyond     beyond         // records that have fields of a newer release
	newer      error          // the record of a newer release, because of which this one must not write: a *storage.NewerError
	journal    []journalFault // the faults of the journal, if all else is sound
	aged       string         // what one invalid meta page may mean; "" for none
	unreadable bool           // the journal does not lead to the cloud, or its pages cannot be read: it must not be read
}

// openFile is a file that bbolt has open, and all that it holds.
type openFile struct {
	content
	path   string
	db     *bbolt.DB // nil for an empty file
	first  *bbolt.DB // of locked, where db is of a copy; nil if bbolt never opened it
	locked *os.File  // the file itself
	opened *os.File  // what db has open: locked, or an upgraded copy of an old file
	meta   *meta     // of what db has open
	was    string    // what an invalid meta page of the file may mean; "" for none
	pages  error     // what is wrong with the pages of the journal
}

// close closes the file. Closing again what bbolt has closed does nothing.
func (f *openFile) close() error {
	var err error
	for _, db := range []*bbolt.DB{f.db, f.first} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	_ = f.opened.Close()
	_ = f.locked.Close()
	return err
}

// upgraded reports whether the file is of an older schema: db has an upgraded copy open.
func (f *openFile) upgraded() bool { return f.opened != f.locked }

// read opens and reads the whole file of a path, which must be locked or a copy, and which
// it closes if it fails. It writes nothing, not even where bbolt may write.
func read(ctx context.Context, path string, f *os.File, mayWrite bool) (*openFile, error) {
	of := &openFile{path: path, locked: f, opened: f}
	err := of.open(ctx, mayWrite)
	if err == nil && of.db != nil {
		of.content, err = load(ctx, newCodecs(), path, of.db, of.meta, of.pages)
		of.aged = of.was
	}
	if err == nil {
		return of, nil
	}
	_ = of.close() // it was only read
	if ctx.Err() != nil || errors.Is(err, storage.ErrNewer) || errors.As(err, new(*storage.OpenError)) {
		return nil, err
	}
	return nil, damaged(path, err)
}

// open opens the file, or an upgraded copy of it, with bbolt, once its pages are checked.
func (f *openFile) open(ctx context.Context, mayWrite bool) error {
	path := f.path
	info, err := f.locked.Stat()
	if err != nil {
		return &storage.OpenError{Path: path, What: err.Error(), Err: err}
	}
	if info.Size() == 0 {
		f.snapshot = cloud.Empty()
		return nil
	}
	if f.meta, err = readMeta(f.locked, info.Size()); err != nil {
		return err
	}
	f.was = f.meta.aged()
	if f.pages, err = f.meta.checkPages(f.locked); err != nil {
		return err
	}
	if f.meta.freelist == noFreelist {
		// It is of an older schema, or another program's, which bbolt would write on
		// opening it.
		if f.opened, err = copied(f.locked, info.Size()); err != nil {
			f.opened = f.locked
			return noRoom(path, err)
		}
		mayWrite = false
	}
	if f.db, err = openBolt(f.opened, !mayWrite); err != nil {
		return err
	}
	schema, err := schemaOf(f.db)
	if err != nil {
		return err
	}
	if schema.Major < Schema().Major || schema.Major == Schema().Major && f.upgraded() {
		return f.upgrade(ctx)
	}
	return nil
}

// noRoom returns the error that a file cannot be upgraded.
func noRoom(path string, err error) error {
	return &storage.OpenError{Path: path, What: "it is of an older release, and no upgraded copy of it can be made: " + err.Error(), Hint: hintFor(err), Err: err}
}

// schemaOf returns the schema of a file, the present one for a file without any bucket.
func schemaOf(db *bbolt.DB) (v versioned.Version, err error) {
	v = Schema()
	err = guarded(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if k, _ := tx.Cursor().First(); k == nil {
				return nil
			}
			file, err := newCodecs().fileIn(tx)
			if err == nil {
				v = file.schema()
			}
			return err
		})
	})
	return v, err
}

// upgrade goes over to an upgraded copy of an old file. One that bbolt has open itself stays
// open, as bbolt would unlock it.
func (f *openFile) upgrade(ctx context.Context) error {
	copy, err := upgraded(ctx, f.db, f.meta)
	if err != nil {
		return err
	}
	if f.upgraded() {
		_ = f.db.Close() // of the copy that was made first
	} else {
		f.first = f.db
	}
	f.opened = copy
	info, err := copy.Stat()
	if err != nil {
		return err
	}
	if f.meta, err = readMeta(copy, info.Size()); err != nil {
		return err
	}
	f.db, err = openBolt(copy, true)
	return err
}

// loader reads a file into a cloud: one goroutine goes through its entries in order, as many
// as there are processors decode the records.
type loader struct {
	codecs
	table *crc32.Table
	path  string
	file  *fileRecord
	kinds map[versioned.Kind][]*decoded // in the order of the keys
	jobs  chan job

	journal journalCheck
}

// entry is a key and its value in a bucket.
type entry struct{ key, value []byte }

// job is records of a kind to decode.
type job struct {
	kind    versioned.Kind
	bucket  string
	entries []entry
	*decoded
}

// decoded is the records of a job.
type decoded struct {
	records []versioned.Record
	sum     uint64
	beyond  beyond
	newer   error // the first record that a newer release wrote
	err     error
}

// load returns what the file holds that db has open, where pages is what is wrong with the
// pages of its journal. Errors say what is wrong with it, or match storage.ErrNewer or the
// context's error.
func load(ctx context.Context, c codecs, path string, db *bbolt.DB, m *meta, pages error) (content, error) {
	l := &loader{codecs: c, table: castagnoli(), path: path, kinds: map[versioned.Kind][]*decoded{}, jobs: make(chan job, 64)}
	l.journal.table = l.table
	var buckets []string
	err := guarded(func() error {
		return db.View(func(tx *bbolt.Tx) (err error) {
			var workers sync.WaitGroup
			for range runtime.GOMAXPROCS(0) {
				workers.Go(l.work)
			}
			defer workers.Wait() // what they read is the transaction's
			defer close(l.jobs)
			if buckets, err = bucketsOf(tx); err != nil || len(buckets) == 0 {
				return err
			}
			if l.file, err = c.fileIn(tx); err != nil {
				return err
			}
			return l.records(ctx, tx)
		})
	})
	switch {
	case err != nil:
		return content{}, err
	case len(buckets) == 0:
		return content{snapshot: cloud.Empty()}, nil
	}
	if pages == nil {
		pages = guarded(func() error { return db.View(l.entries) })
	}
	l.journal.all(pages, slices.Contains(buckets, journalBucket), l.file)
	held, err := l.finish(m.txid)
	held.unreadable = pages != nil || l.journal.last != cloud.Revision(l.file.Revision)
	return held, err
}

// bucketsOf returns the names of the buckets at the top level.
func bucketsOf(tx *bbolt.Tx) (names []string, err error) {
	err = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		if b == nil {
			return fmt.Errorf("%q is not a bucket", name)
		}
		names = append(names, string(name))
		return nil
	})
	return names, err
}

// fileIn returns the file's own record.
func (c codecs) fileIn(tx *bbolt.Tx) (*fileRecord, error) {
	b := tx.Bucket([]byte(metaBucket))
	if b == nil {
		return nil, errForeign
	}
	value := b.Get([]byte(fileKey))
	if value == nil {
		return nil, errForeign
	}
	return c.file(value)
}

// records hands out all records for decoding.
func (l *loader) records(ctx context.Context, tx *bbolt.Tx) error {
	const each = 256
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		bucket := string(name)
		kind, ok := kindOf(bucket)
		switch {
		case bucket == journalBucket:
			return nil
		case !ok:
			return eachEntry(b, func(_, _ []byte) error { return nil })
		}
		var entries []entry
		send := func() error {
			d := new(decoded)
			l.kinds[kind] = append(l.kinds[kind], d)
			l.jobs <- job{kind: kind, bucket: bucket, entries: entries, decoded: d}
			entries = make([]entry, 0, each)
			return ctx.Err()
		}
		err := eachEntry(b, func(k, v []byte) error {
			if entries = append(entries, entry{k, v}); len(entries) == each {
				return send()
			}
			return nil
		})
		if err == nil && len(entries) > 0 {
			err = send()
		}
		return err
	})
}

// eachEntry calls fn with the entries of a bucket, which has no buckets in it: bbolt would
// follow what a damaged entry says of one.
func eachEntry(b *bbolt.Bucket, fn func(k, v []byte) error) error {
	return b.ForEach(func(k, v []byte) error {
		if v == nil {
			return fmt.Errorf("the entry %q is a bucket", k)
		}
		return fn(k, v)
	})
}

// entries passes the entries of the journal to its check.
func (l *loader) entries(tx *bbolt.Tx) error {
	b := tx.Bucket([]byte(journalBucket))
	if b == nil {
		return nil
	}
	return eachEntry(b, func(k, v []byte) error {
		l.journal.entry(entry{k, v})
		return nil
	})
}

func (l *loader) work() {
	bulk := l.cloud.Bulk()
	for j := range l.jobs {
		if err := guarded(func() error { l.decode(bulk, j); return nil }); err != nil {
			j.err = err
		}
	}
}

// decode decodes the records of a job.
func (l *loader) decode(bulk *versioned.Bulk, j job) {
	_, known := l.cloud.Schema(j.kind)
	sums := sumOf(l.table, j.bucket)
	for _, e := range j.entries {
		j.sum += sums.entry(e.key, e.value)
		if !known || j.err != nil {
			continue
		}
		r, err := decode(bulk, j.kind, e.key, e.value)
		switch {
		case errors.Is(err, versioned.ErrNewer):
			j.newer = err
		case err != nil:
			j.err = err
		default:
			j.records = append(j.records, r)
			j.beyond = l.note(j.beyond, r, e.value)
		}
	}
}

// finish makes the cloud of the records. The newest meta page is that of the
// transaction txid.
func (l *loader) finish(txid uint64) (content, error) {
	c := content{file: l.file}
	if has := l.file.schema(); has.Major > Schema().Major {
		c.newer = &storage.NewerError{Path: l.path, What: "the file", Has: has, Knows: Schema(), By: l.file.CreatedBy}
	}
	if sum := l.sum(); sum != l.file.Sum {
		return content{}, orNewer(c.newer, errSum)
	}
	for _, kind := range slices.Sorted(maps.Keys(l.kinds)) {
		for _, d := range l.kinds[kind] {
			switch {
			case d.err != nil:
				return content{}, orNewer(c.newer, d.err)
			case d.newer != nil && c.newer == nil:
				c.newer = l.newerRecord(kind, d.newer)
			}
			c.beyond = c.beyond.and(d.beyond)
		}
	}
	if err := l.file.writtenBy(txid); err != nil {
		return content{}, orNewer(c.newer, err)
	}
	var err error
	if c.snapshot, err = l.ledgers(); err != nil {
		return content{}, orNewer(c.newer, fmt.Errorf("its records are inconsistent: %w", err))
	}
	if c.newer == nil { // whose journal may be of another kind
		c.journal = l.journal.faults
	}
	return c, nil
}

// ledgers makes the ledgers of the cloud, all in parallel.
func (l *loader) ledgers() (*cloud.Snapshot, error) {
	var all cloud.Loading
	for _, kind := range l.cloud.Kinds() {
		pieces := make([][]versioned.Record, len(l.kinds[kind]))
		for i, d := range l.kinds[kind] {
			pieces[i] = d.records
		}
		all.Add(kind, pieces...)
	}
	l.kinds = nil
	loads := all.Ledgers()
	errs := make([]error, len(loads))
	var workers sync.WaitGroup
	for i, load := range loads {
		workers.Go(func() { errs[i] = load() })
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all.Snapshot(cloud.Revision(l.file.Revision), l.file.at()), nil
}

// sum adds up the contributions of the records.
func (l *loader) sum() uint64 {
	var sum uint64
	for _, leaves := range l.kinds {
		for _, d := range leaves {
			sum += d.sum
		}
	}
	return sum
}

// newerRecord returns the error that a newer release wrote a record of a kind.
func (l *loader) newerRecord(kind versioned.Kind, err error) error {
	e := &storage.NewerError{Path: l.path, What: "a record of kind " + string(kind), By: l.file.CreatedBy, Err: err}
	if of, ok := errors.AsType[*versioned.NewerError](err); ok {
		e.Has, e.Knows = of.Has, of.Knows
	}
	return e
}

// orNewer returns newer if it may explain err, else err.
func orNewer(newer, err error) error {
	if newer != nil {
		return newer
	}
	return err
}
