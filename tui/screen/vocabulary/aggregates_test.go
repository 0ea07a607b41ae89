package vocabulary_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/vocabulary"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestAggregates(t *testing.T) {
	t.Parallel()
	tuitest.List(vocabulary.NewAggregates).Check(t, tuitest.Demo12)
}

func TestPools(t *testing.T) {
	t.Parallel()
	tuitest.List(vocabulary.NewPools).Check(t, tuitest.Demo12)
}

func TestShares(t *testing.T) {
	t.Parallel()
	tuitest.List(vocabulary.NewShares).Check(t, tuitest.Demo12)
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
		{vocabulary.NewAggregates, "storage-1", "enter", place.Providers{Filter: "agg=storage-1"}},
		{vocabulary.NewAggregates, "storage-1", "i", place.Shares{Filter: "pool=ceph-ssd-01"}},
		{vocabulary.NewPools, "ceph-ssd-01", "enter", place.Shares{Filter: "pool=ceph-ssd-01"}},
		{vocabulary.NewPools, "ceph-ssd-01", "i", place.Provider{ID: pool.ID()}},
		{vocabulary.NewPools, "ceph-ssd-01", "e", place.Pool{ID: pool.ID()}},
		{vocabulary.NewShares, "pool=ceph-ssd-01", "enter", place.Provider{ID: host.ID()}},
		{vocabulary.NewShares, "pool=ceph-ssd-01", "i", place.Consumers{Filter: "where=cmp-001"}},
	} {
		h := test.list.On(t, c, test.filter)
		h.Asks(test.key, screen.Goto{To: test.want})
	}
	for want, l := range map[string]tuitest.List{"nobody": vocabulary.NewAggregates, "nobody can use it": vocabulary.NewPools} {
		h := l.On(t, c, "")
		h.Press("G")
		h.At(120, 30).Wants(want)
	}
	tuitest.List(vocabulary.NewPools).On(t, c, "ceph-ssd-01").At(80, 24).Wants("through storage-1   ac37bc4f-da4a-524d-ab13-617615d8947f ")
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
		tuitest.Open(t, c, vocabulary.NewAggregates(env, c.Snapshot(), "name=gpu")).At(120, 30).Wants("i gpu", "s03 ")
		return
	}
	t.Error("there is no such aggregate")
}
