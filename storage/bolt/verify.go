package bolt

import (
	"context"
	"fmt"
	"os"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// mostFindings is how many findings of one kind are reported one by one.
const mostFindings = 100

// Verify implements storage.Store. Writers wait while the pages are checked, and
// continue while the records and the journal are read.
func (s *Store) Verify(ctx context.Context) ([]storage.Defect, error) {
	if s.isClosed() {
		return nil, storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.journal != nil || len(*s.behind.Load()) > 0 && s.readOnly != "" { // bbolt must not open it, or does not have all of it and there is no writer
		return verifyFile(ctx, s.handle, s.options)
	}
	var found findings
	err := s.inWriter(ctx, func(w *writer) error {
		if w != nil { // the store has a writer
			if err := w.bringLevel(); err != nil {
				return err
			}
		}
		im, err := s.whole()
		if err != nil {
			return damaged(s.path, err)
		}
		found.metas(im)
		return s.sound(func() error { return found.pages(s.db, s.readOnly == "") })
	})
	if err != nil {
		return nil, err
	}
	var held copied
	if err := s.view(func(tx *bbolt.Tx) error { held = copyAll(tx); return ctx.Err() }); err != nil {
		return nil, err
	}
	if err := found.content(ctx, s.codecs, held); err != nil {
		return nil, err
	}
	return found.all, nil
}

// VerifyFile is Verify for a file that is not open, including one that Open refuses.
// The error says that the file could not be read at all.
func VerifyFile(ctx context.Context, path string, o Options) ([]storage.Defect, error) {
	o.ReadOnly = true
	o = o.withDefaults()
	f, _, err := openLocked(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return verifyFile(ctx, f, o)
}

// verifyFile is VerifyFile for a file that is locked, or that no other process has.
// Afterwards its lock may be shared with other readers.
func verifyFile(ctx context.Context, f *os.File, o Options) ([]storage.Defect, error) {
	var found findings
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, nil
	}
	im, err := readImage(f, info.Size())
	if err != nil {
		found.add("file", "%v", err)
		return found.all, nil
	}
	found.metas(im)
	held := copied{txid: im.txid}
	w, err := walk(im, func(bucket string, l leaf) error {
		for _, e := range l.entries {
			if bucket == logBucket {
				held.log = slices.Clone(logBlocks(e.value, im.pageSize))
				continue
			}
			held.add(bucket, e.key, e.value)
		}
		l.release()
		return ctx.Err()
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		found.add("file", "%v", err)
		return found.all, nil
	case len(w.buckets) == 0:
		return nil, nil
	}
	held.walked = w
	if err := found.content(ctx, newCodecs(), held); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found.all, func(fi storage.Defect) bool { return fi.Journal }) {
		// What bbolt would say of its pages follows from that, if bbolt survived them.
		return found.all, nil
	}
	// Every page is sound, so bbolt can check them as well.
	again, err := diskfile.Dup(f)
	if err != nil {
		return nil, err
	}
	db, err := openBolt(again, o, true)
	if err != nil {
		_ = again.Close()
		found.add("file", "%v", err)
		return found.all, nil
	}
	defer db.Close() //nolint:errcheck // it was only read
	if err := guarded(func() error { return found.pages(db, false) }); err != nil {
		found.add("pages", "%v", err)
	}
	return found.all, nil
}

// copied is the content of a file, copied out of it.
type copied struct {
	txid    uint64 // of the newest transaction
	file    []byte
	dicts   []entry
	records map[versioned.Kind][]entry
	journal []entry
	log     []byte  // its blocks; nil if bbolt has read the file, and has caught up with the log
	walked  *walker // what the walk over the pages found about the journal; nil if bbolt has read it
}

func copyAll(tx *bbolt.Tx) copied {
	c := copied{txid: uint64(tx.ID()), records: map[versioned.Kind][]entry{}} // bbolt counts up from 0
	// The function given to ForEach returns no error, so that there is none.
	_ = tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v != nil {
				c.add(string(name), k, v)
			}
			return nil
		})
	})
	return c
}

func (c *copied) add(bucket string, key, value []byte) {
	e := entry{key: append([]byte(nil), key...), value: append([]byte(nil), value...)}
	switch kind, ok := kindOf(bucket); {
	case ok:
		if c.records == nil {
			c.records = map[versioned.Kind][]entry{}
		}
		c.records[kind] = append(c.records[kind], e)
	case bucket == journalBucket:
		c.journal = append(c.journal, e)
	case bucket == metaBucket && string(key) == fileKey:
		c.file = e.value
	case bucket == metaBucket || bucket == dictBucket:
		c.dicts = append(c.dicts, e)
	}
}

// findings collects the defects found.
type findings struct {
	all   []storage.Defect
	count map[string]int
}

