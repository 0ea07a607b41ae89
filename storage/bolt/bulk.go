package bolt

import "go.etcd.io/bbolt"

// bulk is about how many bytes one transaction writes of a new file.
const bulk = 16 << 20

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
	if w.size > bulk {
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
