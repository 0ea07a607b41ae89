package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
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
	var found findings
	err := s.inWriter(ctx, func() error {
		m, err := s.whole()
		if err != nil {
			return damaged(s.path, err)
		}
		found.aged(m.aged())
		if s.journal != nil {
			return nil //nolint:nilerr // bbolt might not survive its pages; the journal's damage is reported below
		}
		return s.sound(func() error { return found.pages(s.db, s.readOnly == "") })
	})
	if err != nil {
		return nil, err
	}
	var held copiedContent
	err = s.sound(func() (err error) {
		held, err = copyOut(ctx, s.db, s.open.pages)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := found.content(ctx, s.codecs, held); err != nil {
		return nil, err
	}
	return found.all, nil
}

// VerifyFile is Verify for a file that is not open, including one that Open refuses.
// The error says that the file could not be read at all.
func VerifyFile(ctx context.Context, path string, o engine.Options) ([]storage.Defect, error) {
	o.ReadOnly = true
	f, _, err := openLocked(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return verifyFile(ctx, f)
}

// verifyFile is VerifyFile for a file that is locked, or that no other process has.
// Afterwards its lock may be shared with other readers.
func verifyFile(ctx context.Context, f *os.File) ([]storage.Defect, error) {
	var found findings
	again, err := diskfile.Dup(f)
	if err != nil {
		return nil, err
	}
	of := &openFile{path: f.Name(), locked: again, opened: again}
	defer of.close() //nolint:errcheck // it was only read
	err = of.open(ctx, false)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, new(*storage.OpenError)):
		return nil, err
	case err != nil:
		found.add("file", "%v", err)
		return found.all, nil
	case of.db == nil:
		return nil, nil
	}
	found.aged(of.was)
	held, err := copyOut(ctx, of.db, of.pages)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		found.add("file", "%v", err)
		return found.all, nil
	case len(held.buckets) == 0:
		return nil, nil
	}
	if err := found.content(ctx, newCodecs(), held); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found.all, func(d storage.Defect) bool { return d.Remedy == storage.DropJournal }) {
		// What bbolt would say of its pages follows from that, if bbolt survived them.
		return found.all, nil
	}
	if err := guarded(func() error { return found.pages(of.db, false) }); err != nil {
		found.add("pages", "%s", ofPages(err))
		found.helps(len(found.all)-1, storage.Rewrite)
	}
	return found.all, nil
}

// copiedContent is the content of a file, copied out of it.
type copiedContent struct {
	txid    uint64 // of the newest transaction
	buckets []string
	file    []byte
	records map[versioned.Kind][]entry
	journal []entry
	broken  error // why the journal could not be read completely; nil if it was
}

// copyOut copies what a file holds, where pages is what is wrong with the pages of its
// journal.
func copyOut(ctx context.Context, db *bbolt.DB, pages error) (copiedContent, error) {
	c := copiedContent{records: map[versioned.Kind][]entry{}, broken: pages}
	all := func(b *bbolt.Bucket) (entries []entry, err error) {
		err = eachEntry(b, func(k, v []byte) error {
			entries = append(entries, entry{bytes.Clone(k), bytes.Clone(v)})
			return nil
		})
		return entries, errors.Join(err, ctx.Err())
	}
	err := guarded(func() error {
		return db.View(func(tx *bbolt.Tx) (err error) {
			c.txid = uint64(tx.ID()) // bbolt counts up from 0
			if c.buckets, err = bucketsOf(tx); err != nil {
				return err
			}
			for _, name := range c.buckets {
				if name == journalBucket {
					continue
				}
				entries, err := all(tx.Bucket([]byte(name)))
				if err != nil {
					return fmt.Errorf("bucket %s: %w", name, err)
				}
				if kind, ok := kindOf(name); ok {
					c.records[kind] = entries
				}
			}
			if b := tx.Bucket([]byte(metaBucket)); b != nil {
				c.file = bytes.Clone(b.Get([]byte(fileKey)))
			}
			return nil
		})
	})
	if err == nil && pages == nil && slices.Contains(c.buckets, journalBucket) {
		c.broken = guarded(func() error {
			return db.View(func(tx *bbolt.Tx) (err error) {
				c.journal, err = all(tx.Bucket([]byte(journalBucket)))
				return err
			})
		})
	}
	return c, err
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

// helps says what helps against the findings from number n on.
func (f *findings) helps(n int, remedy storage.Remedy) {
	for i := range f.all[n:] {
		f.all[n+i].Remedy = remedy
	}
}

// aged says what an invalid meta page may mean; "" for none.
func (f *findings) aged(aged string) {
	if aged != "" {
		defer f.helps(len(f.all), storage.Rewrite)
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
	defer f.helps(len(f.all), storage.Rewrite)
	for err := range tx.Check() {
		f.some("pages", "pages", "%s", ofPages(err))
	}
	return tx.Rollback()
}

// content checks the records and the journal.
func (f *findings) content(ctx context.Context, c codecs, held copiedContent) error {
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
		f.cloud(file, records)
	}
	return f.journal(ctx, c, held, file)
}

// records decodes every record and adds up the sum of the file.
func (f *findings) records(ctx context.Context, c codecs, held copiedContent, file *fileRecord) ([]versioned.Record, error) {
	table := castagnoli()
	var sum uint64
	for kind, entries := range held.records {
		sums := sumOf(table, recordBucket(kind))
		for _, e := range entries {
			sum += sums.entry(e.key, e.value)
		}
	}
	if file != nil && sum != file.Sum {
		f.add("records", "their checksum is wrong: one is missing, or was altered")
	}
	var records []versioned.Record
	for _, kind := range c.cloud.Kinds() {
		for _, e := range held.records[kind] {
			r, err := c.record(kind, e.key, e.value)
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

// cloud makes the cloud of the records, and checks it.
func (f *findings) cloud(file *fileRecord, records []versioned.Record) {
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
	for _, err := range s.Check() {
		f.some("cloud", "cloud", "%v", err)
	}
}

// journal decodes every event, and checks that they lead to the revision of the file
// without a gap.
func (f *findings) journal(ctx context.Context, c codecs, held copiedContent, file *fileRecord) error {
	check := journalCheck{table: castagnoli()}
	for _, e := range held.journal {
		check.entry(e)
	}
	if file != nil {
		check.all(held.broken, slices.Contains(held.buckets, journalBucket), file)
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
	defer f.helps(len(f.all), storage.DropJournal)
	f.some("journal", where, "%s", fault.what)
}
