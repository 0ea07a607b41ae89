package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
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
		return s.sound(func() error { return found.pages(m, s.handle, s.db, s.readOnly == "") })
	})
	if err != nil {
		return nil, err
	}
	err = s.sound(func() error {
		l, err := scan(ctx, s.path, s.db, s.open.pages, true)
		if err == nil {
			found.content(l)
		}
		return err
	})
	return found.all, err
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
	l, err := scan(ctx, of.path, of.db, of.pages, true)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		found.add("file", "%v", err)
		return found.all, nil
	case len(l.buckets) == 0:
		return nil, nil
	}
	found.content(l)
	if slices.ContainsFunc(found.all, func(d storage.Defect) bool { return d.Remedy == storage.DropJournal }) {
		// What bbolt would say of its pages follows from that, if bbolt survived them.
		return found.all, nil
	}
	if err := guarded(func() error { return found.pages(of.meta, of.opened, of.db, false) }); err != nil {
		found.add("pages", "%s", ofPages(err))
		found.helps(len(found.all)-1, storage.Rewrite)
	}
	return found.all, nil
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

// pages checks the pages, of which m is the newest meta page. It uses a write transaction, if
// it may, to keep writers out meanwhile, and rolls it back.
func (f *findings) pages(m *meta, file *os.File, db *bbolt.DB, writable bool) error {
	tx, err := db.Begin(writable)
	if err != nil {
		return err
	}
	defer f.helps(len(f.all), storage.Rewrite)
	m.check(file, tx, func(err error) { f.some("pages", "pages", "%s", ofPages(err)) })
	return tx.Rollback()
}

// content adds what was found in the records and the journal.
func (f *findings) content(l *loader) {
	if l.unfiled != nil {
		f.add("bucket "+metaBucket, "the file's own description: %v", l.unfiled)
	} else if err := l.file.writtenBy(l.txid); err != nil {
		f.add("file", "%v", err)
	}
	if l.file != nil && l.sum != l.file.Sum {
		f.add("records", "their checksum is wrong: one is missing, or was altered")
	}
	for _, d := range l.faults {
		f.some("records", d.Where, "%s", d.What)
	}
	if l.file != nil {
		f.cloud(l)
	}
	for _, fault := range l.journal.faults {
		f.ofJournal(fault)
	}
}

// cloud makes the cloud of the records, and checks it.
func (f *findings) cloud(l *loader) {
	err := l.misfit
	var s *cloud.Snapshot
	if err == nil {
		s, err = l.snapshot()
	}
	if err != nil {
		f.add("cloud", "the records are inconsistent: %v", err)
		return
	}
	for _, err := range s.Check() {
		f.some("cloud", "cloud", "%v", err)
	}
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
