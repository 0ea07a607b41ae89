package aggregates_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/aggregates"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestAggregates(t *testing.T) {
	t.Parallel()
	tuitest.List(aggregates.New).Check(t, tuitest.Demo12)
}

func TestPools(t *testing.T) {
	t.Parallel()
	tuitest.List(aggregates.NewPools).Check(t, tuitest.Demo12)
}

func TestShares(t *testing.T) {
	t.Parallel()
	tuitest.List(aggregates.NewShares).Check(t, tuitest.Demo12)
}

// TestDemo goes from an aggregate to its members and its pool, and from there to the
// hosts that the pool serves.
func TestDemo(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	pool, _ := c.Snapshot().Placement().ProviderByName("ceph-ssd-01")
	host, _ := c.Snapshot().Placement().ProviderByName("cmp-001")
	for _, test := range []struct {
		list        tuitest.List
		filter, key string
		want        place.Place
	}{
		{aggregates.New, "storage-1", "enter", place.Providers{Filter: "agg=storage-1"}},
		{aggregates.New, "storage-1", "i", place.Shares{Filter: "pool=ceph-ssd-01"}},
		{aggregates.NewPools, "ceph-ssd-01", "enter", place.Shares{Filter: "pool=ceph-ssd-01"}},
		{aggregates.NewPools, "ceph-ssd-01", "i", place.Provider{ID: pool.ID()}},
		{aggregates.NewPools, "ceph-ssd-01", "e", place.Pool{ID: pool.ID()}},
		{aggregates.NewShares, "pool=ceph-ssd-01", "enter", place.Provider{ID: host.ID()}},
		{aggregates.NewShares, "pool=ceph-ssd-01", "i", place.Consumers{Filter: "where=cmp-001"}},
	} {
		h := test.list.On(t, c, test.filter)
		h.Asks(test.key, screen.Goto{To: test.want})
	}
	for want, l := range map[string]tuitest.List{"nobody": aggregates.New, "nobody can use it": aggregates.NewPools} {
		h := l.On(t, c, "")
		h.Press("G")
		h.At(120, 30).Wants(want)
	}
	tuitest.List(aggregates.NewPools).On(t, c, "ceph-ssd-01").At(80, 24).Wants("through storage-1   ac37bc4f-da4a-524d-ab13-617615d8947f ")
}

// TestNotMirrored marks an aggregate of Nova's of which a host is not in that of Placement.
func TestNotMirrored(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	env := tuitest.Env(c, tuitest.Plain())
	for agg := range c.Snapshot().Nova().Aggregates() {
		if agg.Name != "gpu" {
			continue
		}
		host, _ := c.Snapshot().Placement().ProviderByName(agg.Hosts[0])
		must.Succeed(t, c.Do(placement.SetAggregates{Provider: host.ID(), Generation: placement.AnyGeneration()}))
		env.Inspect(c.Snapshot())
		tuitest.Open(t, c, aggregates.New(env, c.Snapshot(), "name=gpu")).At(120, 30).Wants("i gpu", "s03 ")
		return
	}
	t.Error("there is no such aggregate")
}
