package bolt_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
)

// BenchmarkDemo makes the cloud of 10,000 hosts and 100,000 consumers and writes it into
// a new file, as placetop demo does, except that it makes it in the same goroutine. It
// reports the time of making, the processor time in all, the size of the file, and the
// peak memory of the process: run it on its own for that.
func BenchmarkDemo(b *testing.B) {
	path := filepath.Join(b.TempDir(), "placetop.db")
	var making time.Duration
	for b.Loop() {
		_ = os.Remove(path)
		s := open(b, path, engine.Options{})
		changes, err := demo.Build(demo.Options{Hosts: 10_000, Seed: 1, Now: time.Unix(1_790_000_000, 0)})
		must.Succeed(b, err)
		began := time.Now()
		for c := range changes {
			making += time.Since(began)
			must.Succeed(b, s.Apply(b.Context(), c).Err())
			began = time.Now()
		}
		must.Succeed(b, s.Close())
	}
	b.ReportMetric(making.Seconds()/float64(b.N), "s-making")
	reportUse(b)
	reportSizes(b, path)
}

// reportSizes reports how many bytes of a file are records, and how many journal.
func reportSizes(b *testing.B, path string) {
	b.Helper()
	info := must.Get(os.Stat(path))(b)
	b.ReportMetric(float64(info.Size())/1e6, "MB-file")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	must.Succeed(b, err)
	err = db.View(func(tx *bbolt.Tx) error {
		journal, records := 0, 0
		err := tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			st := bucket.Stats()
			if n := st.BranchAlloc + st.LeafAlloc; string(name) == bolt.JournalBucket {
				journal += n
			} else {
				records += n
			}
			return nil
		})
		b.ReportMetric(float64(journal)/1e6, "MB-journal")
		b.ReportMetric(float64(records)/1e6, "MB-records")
		return err
	})
	must.Succeed(b, err)
	must.Succeed(b, db.Close())
}
