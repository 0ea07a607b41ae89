package bolt

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"sync"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
)

// errForeign means that a sound bbolt file is not ours.
var errForeign = errors.New("it is a bbolt file of another program: it has no bucket " + metaBucket)

// content is what a file holds.
type content struct {
	file       *fileRecord // nil for a file without any bucket: one that was just made
	dicts      dicts
	snapshot   *cloud.Snapshot
	behind     []*decision    // what is only in the log
	beyond     beyond         // records that have fields of a newer release
	newer      error          // the record of a newer release, because of which this one must not write: a *storage.NewerError
	journal    []journalFault // the faults of the journal, if all else is sound
	aged       string         // what one invalid meta page may mean; "" for none
	unreadable bool           // the journal does not lead to the cloud, or its pages cannot be read: it must not be read
}

// loader reads an image into a cloud. It walks the pages in order; as many goroutines as
// there are processors decode the records on them.
type loader struct {
	codecs
	table *crc32.Table
	path  string

	file  *fileRecord
	dicts dicts                         // all there before the first record, as dict and meta come before record/
	kinds map[versioned.Kind][]*decoded // by leaf, in the order of the keys
	jobs  chan job

	blocks []byte // of the log

	journal journalCheck
}

// job is a leaf of a bucket of records to decode.
type job struct {
	kind   versioned.Kind
	bucket string
	leaf
	*decoded
}

// decoded is the records of one leaf.
type decoded struct {
	records []versioned.Record
	sum     uint64
	beyond  beyond
	newer   error // the first record that a newer release wrote
	err     error
}

// load returns what the file holds. Errors say what is wrong with it, or match
// storage.ErrNewer or the context's error.
func load(ctx context.Context, c codecs, path string, im *image) (content, error) {
	l := &loader{codecs: c, table: castagnoli(), path: path, dicts: dicts{}, kinds: map[versioned.Kind][]*decoded{}, jobs: make(chan job, 64)}
	l.journal.table = l.table
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(l.work)
	}
	w, err := walk(im, func(bucket string, lf leaf) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return l.take(bucket, lf, im)
	})
	close(l.jobs)
	workers.Wait()
	switch {
	case err != nil:
		return content{}, err
	case len(w.buckets) == 0:
		return content{snapshot: cloud.Empty()}, nil
	case l.file == nil:
		return content{}, errForeign
	}
	l.journal.all(w, l.file)
	held, err := l.finish(im.txid)
	held.aged = im.aged()
	held.unreadable = w.journal != nil || l.journal.last != cloud.Revision(l.file.Revision)
	return held, err
}

// take sorts a leaf by its bucket.
func (l *loader) take(bucket string, lf leaf, im *image) error {
	if kind, ok := kindOf(bucket); ok {
		d := new(decoded)
		l.kinds[kind] = append(l.kinds[kind], d)
		l.jobs <- job{kind: kind, bucket: bucket, leaf: lf, decoded: d}
		return nil
	}
	if bucket == logBucket && len(lf.entries) == 1 { // whose page is kept
		l.blocks = logBlocks(lf.entries[0].value, im.pageSize)
		return im.newest()
	}
	defer lf.release()
	for _, e := range lf.entries {
		switch {
		case bucket == journalBucket:
			l.journal.entry(e)
		case bucket == metaBucket && string(e.key) == fileKey:
			f, err := l.codecs.file(e.value)
			if err != nil {
				return err
			}
			l.file = f
		case bucket == metaBucket || bucket == dictBucket:
			if err := l.dicts.add(e.key, e.value, l.table); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loader) work() {
	bulk := l.cloud.Bulk()
	room := make([]byte, 4096)
	for j := range l.jobs {
		room = l.decodeLeaf(bulk, j, room)
		j.release()
	}
}

// decodeLeaf decodes the records of a leaf. It unpacks into room, and returns room,
// enlarged if a record did not fit.
func (l *loader) decodeLeaf(bulk *versioned.Bulk, j job, room []byte) []byte {
	_, known := l.cloud.Schema(j.kind)
	sums := sumOf(l.table, j.bucket)
	if known {
		j.records = make([]versioned.Record, 0, len(j.entries))
	}
	dict := l.dicts[j.kind]
	for _, e := range j.entries {
		envelope, err := unpack(dict, e.key, e.value, room)
		if err != nil {
			j.err = fmt.Errorf("%s %s: %w", j.kind.Words(), versioned.KeyText(e.key), err)
			continue
		}
		if len(envelope) > cap(room) && e.value[0] == packedRecord {
			room = make([]byte, 2*len(envelope))
		}
		j.sum += sums.entry(e.key, envelope)
		if !known || j.err != nil {
			continue
		}
		r, err := decode(bulk, j.kind, e.key, envelope)
		switch {
		case errors.Is(err, versioned.ErrNewer):
			j.newer = err
		case err != nil:
			j.err = err
		default:
			j.records = append(j.records, r)
			j.beyond = l.note(j.beyond, r, envelope)
		}
	}
	return room
}

// finish makes the cloud of the records. The newest meta page is that of the
// transaction txid.
func (l *loader) finish(txid uint64) (content, error) {
	c := content{file: l.file, dicts: l.dicts}
	if has := l.file.schema(); has.Major > Schema().Major {
		c.newer = &storage.NewerError{Path: l.path, What: "the file", Has: has, Knows: Schema(), By: l.file.CreatedBy}
	}
	if sum := l.sum(); sum != l.file.Sum {
		return content{}, l.orNewer(c.newer, errors.New("the checksum of its records is wrong: one is missing, or was altered"))
	}
	for _, kind := range sorted.Keys(l.kinds) {
		for _, d := range l.kinds[kind] {
			switch {
			case d.err != nil:
				return content{}, l.orNewer(c.newer, d.err)
			case d.newer != nil && c.newer == nil:
				c.newer = l.newerRecord(kind, d.newer)
			}
			c.beyond = c.beyond.and(d.beyond)
		}
	}
	if err := l.file.writtenBy(txid); err != nil {
		return content{}, l.orNewer(c.newer, err)
	}
	s, err := l.ledgers()
	if err != nil {
		return content{}, l.orNewer(c.newer, fmt.Errorf("its records are inconsistent: %w", err))
	}
	if c.snapshot, c.behind, err = l.replay(s, l.file.Log, l.blocks); err != nil {
		if c.newer == nil && errors.Is(err, versioned.ErrNewer) {
			c.newer = l.newerRecord("", err)
		}
		return content{}, l.orNewer(c.newer, err)
	}
	c.beyond = l.noteAll(c.beyond, c.behind)
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

// newerRecord returns the error that a newer release wrote a record of a kind; "" means a
// record of the log.
func (l *loader) newerRecord(kind versioned.Kind, err error) error {
	e := &storage.NewerError{Path: l.path, What: "a record of kind " + string(kind), By: l.file.CreatedBy, Err: err}
	if kind == "" {
		e.What = "a record of its log"
	}
	if of, ok := errors.AsType[*versioned.NewerError](err); ok {
		e.Has, e.Knows = of.Has, of.Knows
	}
	return e
}

// orNewer returns newer if it may explain err, else err.
func (l *loader) orNewer(newer, err error) error {
	if newer != nil {
		return newer
	}
	return err
}
