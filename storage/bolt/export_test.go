package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
)

// Names of buckets and keys, for tests that look into a file.
const (
	MetaBucket    = metaBucket
	LogBucket     = logBucket
	JournalBucket = journalBucket
	FileKey       = fileKey
)

// RecordBucket returns the name of the bucket for a kind of records.
func RecordBucket(kind versioned.Kind) string { return recordBucket(kind) }

// JournalKey returns the key of a journal entry.
func JournalKey(rev cloud.Revision, seq uint32) []byte { return journalKey(rev, seq) }

// OnCommit makes s commit through commit, and never into the log.
func OnCommit(s *Store, commit func(*bbolt.Tx) error) {
	inWriter(s, func(w *writer) { s.commit, s.logs, w.direct = commit, false, true })
}

// Gathers reports whether, after commits for which the disk took so long, or that failed
// if it took no time, one of two callers waits for the other.
func Gathers(disk ...time.Duration) bool {
	w := &writer{gather: time.NewTimer(mostGather), crowd: 2, next: batch{decisions: make([]*decision, 1)}}
	defer w.gather.Stop()
	for _, d := range disk {
		out := logOutcome{disk: d}
		if d == 0 {
			out.err = errors.ErrUnsupported
		}
		w.took(out)
	}
	return w.gathers()
}

// WithoutLog makes s commit only through bbolt from now on.
func WithoutLog(s *Store) { inWriter(s, func(w *writer) { s.logs, w.direct = false, true }) }

// WithLog makes s start to use the log with the next commit, and keep using it when it is
// quiet. Write writes the log, commit commits to bbolt; nil leaves either as it is.
func WithLog(s *Store, write func(f *os.File, b []byte, at int64) error, commit func(*bbolt.Tx) error) {
	inWriter(s, func(w *writer) {
		s.quietAfter = time.Hour
		w.lately = max(w.lately, logAfter)
		w.quiet.Reset(s.quietAfter)
		if write != nil {
			s.writeLog = write
		}
		if commit != nil {
			s.commit = commit
		}
	})
}

// SmallLog makes bbolt follow s every few commits, and the log soon start again from its
// beginning.
func SmallLog(s *Store) {
	inWriter(s, func(w *writer) { s.followFrom, w.log.head = 8*logBlock, logSize-20*logBlock })
}

// Quiet makes s do what it does once it is quiet, and returns when that is done.
func Quiet(s *Store) {
	inWriter(s, func(w *writer) { w.quiet.Reset(0) })
	for level := false; !level; {
		inWriter(s, func(w *writer) { level = w.lately == 0 && s.file.Log == 0 })
	}
}

// TakeRest makes s do what it does once it is quiet, whether that succeeds or not.
func TakeRest(s *Store) {
	inWriter(s, (*writer).rest)
	inWriter(s, func(*writer) {}) // waits for that
}

// SlowDisk makes each commit to bbolt look as if the last one was long ago.
func SlowDisk(s *Store) {
	inWriter(s, func(w *writer) {
		s.quietAfter = time.Hour
		s.commit = func(tx *bbolt.Tx) error { w.rest(); return tx.Commit() }
	})
}

// WriteThrough writes the log as it is written.
func WriteThrough(f *os.File, b []byte, at int64) error { return writeThrough(f, b, at) }

// Behind returns how many events are only in the log.
func Behind(s *Store) int { return len(*s.behind.Load()) }

// FirstBehind returns the oldest event that is only in the log.
func FirstBehind(s *Store) *cloud.Event { return &(*s.behind.Load())[0].Event }

// The layout of the log.
const (
	LogHead  = logHead
	LogBlock = logBlock
	LogSize  = logSize
)

// Log is the log of a file.
type Log struct {
	From, To int64 // its place in the file; 0 if there is none
	AddsUp   bool  // the records add up to the sum in the file, as a release that does not know the log would see it
	file     *fileRecord
}

// LogIn returns the log of the file at path.
func LogIn(tb testing.TB, path string) (l Log) {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must.Succeed(tb, err)
	err = db.View(func(tx *bbolt.Tx) (err error) {
		l.From, l.To = logPlace(tx)
		value := tx.Bucket([]byte(metaBucket)).Get([]byte(fileKey))
		if l.file, err = newCodecs().file(value); err != nil {
			return err
		}
		r, err := newCodecs().own.Decode(kindFile, value)
		if err != nil {
			return err
		}
		stands, ok := r.(*fileRecord)
		l.AddsUp = ok && stands.Sum == l.file.Sum
		return nil
	})
	must.Succeed(tb, errors.Join(err, db.Close()))
	return l
}

// ReadWhile reads the file of s as Peek does, once, and calls fn when it is about to read
// the log.
func ReadWhile(tb testing.TB, s *Store, fn func()) (*cloud.Snapshot, error) {
	tb.Helper()
	var from int64
	_ = s.db.View(func(tx *bbolt.Tx) error { from, _ = logPlace(tx); return nil })
	b := must.Get(os.Open(s.path))(tb)
	defer b.Close()
	info := must.Get(b.Stat())(tb)
	im := must.Get(readImage(b, info.Size()))(tb)
	im.r = &before{ReaderAt: b, at: from, fn: fn}
	held, err := load(tb.Context(), newCodecs(), s.path, im)
	return held.snapshot, err
}

