package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestS01(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"s01 a pool with a host aggregate that is not mirrored", func(w *world) {
				w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a").
					Record(&nova.HostAggregate{UUID: modeltest.AggregateID("a"), Name: "ceph", Hosts: []string{"h"}})
			},
			[]string{"s01 pool", "s03 h"},
			nil,
		},
		{
			"s01 a pool that nobody knows a host of", func(w *world) {
				w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate)
			},
			[]string{"s01 pool"},
			nil,
		},
		{
			"s01 a pool that is in no aggregate, and hosts that may use it", func(w *world) {
				w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).
					Record(&nova.HostAggregate{UUID: modeltest.AggregateID("a"), Name: "rack-1", Hosts: []string{"h"}}).Aggregates("h", "a")
			},
			[]string{"s01 pool"},
			nil,
		},
	})
	testFinds(t, []findCase{
		{"s01 an aggregate of its own", func(w *world) {
			w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a")
		}, []string{"s01 pool"}},
		{"s01 no aggregate", func(w *world) {
			w.Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate)
		}, []string{"s01 pool"}},
		{"s01 two pools that reach each other only", func(w *world) {
			w.Provider("p1", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("p1", "a").
				Provider("p2", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("p2", "a")
		}, []string{"s01 p1", "s01 p2"}},
		{"s01 not a pool with a host", func(w *world) {
			w.Node("h").Aggregates("h", "a").
				Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "b", "a")
		}, nil},
		{"s01 not a pool without inventory", func(w *world) {
			w.Provider("pool", "", nil, placement.SharesViaAggregate)
		}, nil},
	})
}
