package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// The log is the value of the one key of the bucket log. Once made, that bucket is not
// written again, so its pages stay where they are and bbolt does not look into them; the
// log is written directly to the file. From its second page on, the value is divided into
// blocks, and a record takes one or more consecutive blocks:
//
//	checksum (4 bytes) of what follows | length of the body (4)
//	number of the log (8) | revision before (8) | revision after (8)
//	body: an s2 block of events, each as its head, an eventRecord, and its changes:
//	      kind, key, record after; each with its length before it, 0 for a record that goes
//
// Numbers are big-endian. The file's own record has the current number: a new one each
// time that the log comes into use, so that older records there do not count. A record
// counts if its checksum and number are right and it leads beyond the revision of the
// file; those that count follow each other without a gap in revisions, wherever they are.
const (
	logBucket = "log"
	logKey    = "log"

	logHead  = 32
	logBlock = 4 << 10 // a block with an answered record is not written again before bbolt has it
	logSize  = 2 << 20

	mostLogged = 128 << 10 // the largest batch for the log, in bytes; a larger one goes to bbolt, with all before it
	followFrom = logSize / 2
	// logAfter is how many commits, each within quietAfter of the last, it takes for the
	// next to use the log: a few changes by hand are not worth it.
	logAfter    = 8
	quietAfter  = 200 * time.Millisecond
	mostCramped = 1000 // commits until another attempt to make a log that there was no room for
)

// errLog is matched by errors about the content of the log.
var errLog = errors.New("malformed log")

// commitLog is the log of an open file. It belongs to the writer, and to the append under
// way.
type commitLog struct {
	number uint64   // 0 while it is not in use
	file   *os.File // opened separately: the kernel reports a disk error once to each opening
	at     int64    // where its blocks begin in the file
	head   int      // where in the blocks the next record goes
	used   int      // bytes of the blocks that bbolt does not have yet, with those skipped at the end

	body, packed []byte // memory for an append to work in
}

// room reports whether the log takes one more batch, however large.
func (l *commitLog) room() bool { return l.used+2*(mostLogged+logBlock) <= logSize }

// place returns where in the blocks a record of n bytes goes, and how many bytes of them
// that takes, including the end if it is skipped because the record does not fit there.
func (l *commitLog) place(n int) (at, takes int) {
	n = (n + logBlock - 1) / logBlock * logBlock
	if l.head+n > logSize {
		return 0, n + logSize - l.head
	}
	return l.head, n
}

// writeThrough writes to f, and returns once the data is on disk.
func writeThrough(f *os.File, b []byte, at int64) error {
	if _, err := f.WriteAt(b, at); err != nil {
		return err
	}
	return datasync(f)
}

// logRecord is a record of the log.
type logRecord struct {
	from, to cloud.Revision
	body     []byte // packed
}

// appendLogged appends to b what the log holds of a decision.
func (c codecs) appendLogged(b []byte, d *decision) ([]byte, error) {
	head, err := c.head(d.Event)
	if err != nil {
		return nil, err
	}
	b = appendPart(b, head)
	for i, ch := range d.Event.Changes {
		b = appendPart(appendPart(appendPart(b, string(ch.Kind())), ch.Key()), d.after[i])
	}
	return b, nil
}

// encode returns a record in the form it has in the log with a number.
func (r logRecord) encode(number uint64, table *crc32.Table) []byte {
	b := make([]byte, logHead, logHead+len(r.body))
	binary.BigEndian.PutUint32(b[4:], uint32(len(r.body))) // no more than mostLogged and what s2 adds
	binary.BigEndian.PutUint64(b[8:], number)
	binary.BigEndian.PutUint64(b[16:], uint64(r.from))
	binary.BigEndian.PutUint64(b[24:], uint64(r.to))
	b = append(b, r.body...)
	seal(b, table)
	return b
}

// logOutcome is what became of a batch.
type logOutcome struct {
	err     error
	logged  bool          // the log could not be written: bbolt may still take the batch
	takes   int           // bytes of the log; 0 if bbolt has the batch
	cramped bool          // there was no room to make the log
	disk    time.Duration // how long it took to write and sync
}

// append writes a batch into the log, and returns once it is on disk.
func (s *Store) append(l *commitLog, b batch, following bool) logOutcome {
	if broken := s.broken.Load(); broken != nil {
		return logOutcome{err: broken}
	}
	if err := s.unchanged(following); err != nil {
		return logOutcome{err: err}
	}
	began := s.now()
	l.body = l.body[:0]
	var err error
	for _, d := range b.decisions {
		if !d.kept() {
			continue
		}
		if l.body, err = s.codecs.appendLogged(l.body, d); err != nil {
			return logOutcome{err: err, logged: true}
		}
	}
	r := logRecord{from: b.from.Revision(), to: b.to.Revision(), body: s2.Encode(atLeast(&l.packed, s2.MaxEncodedLen(len(l.body))), l.body)}
	raw := r.encode(l.number, s.table)
	at, takes := l.place(len(raw))
	wrote := time.Now() //nolint:forbidigo // it is the disk that is measured: the clock of the cloud may be a made-up one
	if err := s.writeLog(l.file, raw, l.at+int64(at)); err != nil {
		return logOutcome{err: err, logged: true}
	}
	disk := time.Since(wrote)
	l.head = (at + len(raw) + logBlock - 1) / logBlock * logBlock % logSize
	if s.options.Committed != nil {
		s.options.Committed(engine.Commit{Changes: kept(b.decisions), Took: s.now().Sub(began), Disk: disk})
	}
	return logOutcome{takes: takes, disk: disk}
}

