package bolt

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// A file of a schema before 5.0 is read by writing its cloud anew, into a temporary file of
// the present schema, which is then read like any other. If the file is opened for writing
// and nothing is wrong with it, that copy replaces it; the file itself is never changed, so
// this may be interrupted at any time. This is all that is left of what those schemas had:
//
//   - A record may be packed: the byte packedRecord, the position of the key in the record
//     (a byte, 0 for none), then the rest of the record as an s2 block, with a dictionary
//     of its kind: "dict/"KIND in the bucket dict, before 3.0 in meta.
//
//   - A journal entry is a checksum and the entry as it is, or with only its changes
//     compressed. A zero byte, with which no other entry begins, then follows the checksum,
//     and the head after its length, which is 0 in all entries but the first.
//
//   - Since 4.0, commits after the one that bbolt wrote last may be in a log, the value of
//     the one key of the bucket log: blocks of logBlock bytes from its second page on, of
//     which a record takes one or more:
//
//     checksum (4 bytes) of what follows | length of the body (4)
//     number of the log (8) | revision before (8) | revision after (8)
//     body: an s2 block of events, each as its head and its changes: kind, key, record
//     after; each with its length before it, 0 for a record that goes
//
//     A record counts if its number is that in the file's own record, and it leads beyond
//     the revision there; those that count follow each other without a gap.
const (
	packedRecord = 0xB2
	dictBucket   = "dict"
	dictPrefix   = "dict/"
	logBucket    = "log"
	logKey       = "log"
	logHead      = 32
	logBlock     = 4 << 10

	mostUnpacked = 64 << 20 // the most bytes of what was packed; what claims to be longer is damaged
)

var (
	// errPacked is matched by errors about packed data that cannot be unpacked.
	errPacked = errors.New("malformed packed data")
	// errLog is matched by errors about the content of the log.
	errLog = errors.New("malformed log")
)