func (f *findings) add(where, format string, args ...any) {
	f.all = append(f.all, storage.Defect{Where: where, What: fmt.Sprintf(format, args...)})
}

// some is add for a finding that may occur very often.
func (f *findings) some(kind, where, format string, args ...any) {
	if f.count == nil {
		f.count = map[string]int{}
	}
	f.count[kind]++
	switch n := f.count[kind]; {
	case n <= mostFindings:
		f.add(where, format, args...)
	case n == mostFindings+1:
		f.add(kind, "and more of this kind")
	}
}

// metas says whether one of the meta pages is invalid.
func (f *findings) metas(im *image) {
	if aged := im.aged(); aged != "" {
		f.add("file", "%s; the next command that writes makes the page valid again", aged)
	}
}

// pages makes bbolt check its pages. It uses a write transaction, if it may, to keep
// writers out meanwhile, and rolls it back.
func (f *findings) pages(db *bbolt.DB, writable bool) error {
	tx, err := db.Begin(writable)
	if err != nil {
		return err
	}
	for err := range tx.Check() {
		f.some("pages", "pages", "%v", err)
	}
	return tx.Rollback()
}

// content checks the records and the journal.
func (f *findings) content(ctx context.Context, c codecs, held copied) error {
	file, err := c.file(held.file)
	if err != nil {
		f.add("bucket "+metaBucket, "the file's own description: %v", err)
		file = nil
	} else if err := file.writtenBy(held.txid); err != nil {
		f.add("file", "%v", err)
	}
	records, err := f.records(ctx, c, held, file)
	if err != nil {
		return err
	}
	if file != nil {
		f.cloud(c, file, records, held.log, held.walked != nil)
	}
	return f.journal(ctx, c, held, file)
}

// records decodes every record and adds up the sum of the file.
func (f *findings) records(ctx context.Context, c codecs, held copied, file *fileRecord) ([]versioned.Record, error) {
	table := castagnoli()
	all := dicts{}
	for _, e := range held.dicts {
		if err := all.add(e.key, e.value, table); err != nil {
			f.add("bucket "+dictBucket, "%v", err)
		}
	}
	var sum uint64
	for kind, entries := range held.records {
		sums := sumOf(table, recordBucket(kind))
		for i, e := range entries {
			envelope, err := unpack(all[kind], e.key, e.value, nil)
			if err != nil {
				f.some("records", "record "+string(kind), "%s: %v", versioned.KeyText(e.key), err)
				continue
			}
			entries[i].value = envelope
			sum += sums.entry(e.key, envelope)
		}
	}
	if file != nil && sum != file.Sum {
		f.add("records", "their checksum is wrong: one is missing, or was altered")
	}
	var records []versioned.Record
	for _, kind := range c.cloud.Kinds() {
		for _, e := range held.records[kind] {
			r, err := decode(c.cloud, kind, e.key, e.value)
			if err != nil {
				f.some("records", "record "+string(kind), "%v", err)
				continue
			}
			records = append(records, r)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// cloud makes the cloud of the records, and of the log if it is only in the file, and
// checks it.
func (f *findings) cloud(c codecs, file *fileRecord, records []versioned.Record, log []byte, onFile bool) {
	s, err := cloud.Load(cloud.Revision(file.Revision), file.at(), func(yield func(versioned.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		f.add("cloud", "the records are inconsistent: %v", err)
		return
	}
	if onFile {
		if next, _, err := c.replay(s, file.Log, log); err != nil {
			f.add("log", "%v", err)
		} else {
			s = next
		}
	}
	for _, err := range s.Check() {
		f.some("cloud", "cloud", "%v", err)
	}
}

// journal decodes every event, and checks that they lead to the revision of the file
// without a gap.
func (f *findings) journal(ctx context.Context, c codecs, held copied, file *fileRecord) error {
	check := journalCheck{table: castagnoli()}
	for _, e := range held.journal {
		check.entry(e)
	}
	switch {
	case file == nil:
	case held.walked != nil:
		check.all(held.walked, file)
	default:
		check.end(file)
	}
	told := map[cloud.Revision]bool{}
	for _, fault := range check.faults {
		told[fault.rev] = true
		f.ofJournal(fault)
	}
	for i, raw := range eventsIn(held.journal) {
		if told[raw.rev] {
			continue
		}
		if _, _, err := c.decodeEvent(raw, check.table); err != nil {
			f.ofJournal(journalFault{raw.rev, err.Error()})
		}
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofJournal adds a fault in the journal.
func (f *findings) ofJournal(fault journalFault) {
	where := journalBucket
	if fault.rev != 0 {
		where = fmt.Sprintf("journal revision %d", fault.rev)
	}
	n := len(f.all)
	f.some("journal", where, "%s", fault.what)
	for i := range f.all[n:] {
		f.all[n+i].Journal = true
	}
}
