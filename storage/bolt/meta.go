package bolt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// bbolt has two meta pages, and writes them in turn: each transaction ends with its own. If
// the newer one is damaged, bbolt silently goes back to the older one, and to the cloud as
// it was a transaction before. Which of the two was damaged cannot be told: the pages of
// both transactions are still there, but nothing says what the damaged page said.

// aged says of a file with one invalid meta page what that may mean, "" for any other.
func (im *image) aged() string {
	if im.metas == 2 {
		return ""
	}
	return "one of its two meta pages is invalid, so that it may be one transaction older than what was last confirmed"
}

// leap is more than the revisions that one transaction can hold: a batch, and what was in
// the log before it.
const leap = 100_000

// leapOver leaves out the revisions that a lost transaction may have given out, in a file
// with one invalid meta page, so that none means two things to whoever has seen it. The
// journal says so. The transaction that writes this makes the meta page valid again.
func (s *Store) leapOver(aged string) error {
	if behind := *s.behind.Load(); len(behind) > 0 {
		if _, err := s.persist(s.newest.Load(), behind, 0); err != nil {
			return err
		}
		s.tail(nil)
	}
	was := s.newest.Load()
	c := storage.Stamp(cloud.Change{Actor: "placetop", Note: fmt.Sprintf("%s: revisions %d to %d are left out", aged, was.Revision()+1, was.Revision()+leap-1)}, s.options.Clock)
	next := was.Renumbered(was.Revision()+leap, c.At)
	b, err := s.codecs.head(cloud.Event{Revision: next.Revision(), At: c.At, Actor: c.Actor, Note: c.Note})
	if err != nil {
		return err
	}
	entry := appendPart(make([]byte, sumSize), b)
	seal(entry, s.table)
	file := *s.file
	file.Revision, file.AtSec, file.AtNano = uint64(next.Revision()), c.At.Unix(), int64(c.At.Nanosecond())
	file.Leaps = strings.TrimSpace(file.Leaps + " " + strconv.FormatUint(file.Revision, 10))
	err = guarded(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			if err := tx.Bucket([]byte(journalBucket)).Put(journalKey(next.Revision(), 0), entry); err != nil {
				return err
			}
			return s.codecs.putFile(tx, &file)
		})
	})
	if err == nil {
		s.file = &file
		s.newest.Store(next)
	}
	return err
}

// leapt reports whether a revision was reached by leaving out others.
func (f *fileRecord) leapt(rev cloud.Revision) bool {
	return slices.Contains(strings.Fields(f.Leaps), strconv.FormatUint(uint64(rev), 10))
}
