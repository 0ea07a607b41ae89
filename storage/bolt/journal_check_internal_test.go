package bolt

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
)

// The events of a journal are decoded, up to the last, while the transaction lasts whose memory
// they are: after it the writer of an open file may unmap that.
func TestJournalIsDecodedInItsTransaction(t *testing.T) {
	t.Parallel()
	s := must.Get(Open(t.Context(), filepath.Join(t.TempDir(), "placetop.db"), engine.Options{Clock: time.Now}))(t)
	t.Cleanup(func() { must.Succeed(t, s.Close()) })
	for _, name := range []placement.Trait{"CUSTOM_A", "CUSTOM_B"} {
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: name}}}).Err())
	}
	var decoded []cloud.Revision
	l := &loader{codecs: newCodecs(), table: castagnoli()}
	l.journal.table = l.table
	l.journal.decode = func(raw rawEvent) error {
		decoded = append(decoded, raw.rev)
		return nil
	}
	must.Succeed(t, s.db.View(func(tx *bbolt.Tx) error {
		err := l.entries(t.Context(), tx)
		if len(decoded) != 2 || len(l.journal.raw.entries) > 0 {
			t.Errorf("decoded are the revisions %v, and %d entries are left", decoded, len(l.journal.raw.entries))
		}
		return err
	}))
}

// An interrupted check looks at no more than one entry of a journal, of which there may be many.
func TestJournalCheckEnds(t *testing.T) {
	t.Parallel()
	s := must.Get(Open(t.Context(), filepath.Join(t.TempDir(), "placetop.db"), engine.Options{Clock: time.Now}))(t)
	t.Cleanup(func() { must.Succeed(t, s.Close()) })
	for _, name := range []placement.Trait{"CUSTOM_A", "CUSTOM_B"} {
		must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: name}}}).Err())
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	l := &loader{codecs: newCodecs(), table: castagnoli()}
	l.journal.table = l.table
	must.Fail(t, s.db.View(func(tx *bbolt.Tx) error { return l.entries(ctx, tx) }), context.Canceled)
	must.Be(t, l.journal.last, 1)
}
