package remote

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestReadings keeps the last reading of a part, with its age, when it cannot be read
// again.
func TestReadings(t *testing.T) {
	t.Parallel()
	r, then, now := &readings{}, time.Unix(100, 0), time.Unix(200, 0)
	r.note(cloud.Instances, 7, then, nil)
	r.note(cloud.Providers, 3, then, nil)
	r.note(cloud.Providers, 4, now, nil)
	r.note(cloud.Migrations, 0, now, errors.New("503"))
	r.note(cloud.Instances, 0, now, errors.New("403"))
	r.note(cloud.Flavors, 2, now, &cutError{what: "only the first 2 were read"})
	want := []cloud.Reading{
		{Part: cloud.Providers, At: now, Rows: 4},
		{Part: cloud.Flavors, At: now, Rows: 2, Cut: "only the first 2 were read"},
		{Part: cloud.Instances, At: then, Rows: 7, Why: "403"},
		{Part: cloud.Migrations, Why: "503"},
	}
	must.Match(t, want, r.list())
}

// TestTellsWhenPartsWereRead reads a Placement, and reports when each part was read.
func TestTellsWhenPartsWereRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	s := must.Get(w.open(t))(t)
	parts := s.Link().Parts
	if len(parts) != 4 {
		t.Fatalf("%+v", parts)
	}
	for _, p := range parts {
		if p.At.IsZero() || p.Why != "" || p.Part == cloud.Providers && p.Rows != s.Snapshot().Placement().ProviderCount() {
			t.Errorf("%+v", p)
		}
	}
}

// TestTellsWhatIsNotReadYet distinguishes parts of Nova that are still being read from
// those that no service has.
func TestTellsWhatIsNotReadYet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		services map[api.Service]*service
		parts    int
		want     string
	}{
		"no Nova": {nil, 14, "opened without Nova, and Placement does not know"},
		"a Nova":  {map[api.Service]*service{api.Compute: {}}, 10, "still being read"},
	} {
		r := newReader(&caller{services: test.services}, storagetest.Clock())
		lacking := func() (n int) {
			for _, p := range cloud.Parts() {
				if r.readings().Of(p).Gap() != "" {
					n++
				}
			}
			return n
		}
		if got := r.readings().Of(cloud.Services); lacking() != test.parts || got.Why != test.want {
			t.Errorf("%s: %v, %d in all", name, got, lacking())
		}
		r.reads.note(cloud.Services, 2, storagetest.Start, nil)
		if lacking() != test.parts-1 {
			t.Errorf("%s: the services are read: %d", name, lacking())
		}
	}
}

// gaps returns how the parts were read that were not read as a whole.
func gaps(s *Store) []cloud.Reading {
	return slices.DeleteFunc(slices.Clone(s.Snapshot().Readings()), func(r cloud.Reading) bool { return r.Gap() == "" })
}
