package bolt

import (
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
)

// A compacted file counts its transactions from the beginning, and its record says of which one it
// is: if it said that it is of a later one, old pages in the places of lost ones would pass for new.
func TestCompactedFileNamesItsTransaction(t *testing.T) {
	t.Parallel()
	o := engine.Options{Clock: time.Now}
	s := must.Get(Open(t.Context(), filepath.Join(t.TempDir(), "placetop.db"), o))(t)
	for _, name := range []placement.Trait{"CUSTOM_A", "CUSTOM_B", "CUSTOM_C", "CUSTOM_D", "CUSTOM_E"} {
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: name}}}).Err())
	}
	must.Succeed(t, s.Close())
	_ = must.Get(Engine{}.Compact(t.Context(), s.Path(), o))(t)
	s = must.Get(Open(t.Context(), s.Path(), o))(t)
	t.Cleanup(func() { must.Succeed(t, s.Close()) })
	must.Succeed(t, s.db.View(func(tx *bbolt.Tx) error {
		file, err := newCodecs().fileIn(tx)
		if err == nil {
			must.Be(t, file.Transaction, uint64(tx.ID()))
		}
		return err
	}))
}
