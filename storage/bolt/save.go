package bolt

import (
	"context"
	"fmt"
	"os"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// Save writes what another store holds, journal included, to the file at path, as
// Store.BackupFile does for a store of this package. Place is what people call the cloud:
// the file may overwrite earlier copies of it.
func Save(ctx context.Context, from storage.Store, place, path string, o engine.Options, to diskfile.Options) error {
	snap := from.Snapshot()
	file := fileRecord{
		Major: Schema().Major, Minor: Schema().Minor, UUID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(place)), Created: o.Clock().UnixMilli(), CreatedBy: o.Version,
		Revision: uint64(snap.Revision()), AtSec: snap.At().Unix(), AtNano: int64(snap.At().Nanosecond()),
	}
	to.Clock = o.Clock
	to.Spare = func(f *os.File) (is, hint string) {
		return spare(ctx, f, func() (uuid.UUID, error) { return file.UUID, nil })
	}
	return diskfile.Write(path, to, func(f *os.File) error {
		return rebuild(ctx, f, func(dst *bbolt.DB) error {
			w := &bulkWriter{db: dst}
			defer w.abandon()
			c := newCodecs()
			table := castagnoli()
			for r := range snap.Records() {
				b, err := c.encode(r)
				if err != nil {
					return err
				}
				name := recordBucket(r.RecordKind())
				file.Sum += sumOf(table, name).entry(r.RecordKey(), b)
				if err := w.put(name, r.RecordKey(), b); err != nil {
					return err
				}
			}
			if _, err := w.bucket(journalBucket); err != nil {
				return err
			}
			for until := snap.Revision(); until > 0; {
				events, err := from.Events(ctx, cloud.EventQuery{Until: until})
				if err != nil {
					return fmt.Errorf("the journal of %s: %w", place, err)
				}
				if len(events) == 0 {
					break // what is older was dropped
				}
				for _, ev := range events {
					if err := c.entries(ev, c.both, func(key, entry []byte) error { return w.put(journalBucket, key, storedEntry(entry, table)) }); err != nil {
						return err
					}
					until = ev.Revision - 1
				}
			}
			if _, err := w.bucket(metaBucket); err != nil {
				return err
			}
			if err := c.putFile(w.tx, &file); err != nil {
				return err
			}
			return w.commit()
		})
	})
}

// both encodes the records before and after a change.
func (c codecs) both(_ int, ch versioned.Change) (was, is []byte, err error) {
	if ch.Before != nil {
		was, err = c.encode(ch.Before)
	}
	if ch.After != nil && err == nil {
		is, err = c.encode(ch.After)
	}
	return was, is, err
}
