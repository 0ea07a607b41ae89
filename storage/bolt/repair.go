package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// Repair cuts a damaged journal of the file at path, which must not be open: the part
// that is newer than the damage stays, and so do all records. The file is rewritten,
// and the old one is kept beside it as PATH.before-repair-TIME. The repair becomes the
// newest revision of the journal, and changes nothing in the cloud: what the cloud was
// before it is no longer known.
//
// Errors match storage.ErrLocked, and storage.ErrDamaged where the records are
// damaged, too; then nothing is changed.
func Repair(ctx context.Context, path string, o Options, how engine.RepairOptions) (engine.RepairResult, error) {
	o = o.withDefaults()
	path, err := realPath(path)
	if err != nil {
		return engine.RepairResult{}, err
	}
	if _, err := os.Stat(path); err != nil {
		return engine.RepairResult{}, &storage.OpenError{Path: path, What: "there is no such file", Err: err}
	}
	f, _, err := openLocked(ctx, path, o)
	if err != nil {
		return engine.RepairResult{}, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	held, err := read(ctx, path, f, true)
	if err != nil {
		return engine.RepairResult{}, err
	}
	defer held.close() //nolint:errcheck // it was only read
	switch {
	case held.newer != nil:
		return engine.RepairResult{}, held.newer
	case held.file == nil:
		return engine.RepairResult{}, nil
	}
	r := &repair{codecs: newCodecs(), of: held, journal: eventsIn(journalOf(held))}
	done := r.plan()
	if done.Damage == "" || how.DryRun {
		return done, nil
	}
	if err := onlyName(f); err != nil {
		return engine.RepairResult{}, err
	}
	now := o.Clock()
	if done.Aside, err = putAside(path, "before-repair", now); err != nil {
		return engine.RepairResult{}, err
	}
	note := storage.Stamp(cloud.Change{Actor: how.Actor, Note: "repair: cut the damaged journal: " + done.Damage}, o.Clock)
	head := &eventRecord{Revision: uint64(done.Revision), AtSec: now.Unix(), AtNano: int64(now.Nanosecond()), Actor: note.Actor, Note: note.Note}
	err = diskfile.Write(path, diskfile.Options{Clock: o.Clock, Overwrite: true, Held: true}, func(to *os.File) error {
		return rebuild(ctx, to, func(dst *bbolt.DB) error {
			return r.write(ctx, dst, head)
		})
	})
	if err != nil {
		return engine.RepairResult{}, errors.Join(during("repair", path, err), os.Remove(done.Aside)) // path is still the old file
	}
	return done, nil
}

// repair is the repair of a file of which everything but the journal is sound.
type repair struct {
	codecs
	of      *openFile
	journal []rawEvent
	left    []rawEvent // its end, which is kept
}

// journalOf returns the entries of a journal, as far as they can be read.
func journalOf(f *openFile) (entries []entry) {
	// What cannot be read is the damage that is about to be cut.
	_ = guarded(func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(journalBucket))
			if b == nil || f.pages != nil {
				return nil //nolint:nilerr // see above
			}
			return b.ForEach(func(k, v []byte) error {
				entries = append(entries, entry{bytes.Clone(k), bytes.Clone(v)})
				return nil
			})
		})
	})
	return entries
}

// plan returns what to do about the journal.
func (r *repair) plan() engine.RepairResult {
	now := cloud.Revision(r.of.file.Revision)
	done := engine.RepairResult{Revision: now}
	r.left = r.soundEnd(r.journal, now, castagnoli())
	switch {
	case len(r.of.content.journal) > 0:
		done.Damage = sayFaults(r.of.content.journal)
	case len(r.left) < len(r.journal): // a fault that shows only in the content of an event
		bad := r.journal[len(r.journal)-len(r.left)-1]
		_, _, err := r.decodeEvent(bad, castagnoli())
		done.Damage = fmt.Sprint(err)
	default:
		return done
	}
	done.Revision++
	if done.Kept = len(r.left); done.Kept > 0 {
		done.First = done.Revision - cloud.Revision(done.Kept)
	}
	return done
}

// write writes into dst: the file's own record, its records, what is left of its journal,
// and the event with the given head.
func (r *repair) write(ctx context.Context, dst *bbolt.DB, head *eventRecord) error {
	w := &bulkWriter{db: dst}
	defer w.abandon()
	err := r.of.db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			if _, ok := kindOf(string(name)); !ok {
				return ctx.Err()
			}
			return b.ForEach(func(k, v []byte) error { return w.put(string(name), k, v) })
		})
	})
	if err != nil {
		return err
	}
	for _, ev := range r.left {
		for seq, entry := range ev.entries {
			if err := w.put(journalBucket, journalKey(ev.rev, uint32(seq)), entry); err != nil { // as it was read
				return err
			}
		}
	}
	last := *r.of.file
	last.Revision, last.AtSec, last.AtNano = head.Revision, head.AtSec, head.AtNano
	b, err := r.own.Encode(head)
	if err != nil {
		return err
	}
	entry := storedEntry(appendPart(nil, b), castagnoli())
	if err := w.put(journalBucket, head.RecordKey(), entry); err != nil {
		return err
	}
	if _, err := w.bucket(metaBucket); err != nil {
		return err
	}
	if err := r.putFile(w.tx, &last); err != nil {
		return err
	}
	return w.commit()
}

// bulkWriter writes entries in key order, bucket by bucket, in transactions of limited
// size.
type bulkWriter struct {
	db   *bbolt.DB
	tx   *bbolt.Tx
	name string // of the current bucket
	into *bbolt.Bucket
	size int // of the transaction, in bytes
}

func (w *bulkWriter) put(bucket string, key, value []byte) error {
	const most = 16 << 20
	if w.size > most {
		if err := w.commit(); err != nil {
			return err
		}
	}
	b, err := w.bucket(bucket)
	if err != nil {
		return err
	}
	w.size += len(key) + len(value)
	return b.Put(append([]byte(nil), key...), append([]byte(nil), value...))
}

// bucket returns the bucket with a name in the transaction under way.
func (w *bulkWriter) bucket(name string) (_ *bbolt.Bucket, err error) {
	if w.tx == nil {
		if w.tx, err = w.db.Begin(true); err != nil {
			return nil, err
		}
	}
	if w.into == nil || w.name != name {
		w.name = name
		if w.into, err = w.tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return nil, err
		}
		w.into.FillPercent = 0.9
	}
	return w.into, nil
}

func (w *bulkWriter) commit() error {
	tx := w.tx
	w.tx, w.into, w.size = nil, nil, 0
	if tx == nil {
		return nil
	}
	return tx.Commit()
}

// abandon ends the transaction under way, if there is one.
func (w *bulkWriter) abandon() {
	if w.tx != nil {
		_ = w.tx.Rollback() // the file is given up
	}
}
