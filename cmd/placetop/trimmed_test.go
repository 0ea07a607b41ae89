package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
)

// TestTrimmedRevision asks for a revision that the journal no longer has: it did exist.
func TestTrimmedRevision(t *testing.T) {
	t.Parallel()
	s := must.Get(bolt.Open(t.Context(), filepath.Join(t.TempDir(), "c.db"), engine.Options{Clock: time.Now, NewID: uuid.New}))(t)
	t.Cleanup(func() { must.Succeed(t, s.Close()) })
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{operator.LimitJournal{Revisions: new(int64(1))}}}).Err())
	for _, class := range []placement.ResourceClass{"CUSTOM_A", "CUSTOM_B", "CUSTOM_C", "CUSTOM_D"} {
		must.Get(s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.CreateClass{Name: class}}}).Result())(t)
	}
	for name, want := range map[string]string{
		"1":  "revision 1 is not known: the journal does not go back that far",
		"99": "revision 99 of the journal does not exist",
	} {
		_, err := eventRows(t.Context(), s, kinds.Query{Name: name})
		if err == nil || err.Error() != want {
			t.Errorf("revision %s: %v, want %s", name, err, want)
		}
	}
}
