package bolt_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestSave saves what another store holds: the file has the cloud and its journal, is
// sound, and may be overwritten by the same cloud only.
func TestSave(t *testing.T) {
	t.Parallel()
	from := memory.New(memory.Options{Clock: storagetest.Clock()})
	defer from.Close()
	many := cloud.Change{Note: "many"}
	for n := range uint64(3000) {
		many.Ops = append(many.Ops, storagetest.Host(2*n+1, 8, 4)...)
	}
	must.Succeed(t, from.Apply(t.Context(), many).Err())
	for n := range uint64(1500) {
		must.Succeed(t, from.Apply(t.Context(), storagetest.Claim(10_000+n, storagetest.Provider(2*n+1), storagetest.Resources{placement.VCPU: 1})).Err())
	}
	path := filepath.Join(t.TempDir(), "saved.db")
	save := func(place string) error {
		return bolt.Save(t.Context(), from, place, path, engine.Options{Clock: storagetest.Clock()}, diskfile.Options{Overwrite: true})
	}
	must.Succeed(t, save("etcd://one/a"))
	must.Succeed(t, save("etcd://one/a"))
	if err := save("etcd://one/b"); err == nil || !strings.Contains(err.Error(), "holds another cloud") {
		t.Errorf("another cloud took its place: %v", err)
	}
	s := must.Get(bolt.Open(t.Context(), path, engine.Options{Clock: storagetest.Clock()}))(t)
	defer s.Close()
	storagetest.Same(t, from.Snapshot(), s.Snapshot())
	storagetest.Clean(t, s)
	q := cloud.EventQuery{Limit: 10_000}
	for until := s.Snapshot().Revision(); until > 0; until = q.Until {
		q.Until = until
		is, want := must.Get(s.Events(t.Context(), q))(t), must.Get(from.Events(t.Context(), q))(t)
		if diff := cmp.Diff(len(want), len(is)); diff != "" || len(is) == 0 {
			t.Fatalf("revision %d: %d events: %s", until, len(is), diff)
		}
		for i := range is {
			if is[i].Revision != want[i].Revision || !is[i].At.Equal(want[i].At) || len(is[i].Changes) != len(want[i].Changes) || is[i].Note != want[i].Note {
				t.Errorf("revision %d: %+v", is[i].Revision, is[i])
			}
		}
		q.Until = is[len(is)-1].Revision - 1
	}
	must.Succeed(t, s.Apply(t.Context(), storagetest.Claim(90_000, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Err())
}