// now returns the time if it is needed to report how long a commit took.
func (s *Store) now() time.Time {
	if s.options.Committed == nil {
		return time.Time{}
	}
	return s.options.Clock()
}

// unchanged returns an error unless the file is still where it was opened, and only bbolt
// has written to it. If following, bbolt may be about to end a transaction.
func (s *Store) unchanged(following bool) error {
	seen := s.seen.Load()
	im, err := s.inPlace()
	switch {
	case err != nil:
		return err
	case im.txid == seen.txid && im.root == seen.root, following && im.txid == seen.txid+1:
		return nil
	}
	return &storage.NotKeptError{Path: s.path, Err: errForeignWrite, Hint: hintFor(errForeignWrite), Remedy: remedyFor(errForeignWrite)}
}

// see notes the state of the file from its meta pages.
func (s *Store) see() error {
	im, err := s.whole()
	if err == nil {
		s.seen.Store(im)
	}
	return err
}

// newLogNumber returns the number for a log that comes into use.
func newLogNumber() uint64 { return max(rand.Uint64(), 1) } // it need only be another one than before

// find finds the current log in the file.
func (l *commitLog) find(s *Store) error {
	if l.file == nil {
		f, err := os.OpenFile(s.path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := diskfile.SamePlace(s.handle, s.path); err != nil {
			return errors.Join(err, f.Close())
		}
		l.file = f
	}
	return s.sound(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			var end int64
			if l.at, end = logPlace(tx); end-l.at != logSize {
				return errLog
			}
			return nil
		})
	})
}

// logPlace returns where the blocks of the log begin and end in the file; 0 if there is
// no log.
func logPlace(tx *bbolt.Tx) (from, to int64) {
	b, size := tx.Bucket([]byte(logBucket)), tx.DB().Info().PageSize
	if b == nil {
		return 0, 0
	}
	from = (int64(b.Root()) + 1) * int64(size) // a page of the file
	return from, from + int64(len(b.Get([]byte(logKey)))-size)
}

func (l *commitLog) close() {
	if l.file != nil {
		_ = l.file.Close() // what was written is on disk
	}
}

// tail notes what is kept only in the log, the oldest first.
func (s *Store) tail(behind []*decision) { s.behind.Store(&behind) }

// recent returns those of the events that q selects that are only in the log, newest
// first, and the query for the rest, from the journal in the file; false if nothing is
// left to read.
func (s *Store) recent(q cloud.EventQuery) (out []cloud.Event, rest cloud.EventQuery, more bool) {
	behind := *s.behind.Load()
	if len(behind) == 0 {
		return nil, q, true
	}
	for _, d := range slices.Backward(behind) {
		ev := d.Event
		if ev.Revision <= q.After || len(out) == q.Limit {
			return out, q, false
		}
		if q.Until != 0 && ev.Revision > q.Until {
			continue
		}
		ev.At = time.Unix(ev.At.Unix(), int64(ev.At.Nanosecond())).UTC() // as it reads from the file
		if n := len(ev.Changes); q.Small > 0 && n > q.Small {
			ev.Changes, ev.Omitted = nil, n
		}
		out = append(out, ev)
	}
	if first := behind[0].Event.Revision; q.Until == 0 || q.Until >= first {
		q.Until = first - 1
	}
	return out, q, q.Until > 0
}

// makeLog makes the bucket of the log unless there is a usable one.
func (w *fileWriter) makeLog() error {
	size := logSize + w.db.Info().PageSize
	if b := w.tx.Bucket([]byte(logBucket)); b != nil {
		if len(b.Get([]byte(logKey))) == size {
			return nil
		}
		if err := w.dropLog(); err != nil {
			return err
		}
	}
	b, err := w.tx.CreateBucket([]byte(logBucket))
	if err != nil {
		return err
	}
	return b.Put([]byte(logKey), make([]byte, size))
}

// dropLog gives the pages of the log back to bbolt.
func (w *fileWriter) dropLog() error {
	if w.tx.Bucket([]byte(logBucket)) == nil {
		return nil
	}
	return w.tx.DeleteBucket([]byte(logBucket))
}

// blank is a writer that leaves out the log of a file that is copied: what is written to
// the log meanwhile is of no use to the copy.
type blank struct {
	w        io.Writer
	from, to int64 // the log
	pos      int64
}

// Write implements io.Writer.
func (b *blank) Write(p []byte) (int, error) {
	from, to := max(b.from-b.pos, 0), min(b.to-b.pos, int64(len(p)))
	if from < to {
		p = append([]byte(nil), p...)
		clear(p[from:to])
	}
	n, err := b.w.Write(p)
	b.pos += int64(n)
	return n, err
}

// sayGap returns the error that the log does not continue where it should.
func sayGap(at, from cloud.Revision) error {
	return fmt.Errorf("its log continues at revision %d after revision %d: what was between is lost: %w", from, at, errLog)
}
