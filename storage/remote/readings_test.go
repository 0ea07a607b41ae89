package remote

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
)

// TestReadings keeps what was read of a part when it cannot be read again, with its age.
func TestReadings(t *testing.T) {
	t.Parallel()
	r, then, now := readings{}, time.Unix(100, 0), time.Unix(200, 0)
	r.note(cloud.Instances, 7, then, nil)
	r.note(cloud.Providers, 3, then, nil)
	r.note(cloud.Providers, 4, now, nil)
	r.note(cloud.Migrations, 0, now, errors.New("503"))
	r.note(cloud.Instances, 0, now, errors.New("403"))
	want := []cloud.Reading{
		{Part: cloud.Providers, At: now, Rows: 4},
		{Part: cloud.Instances, At: then, Rows: 7, Why: "403"},
		{Part: cloud.Migrations, Why: "503"},
	}
	if diff := cmp.Diff(want, r.list()); diff != "" {
		t.Error(diff)
	}
}

// TestTellsWhenPartsWereRead reads a Placement, and what of it was read when.
func TestTellsWhenPartsWereRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	s, err := w.open(t)
	if err != nil {
		t.Fatal(err)
	}
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
