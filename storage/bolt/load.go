package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
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
		of.content, err = load(ctx, path, of.db, of.pages)
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
	if mayWrite {
		err = f.meta.checkFreelist(f.opened) // bbolt reads it at once
	}
	if err == nil {
		f.db, err = openBolt(f.opened, !mayWrite)
	}
	if err != nil {
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

// loader reads a file into a cloud, by kind in the order in which records refer to each other.
type loader struct {
	codecs
	table   *crc32.Table
	path    string
	txid    uint64 // of the newest transaction
	buckets []string
	file    *fileRecord
	unfiled error // why there is no file

	into   *cloud.Loader
	sum    uint64
	beyond beyond
	newer  error            // the first record that a newer release wrote
	bad    error            // the first record that cannot be decoded
	faults []storage.Defect // records that cannot be decoded, or not by this release: the first of them
	misfit error            // the first record that does not fit the others

	journal journalCheck
	unread  bool // not all of the journal could be read
}

// entry is a key and its value in a bucket.
type entry struct{ key, value []byte }

// load returns what the file holds that db has open, where pages is what is wrong with the
// pages of its journal. Errors say what is wrong with it, or match storage.ErrNewer or the
// context's error.
func load(ctx context.Context, path string, db *bbolt.DB, pages error) (content, error) {
	l, err := scan(ctx, path, db, pages, false)
	switch {
	case err != nil:
		return content{}, err
	case len(l.buckets) == 0:
		return content{snapshot: cloud.Empty()}, nil
	}
	return l.finish()
}

// scan goes through a file as load does. With all, it finds all that is wrong with its records
// and its journal.
func scan(ctx context.Context, path string, db *bbolt.DB, pages error, all bool) (*loader, error) {
	l := &loader{codecs: newCodecs(), table: castagnoli(), path: path, into: cloud.NewLoader()}
	l.journal.table = l.table
	if all {
		l.journal.decode = func(raw rawEvent) error {
			_, _, err := l.decodeEvent(raw, l.table)
			return cmp.Or(err, ctx.Err())
		}
	}
	err := guarded(func() error {
		return db.View(func(tx *bbolt.Tx) (err error) {
			l.txid = uint64(tx.ID()) // bbolt counts up from 0
			if l.buckets, err = bucketsOf(tx); err != nil || len(l.buckets) == 0 {
				return err
			}
			if l.file, l.unfiled = l.fileIn(tx); l.unfiled != nil && !all {
				return l.unfiled
			}
			return l.records(ctx, tx, slices.Clone(l.buckets))
		})
	})
	if err != nil || len(l.buckets) == 0 {
		return l, err
	}
	if pages == nil {
		pages = guarded(func() error { return db.View(func(tx *bbolt.Tx) error { return l.entries(ctx, tx) }) })
	}
	l.journal.all(pages, slices.Contains(l.buckets, journalBucket), l.file)
	l.unread = pages != nil
	return l, ctx.Err()
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

// records reads all records, by kind in the order in which they refer to each other.
func (l *loader) records(ctx context.Context, tx *bbolt.Tx, buckets []string) error {
	place := func(bucket string) int { // the first for an unknown kind, which no record refers to
		kind, _ := kindOf(bucket)
		return slices.Index(l.cloud.Kinds(), kind)
	}
	slices.SortStableFunc(buckets, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	for _, name := range buckets {
		if name == journalBucket {
			continue
		}
		var entries []entry
		err := tx.Bucket([]byte(name)).ForEach(func(k, v []byte) error {
			entries = append(entries, entry{k, v})
			return nil
		})
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if kind, ok := kindOf(name); ok {
			const some = 8 << 10 // so that not all of a kind is decoded, and not added yet
			for part := range slices.Chunk(entries, some) {
				if err := ctx.Err(); err != nil {
					return err
				}
				l.some(kind, part)
			}
		}
	}
	return nil
}

// some decodes some records of a kind, on all processors, and adds them to the cloud.
func (l *loader) some(kind versioned.Kind, entries []entry) {
	all, sums := make([]decoded, len(entries)), sumOf(l.table, recordBucket(kind))
	each := len(entries)/runtime.GOMAXPROCS(0) + 1
	var workers sync.WaitGroup
	for from := 0; from < len(entries); from += each {
		workers.Go(func() {
			for i := from; i < min(from+each, len(entries)); i++ {
				all[i] = l.decode(kind, sums, entries[i])
			}
		})
	}
	workers.Wait()
	for i, d := range all {
		l.sum += d.sum
		switch {
		case d.err != nil:
			l.fail(kind, d.err)
		case d.record != nil:
			l.beyond = l.note(l.beyond, d.record, entries[i].value)
			l.add(kind, d.record)
		}
	}
}

// decoded is a record with what it adds to the sum of the file; nil if its kind is not known.
type decoded struct {
	record versioned.Record
	sum    uint64
	err    error
}

func (l *loader) decode(kind versioned.Kind, sums bucketSum, e entry) (d decoded) {
	err := guarded(func() (err error) {
		d.sum = sums.entry(e.key, e.value)
		if _, known := l.cloud.Schema(kind); known {
			d.record, err = l.record(kind, e.key, e.value)
		}
		return err
	})
	if _, stopped := errors.AsType[*panicError](err); stopped {
		err = fmt.Errorf("the bucket %q: %w", recordBucket(kind), err)
	}
	d.err = err
	return d
}

// fail notes why a record cannot be decoded.
func (l *loader) fail(kind versioned.Kind, err error) {
	if !errors.Is(err, versioned.ErrNewer) {
		l.bad = cmp.Or(l.bad, err)
	} else if l.newer == nil {
		l.newer = l.newerRecord(kind, err)
	}
	if len(l.faults) <= mostFindings {
		l.faults = append(l.faults, storage.Defect{Where: "record " + string(kind), What: err.Error()})
	}
}

// entries passes the entries of the journal to its check, which may look at them as long as tx
// lasts.
func (l *loader) entries(ctx context.Context, tx *bbolt.Tx) error {
	b := tx.Bucket([]byte(journalBucket))
	if b == nil {
		return nil
	}
	err := b.ForEach(func(k, v []byte) error {
		l.journal.entry(entry{k, v})
		return ctx.Err()
	})
	l.journal.event()
	return err
}

// add adds a record to the cloud, unless an earlier one did not fit.
func (l *loader) add(kind versioned.Kind, r versioned.Record) {
	if l.misfit != nil {
		return
	}
	l.misfit = guarded(func() error { return l.into.Add(r) })
	if p, stopped := errors.AsType[*panicError](l.misfit); stopped {
		l.misfit = fmt.Errorf("placetop stopped while it added %s %s of the bucket %q: %v", kind.Words(), versioned.KeyText(r.RecordKey()), recordBucket(kind), p.what)
	}
}

// snapshot makes the cloud of what was added.
func (l *loader) snapshot() (s *cloud.Snapshot, err error) {
	err = guarded(func() error {
		s, err = l.into.Snapshot(cloud.Revision(l.file.Revision), l.file.at())
		return err
	})
	if p, ok := errors.AsType[*panicError](err); ok {
		return nil, fmt.Errorf("placetop stopped while it put its records together: %v", p.what)
	}
	return s, err
}

// finish makes the cloud of the records.
func (l *loader) finish() (content, error) {
	c := content{file: l.file, beyond: l.beyond, unreadable: l.unread || l.journal.last != cloud.Revision(l.file.Revision)}
	if has := l.file.schema(); has.Major > Schema().Major {
		c.newer = &storage.NewerError{Path: l.path, What: "the file", Has: has, Knows: Schema(), By: l.file.CreatedBy}
	}
	if l.sum != l.file.Sum {
		return content{}, cmp.Or(c.newer, errSum)
	}
	c.newer = cmp.Or(c.newer, l.newer) // which the sum vouches for
	err := cmp.Or(l.bad, l.file.writtenBy(l.txid))
	if err == nil {
		if err = l.misfit; err == nil {
			c.snapshot, err = l.snapshot()
		}
		if err != nil {
			err = fmt.Errorf("its records are inconsistent: %w", err)
		}
	}
	if err != nil {
		return content{}, cmp.Or(c.newer, err)
	}
	if c.newer == nil { // whose journal may be of another kind
		c.journal = l.journal.faults
	}
	return c, nil
}

// newerRecord returns the error that a newer release wrote a record of a kind.
func (l *loader) newerRecord(kind versioned.Kind, err error) error {
	e := &storage.NewerError{Path: l.path, What: "a record of kind " + string(kind), By: l.file.CreatedBy, Err: err}
	if of, ok := errors.AsType[*versioned.NewerError](err); ok {
		e.Has, e.Knows = of.Has, of.Knows
	}
	return e
}
