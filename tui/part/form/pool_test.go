package form_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/tuitest"
)

// pool returns the sharing provider with a name.
func pool(t *testing.T, s *tuitest.Cloud, name string) *placement.ResourceProvider {
	t.Helper()
	p, ok := s.Snapshot().Placement().ProviderByName(name)
	if !ok || !s.Snapshot().Placement().Shares(p) {
		t.Fatalf("%s is not a pool", name)
	}
	return p
}

// disk returns the disk inventory of a pool.
func disk(t *testing.T, s *tuitest.Cloud, p *placement.ResourceProvider) placement.Inventory {
	t.Helper()
	for _, iu := range p.Inventories() {
		if s.Snapshot().Placement().ClassName(iu.Class) == placement.DiskGB {
			return iu.Inventory
		}
	}
	t.Fatalf("%s has no disk", p.Name())
	return placement.Inventory{}
}

func TestNewPool(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		r := opened(t, s, 100, 30, place.Pool{}, providers.OpenPool)
		r.Type("ceph-ssd-01")
		r.Press("enter")
		r.Wants("is taken by another provider")
		r.Replace("nvme-1")
		r.Press("enter")
		r.Type("0")
		r.Press("enter")
		r.Wants("a number from 1")
		r.Replace("5000")
		r.Press("enter")
		r.Replace("5001")
		r.Press("enter")
		r.Wants("more than the total")
		r.Replace("100")
		r.Press("enter")
		r.Type("az-9")
		r.Press("enter")
		r.Wants("there is no such host aggregate")
		r.Replace("az-")
		r.Press("tab")
		r.Wants("its hosts use the pool")
		r.Press("enter")
		r.Wants("PROVIDERS TOUCHED", "nvme-1  new", "+ MISC_SHARES_VIA_AGGREGATE", "+ aggregate")
		r.Wrote(0)
		r.Press("enter")
		r.Wrote(1)
		p := pool(t, s, "nvme-1")
		if inv := disk(t, s, p); inv.Total != 5000 || inv.Reserved != 100 || inv.MaxUnit != 5000 || len(p.Aggregates()) != 1 {
			t.Errorf("the pool has %+v and is in %v", inv, p.Aggregates())
		}
	})
}

func TestPoolIsLinkedAndGrows(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		before := disk(t, s, pool(t, s, "ceph-ssd-02"))
		r := opened(t, s, 100, 30, place.Pool{ID: pool(t, s, "ceph-ssd-02").ID()}, providers.OpenPool)
		r.Wants("POOL ceph-ssd-02", "DISK_GB in total")
		r.Press("enter", "enter")
		r.Wants("nothing would change")
		r.Type("az-")
		r.Press("tab", "enter")
		r.Wants("clears s01", "+ aggregate")
		r.Press("esc", "up")
		r.Replace("3000")
		r.Advance(time.Second)
		r.Wants("tab complete", "PROVIDERS TOUCHED", "total 2000 > 3000") // beside the fields already
		r.Press("enter", "enter")
		r.Wants("clears s01", "total 2000 > 3000")
		r.Press("enter")
		r.Wrote(1)
		p := pool(t, s, "ceph-ssd-02")
		if inv := disk(t, s, p); before.Total != 2000 || inv.Total != 3000 || len(p.Aggregates()) != 2 {
			t.Errorf("the pool has %+v and is in %v", inv, p.Aggregates())
		}
	})
}
