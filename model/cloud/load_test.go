package cloud_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
)

// The ledgers of a cloud may be loaded concurrently, from records read in bulk that
// arrive in pieces, and make the cloud that the records describe.
func TestLoading(t *testing.T) {
	t.Parallel()
	codec := cloud.NewCodec()
	bulk := codec.Bulk()
	p, n := modeltest.Size{Hosts: 3, Traits: 5, Cards: 1, Servers: 2}.Records()
	records := slices.Concat(p, n)
	kinds := map[versioned.Kind][]versioned.Record{}
	for _, r := range records {
		b := must.Get(codec.Encode(r))(t)
		read := must.Get(bulk.Decode(r.RecordKind(), b))(t)
		kinds[r.RecordKind()] = append(kinds[r.RecordKind()], read)
	}
	var l cloud.Loading
	for kind, of := range kinds {
		l.Add(kind, slices.Collect(slices.Chunk(of, 2))...)
	}
	var all sync.WaitGroup
	for _, load := range l.Ledgers() {
		all.Go(func() {
			if err := load(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := l.Snapshot(3, modeltest.At(9))
	if s.Revision() != 3 || !s.At().Equal(modeltest.At(9)) {
		t.Errorf("revision %d at %s", s.Revision(), s.At())
	}
	if d := modeltest.Diff(records, modeltest.Records(s)); d != "" {
		t.Errorf("records (-in +out):\n%s", d)
	}
	for _, r := range records {
		if has := s.Held(r); !versioned.Alike(has, r) {
			t.Errorf("%s is held as %+v", versioned.Title(r), has)
		}
		if has := cloud.Empty().Held(r); has != nil {
			t.Errorf("an empty cloud holds %+v", has)
		}
	}
	for _, err := range s.Check() {
		t.Errorf("check: %v", err)
	}
}