// upgraded returns a temporary file with the cloud in the file that db has open, in the
// present schema. An entry of the journal that cannot be read is left as it is, to be found
// by whoever reads the copy.
func upgraded(ctx context.Context, db *bbolt.DB, m *meta) (*os.File, error) {
	f, err := temporary()
	if err != nil {
		return nil, err
	}
	if err := upgradeInto(ctx, db, m, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func upgradeInto(ctx context.Context, db *bbolt.DB, m *meta, f *os.File) error {
	again, err := diskfile.Dup(f)
	if err != nil {
		return err
	}
	dst, err := newBolt(again)
	if err != nil {
		return errors.Join(err, again.Close())
	}
	u := &upgrade{codecs: newCodecs(), table: castagnoli(), to: &bulkWriter{db: dst}, dicts: map[versioned.Kind]*s2.Dict{}}
	err = guarded(func() error {
		defer u.to.abandon()
		return db.View(func(tx *bbolt.Tx) error { return u.file(ctx, tx, m) })
	})
	return errors.Join(err, dst.Close(), diskfile.TryLock(f, true))
}

// temporary returns a file that vanishes when it is closed.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "placetop-*.db")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// copied returns a temporary copy of f, for bbolt to open instead of f.
func copied(f *os.File, size int64) (*os.File, error) {
	to, err := temporary()
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(to, io.NewSectionReader(f, 0, size)); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}

// upgrade writes the content of an old file into a new one.
type upgrade struct {
	codecs
	table *crc32.Table
	to    *bulkWriter
	dicts map[versioned.Kind]*s2.Dict
}

func (u *upgrade) file(ctx context.Context, tx *bbolt.Tx, m *meta) error {
	file, err := u.fileIn(tx)
	if err != nil {
		return err
	}
	if err := file.writtenBy(m.txid); err != nil {
		return err
	}
	var logged []logEvent
	if number := file.Log; number != 0 {
		if logged, err = u.logged(tx, m, number, cloud.Revision(file.Revision)); err != nil {
			return err
		}
	}
	if err := u.readDicts(tx); err != nil {
		return err
	}
	if err := u.records(ctx, tx, file); err != nil {
		return err
	}
	if err := u.journal(ctx, tx); err != nil {
		return err
	}
	if err := u.replay(file, logged); err != nil {
		return err
	}
	file.Major, file.Minor, file.Log = Schema().Major, Schema().Minor, 0
	if _, err := u.to.bucket(metaBucket); err != nil {
		return err
	}
	return errors.Join(u.putFile(u.to.tx, file), u.to.commit())
}

// readDicts reads the dictionaries.
func (u *upgrade) readDicts(tx *bbolt.Tx) error {
	for _, name := range []string{metaBucket, dictBucket} {
		b := tx.Bucket([]byte(name))
		if b == nil {
			continue
		}
		err := b.ForEach(func(k, v []byte) error {
			if len(k) <= len(dictPrefix) || string(k[:len(dictPrefix)]) != dictPrefix {
				return nil
			}
			kind := versioned.Kind(k[len(dictPrefix):])
			if !sealed(v, u.table) {
				return fmt.Errorf("the dictionary of %s: checksum does not match: %w", kind, errPacked)
			}
			d := s2.NewDict(slices.Clone(v[sumSize:]))
			if d == nil {
				return fmt.Errorf("the dictionary of %s: %w", kind, errPacked)
			}
			u.dicts[kind] = d
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// records copies the records, unpacked.
func (u *upgrade) records(ctx context.Context, tx *bbolt.Tx, file *fileRecord) error {
	var sum uint64
	err := tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		kind, ok := kindOf(string(name))
		if !ok {
			return nil
		}
		sums := sumOf(u.table, string(name))
		return b.ForEach(func(k, v []byte) error {
			record, err := unpack(u.dicts[kind], k, v)
			if err != nil {
				return fmt.Errorf("%s %s: %w", kind.Words(), versioned.KeyText(k), err)
			}
			sum += sums.entry(k, record)
			return errors.Join(u.to.put(string(name), k, record), ctx.Err())
		})
	})
	if err == nil && sum != file.Sum {
		err = errSum
	}
	return err
}

// unpack returns the record that is stored under a key.
func unpack(d *s2.Dict, key, stored []byte) ([]byte, error) {
	switch {
	case len(stored) == 0 || stored[0] != packedRecord:
		return stored, nil
	case len(stored) < 2:
		return nil, fmt.Errorf("a packed record of %d bytes: %w", len(stored), errPacked)
	case d == nil:
		return nil, fmt.Errorf("a packed record without a dictionary: %w", errPacked)
	}
	at, block := int(stored[1]), stored[2:]
	n, err := s2.DecodedLen(block)
	if err != nil || n > mostUnpacked {
		return nil, fmt.Errorf("a packed record that claims to have %d bytes: %w", n, errPacked)
	}
	record, err := d.Decode(make([]byte, n, n+len(key)), block)
	switch {
	case err != nil:
		return nil, fmt.Errorf("a packed record: %w: %w", errPacked, err)
	case at > len(record):
		return nil, fmt.Errorf("a packed record whose key lies beyond its end: %w", errPacked)
	case at > 0:
		record = slices.Insert(record, at, key...)
	}
	return record, nil
}

// journal copies the entries of the journal, unpacked.
func (u *upgrade) journal(ctx context.Context, tx *bbolt.Tx) error {
	if _, err := u.to.bucket(journalBucket); err != nil {
		return err
	}
	b := tx.Bucket([]byte(journalBucket))
	if b == nil {
		return nil
	}
	// Where pages are damaged, the rest is missing from the copy, where that is found.
	err := guarded(func() error {
		return b.ForEach(func(k, v []byte) error {
			if _, seq, ok := parseJournalKey(k); ok {
				if entry, err := unpackEntry(v, seq, u.table); err == nil {
					v = storedEntry(entry, u.table)
				}
			}
			return errors.Join(u.to.put(journalBucket, k, v), ctx.Err())
		})
	})
	if _, broken := errors.AsType[*panicError](err); broken {
		return nil
	}
	return err
}

// unpackEntry returns an entry of the journal without what it is packed in.
func unpackEntry(stored []byte, seq uint32, table *crc32.Table) ([]byte, error) {
	if !sealed(stored, table) {
		return nil, errJournal
	}
	b := stored[sumSize:]
	if len(b) == 0 || b[0] != 0 {
		return b, nil
	}
	head, block, err := cutPart(b[1:])
	if err != nil {
		return nil, err
	}
	if n, err := s2.DecodedLen(block); err != nil || n > mostUnpacked+2*entrySize {
		return nil, fmt.Errorf("a packed entry that claims to have %d bytes: %w", n, errJournal)
	}
	changes, err := s2.Decode(nil, block)
	if err != nil {
		return nil, fmt.Errorf("a packed entry: %w: %w", errJournal, err)
	}
	if seq > 0 {
		return changes, nil
	}
	return append(appendPart(nil, head), changes...), nil
}

// logEvent is an event of the log.
type logEvent struct {
	head    *eventRecord
	raw     []byte // the head, encoded
	changes []logChange
}

// logChange is a change of the log.
type logChange struct {
	kind       versioned.Kind
	key, after []byte // after is empty if the record is deleted
}

// logged returns the events in the log with a number, after the revision at.
func (u *upgrade) logged(tx *bbolt.Tx, m *meta, number uint64, at cloud.Revision) ([]logEvent, error) {
	b := tx.Bucket([]byte(logBucket))
	if b == nil {
		return nil, fmt.Errorf("its log is missing: %w", errLog)
	}
	const before = pageHeader + elementSize + len(logKey) // before the value, on its first page
	value := b.Get([]byte(logKey))
	blocks := value[min(max(m.pageSize-before, 0), len(value)):]
	records, err := logRecords(blocks, number, at, u.table)
	if err != nil {
		return nil, err
	}
	var events []logEvent
	for _, r := range records {
		more, err := u.eventsOf(r.body)
		if err == nil && (len(more) == 0 || more[len(more)-1].head.Revision != uint64(r.to)) {
			err = errors.New("its events are not those that it names")
		}
		if err != nil {
			return nil, fmt.Errorf("its log, from revision %d to %d: %w: %w", r.from, r.to, errLog, err)
		}
		events = append(events, more...)
	}
	return events, nil
}

// logRecord is a record of the log.
type logRecord struct {
	from, to cloud.Revision
	body     []byte // packed
}

// logRecords returns the records that follow the revision at in the blocks of the log with
// a number, in order. It skips torn and older ones. If one that must have preceded another
// is missing, that is an error: the other was confirmed, so it had been, too.
func logRecords(blocks []byte, number uint64, at cloud.Revision, table *crc32.Table) ([]logRecord, error) {
	var found []logRecord
	be := binary.BigEndian
	for pos := 0; pos+logHead <= len(blocks); pos += logBlock {
		b := blocks[pos:]
		n := uint64(be.Uint32(b[4:]))
		if be.Uint64(b[8:]) != number || n > uint64(len(b)-logHead) || !sealed(b[:logHead+n], table) {
			continue
		}
		pos += (logHead + int(n) - 1) / logBlock * logBlock
		if to := cloud.Revision(be.Uint64(b[24:])); to > at {
			found = append(found, logRecord{cloud.Revision(be.Uint64(b[16:])), to, b[logHead : logHead+n]})
		}
	}
	slices.SortFunc(found, func(a, b logRecord) int { return int(a.from) - int(b.from) })
	for _, r := range found {
		if r.from != at || r.to <= at {
			return nil, fmt.Errorf("its log continues at revision %d after revision %d: what was between is lost: %w", r.from, at, errLog)
		}
		at = r.to
	}
	return found, nil
}

// eventsOf returns the events of a record of the log.
func (u *upgrade) eventsOf(body []byte) (events []logEvent, err error) {
	if n, err := s2.DecodedLen(body); err != nil || n > mostUnpacked {
		return nil, fmt.Errorf("a record that claims to have %d bytes", n)
	}
	b, err := s2.Decode(nil, body)
	if err != nil {
		return nil, err
	}
	for len(b) > 0 {
		var ev logEvent
		if ev.raw, _, err = cutPart(b); err != nil {
			return nil, err
		}
		if ev.head, b, err = u.cutHead(b); err != nil {
			return nil, err
		}
		for range ev.head.Changes {
			var parts [3][]byte
			for i := range parts {
				if parts[i], b, err = cutPart(b); err != nil {
					return nil, err
				}
			}
			ev.changes = append(ev.changes, logChange{versioned.Kind(parts[0]), parts[1], parts[2]})
		}
		events = append(events, ev)
	}
	return events, nil
}

// replay writes what the events of the log have changed, and them into the journal.
func (u *upgrade) replay(file *fileRecord, events []logEvent) error {
	if len(events) == 0 {
		return nil
	}
	if err := u.to.commit(); err != nil { // so that all that was copied is there to be looked up
		return err
	}
	for _, ev := range events {
		if ev.head.Revision != file.Revision+1 {
			return fmt.Errorf("its log continues at revision %d after revision %d: %w", ev.head.Revision, file.Revision, errLog)
		}
		entry, seq := appendPart(nil, ev.raw), uint32(0)
		for _, c := range ev.changes {
			if len(entry) >= entrySize {
				if err := u.to.put(journalBucket, journalKey(cloud.Revision(ev.head.Revision), seq), storedEntry(entry, u.table)); err != nil {
					return err
				}
				entry, seq = entry[:0], seq+1
			}
			name := recordBucket(c.kind)
			b, err := u.to.bucket(name)
			if err != nil {
				return err
			}
			before, sums := slices.Clone(b.Get(c.key)), sumOf(u.table, name)
			entry = appendPart(appendPart(appendPart(entry, string(c.kind)), before), c.after)
			if before != nil {
				file.Sum -= sums.entry(c.key, before)
			}
			if len(c.after) == 0 {
				err = b.Delete(c.key)
			} else {
				file.Sum += sums.entry(c.key, c.after)
				err = u.to.put(name, c.key, c.after)
			}
			if err != nil {
				return err
			}
		}
		if err := u.to.put(journalBucket, journalKey(cloud.Revision(ev.head.Revision), seq), storedEntry(entry, u.table)); err != nil {
			return err
		}
		file.Revision, file.AtSec, file.AtNano = ev.head.Revision, ev.head.AtSec, ev.head.AtNano
	}
	return nil
}

// replaceOld replaces an old file, which is open and locked, by the upgraded copy of it, and
// opens that.
func replaceOld(ctx context.Context, old *openFile, o engine.Options) (*openFile, error) {
	path := old.path
	err := install(ctx, path, old)
	_ = old.close() // it was only read
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &storage.OpenError{
			Path: path, What: "it is of an older release, and cannot be replaced by an upgraded copy: " + err.Error(),
			Hint: hintFor(err), Remedy: storage.ReadOnly, Err: err,
		}
	}
	f, _, err := openLocked(ctx, path, o)
	if err != nil {
		return nil, err
	}
	of, err := read(ctx, path, f, true)
	if err == nil {
		of.aged = cmp.Or(of.aged, old.aged)
	}
	return of, err
}

// install puts the upgraded copy of an old file in the place of the file at path.
func install(ctx context.Context, path string, old *openFile) error {
	path, err := realPath(path)
	if err != nil {
		return err
	}
	if err := onlyName(old.locked); err != nil {
		return err
	}
	info, err := old.opened.Stat()
	if err != nil {
		return err
	}
	return diskfile.Write(path, diskfile.Options{Overwrite: true, Held: true}, func(to *os.File) error {
		_, err := io.Copy(to, &whileContext{ctx: ctx, r: io.NewSectionReader(old.opened, 0, info.Size())})
		return err
	})
}