// before calls fn, once, before it reads what begins at a position.
type before struct {
	io.ReaderAt
	at int64
	fn func()
}

func (r *before) ReadAt(b []byte, at int64) (int, error) {
	if at == r.at && r.fn != nil {
		r.fn()
		r.fn = nil
	}
	return r.ReaderAt.ReadAt(b, at)
}

// Newest returns the revision that the log leads to in an image of the file.
func (l Log) Newest(image []byte) (cloud.Revision, error) {
	found, err := readLog(image[l.From:l.To], l.file.Log, cloud.Revision(l.file.Revision), castagnoli())
	if err != nil || len(found) == 0 {
		return cloud.Revision(l.file.Revision), err
	}
	return found[len(found)-1].to, nil
}

// ReplayLog replays the blocks of a log on an empty cloud, for fuzzing.
func ReplayLog(blocks []byte) (int, error) {
	_, done, err := newCodecs().replay(cloud.Empty(), 7, blocks)
	return len(done), err
}

// LogRecord returns a record of a log, in the form that ReplayLog takes, with events or
// with body.
func LogRecord(body []byte, events ...cloud.Event) []byte {
	c := newCodecs()
	for _, ev := range events {
		d := &decision{request: new(request)}
		d.Event = ev
		for _, ch := range ev.Changes {
			var after []byte
			if ch.After != nil {
				after, _ = c.encode(ch.After)
			}
			d.after = append(d.after, after)
		}
		body, _ = c.appendLogged(body, d)
	}
	return logRecord{from: 0, to: cloud.Revision(max(len(events), 1)), body: s2.Encode(nil, body)}.encode(7, castagnoli())
}

// LogBody returns the body of a record.
func LogBody(record []byte) []byte {
	r, _ := parseLogged(record, 7, castagnoli())
	b, err := s2.Decode(nil, r.body)
	if err != nil {
		panic(err)
	}
	return b
}

// RenameInLog changes the kinds in the records of the log to unknown ones.
func RenameInLog(tb testing.TB, path string) {
	tb.Helper()
	editLog(tb, path, func(body []byte) []byte {
		return bytes.ReplaceAll(body, []byte("resource_provider"), []byte("resource_supplier"))
	})
}

// EditLog replaces what each change in the log leaves of a record of a kind.
func EditLog(tb testing.TB, path string, of versioned.Kind, edit func(after []byte) []byte) {
	tb.Helper()
	c := newCodecs()
	editLog(tb, path, func(body []byte) (out []byte) {
		for len(body) > 0 {
			head, rest, err := c.cutHead(body)
			must.Succeed(tb, err)
			out = append(out, body[:len(body)-len(rest)]...)
			for range head.Changes {
				var ch loggedChange
				ch, rest, err = cutLogged(rest)
				must.Succeed(tb, err)
				if ch.kind == of && ch.after != nil {
					ch.after = edit(bytes.Clone(ch.after))
				}
				out = appendPart(appendPart(appendPart(out, string(ch.kind)), ch.key), ch.after)
			}
			body = rest
		}
		return out
	})
}

// editLog changes the bodies of the records of the log.
func editLog(tb testing.TB, path string, edit func(body []byte) []byte) {
	tb.Helper()
	log := LogIn(tb, path)
	from, to := log.From, log.To
	f := must.Get(os.OpenFile(path, os.O_RDWR, 0))(tb)
	blocks := make([]byte, to-from)
	must.Get(f.ReadAt(blocks, from))(tb)
	for at := 0; at < len(blocks); at += logBlock {
		number := binary.BigEndian.Uint64(blocks[at+8:])
		r, ok := parseLogged(blocks[at:], number, castagnoli())
		if number == 0 || !ok {
			continue
		}
		body := must.Get(s2.Decode(nil, r.body))(tb)
		r.body = s2.Encode(nil, edit(body))
		must.Get(f.WriteAt(r.encode(number, castagnoli()), from+int64(at)))(tb)
	}
	must.Succeed(tb, f.Close())
}

func inWriter(s *Store, fn func(*writer)) {
	done := make(chan struct{})
	s.inspect <- func(w *writer) { fn(w); close(done) }
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
	return c.putFile(tx, f)
}

// DecodeJournal decodes the one event in entries and returns it, for fuzzing.
func DecodeJournal(rev cloud.Revision, entries [][]byte) (cloud.Event, error) {
	ev, _, err := newCodecs().decodeEvent(rawEvent{rev: rev, entries: entries}, castagnoli())
	return ev, err
}

// PlainEntry returns the first entry of an event in its unpacked form.
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

// NewDict returns a dictionary made of samples.
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

// FileSchema returns the schema version in the file.
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
