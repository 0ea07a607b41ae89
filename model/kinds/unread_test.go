package kinds_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestFindInWhatWasNotRead looks for a name that nothing has: only where the parts that have
// such things were read whole is it known that there is none.
func TestFindInWhatWasNotRead(t *testing.T) {
	t.Parallel()
	const name = "no-such-thing"
	unnamed := []kinds.Name{kinds.Config, kinds.Events, kinds.PoolShares}
	for _, k := range kinds.All() {
		if k.Find == nil || slices.Contains(unnamed, k.Name) {
			continue
		}
		find := func(of ...cloud.Reading) error {
			s := cloud.Empty().ReadAs(cloud.NewReadings(of, nil))
			_, err := k.Find(kinds.Finder{Snapshot: s}, name)
			return err
		}
		if err := find(); !errors.Is(err, placement.ErrNotFound) {
			t.Errorf("%s, all read: %v", k.Name, err)
		}
		parts := k.Told
		switch k.Name {
		case kinds.Consumers, kinds.Allocations:
			parts = []cloud.Part{cloud.Allocations, cloud.Instances}
		case kinds.Providers, kinds.Inventories, kinds.Usages, kinds.Pools:
			parts = []cloud.Part{cloud.Providers}
		case kinds.Traits, kinds.Classes:
			parts = []cloud.Part{cloud.Names}
		case kinds.Projects, kinds.Users:
			parts = []cloud.Part{cloud.Allocations}
		case kinds.PCIDevices:
			parts = []cloud.Part{cloud.Hypervisors}
		}
		if len(parts) == 0 {
			t.Errorf("%s: no part tells of them", k.Name)
		}
		for _, part := range parts {
			for _, gap := range []cloud.Reading{{Part: part, Why: "403 Forbidden"}, {Part: part, Cut: "403 Forbidden"}} {
				err := find(gap)
				unknown, ok := errors.AsType[*cloud.UnknownError](err)
				if !ok || unknown.Part != part || errors.Is(err, placement.ErrNotFound) || !errors.Is(err, placement.ErrUnavailable) {
					t.Errorf("%s without %s: %v", k.Name, part, err)
				}
			}
		}
	}
}

// TestAgesGoByTheClockOfTheirService filters ages on a cloud whose clock is hours off ours: of what its
// services keep they go by its clock, and in the journal by ours.
func TestAgesGoByTheClockOfTheirService(t *testing.T) {
	t.Parallel()
	start, ahead := at().Now, 5*time.Hour
	s := at().Snap.ReadAs(cloud.NewReadings(nil, nil).ByClock(ahead))
	for _, k := range kinds.All() {
		for _, f := range k.Fields {
			if f.Type != kinds.Time {
				continue
			}
			want := start.Add(ahead)
			if k.Name == kinds.Events {
				want = start
			}
			if got := f.Clock(kinds.At{Snap: s, Now: start}); !got.Equal(want) {
				t.Errorf("%s of %s goes by %v, not by %v", f.Name, k.Name, got, want)
			}
		}
	}
	q := kinds.Query{At: kinds.At{Snap: s, Now: start}}
	all := must.Get(kinds.Of(kinds.Instances).Get(q))(t)
	q.Where = "created_at>=5h"
	if old := must.Get(kinds.Of(kinds.Instances).Get(q))(t); len(old.Rows) == 0 || len(old.Rows) != len(all.Rows) {
		t.Errorf("%d of %d instances are that old", len(old.Rows), len(all.Rows))
	}
}

// TestFindByUUIDWithoutServers looks for a consumer by its uuid, which Placement knows
// without Nova.
func TestFindByUUIDWithoutServers(t *testing.T) {
	t.Parallel()
	s := cloud.Empty().ReadAs(cloud.NewReadings([]cloud.Reading{{Part: cloud.Instances, Why: "403 Forbidden"}}, nil))
	if _, err := (kinds.Finder{Snapshot: s}).Consumer("5b0cbf34-8e4f-4f1c-9a0c-8c4f3d0f6a11"); !errors.Is(err, placement.ErrNotFound) {
		t.Error(err)
	}
}
