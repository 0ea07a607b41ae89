package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestS02(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"s02 a host with the disk of its pool", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.DiskGB: 100}).Aggregates("h", "a").
					Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "a").Node("k").Aggregates("k", "a")
			},
			[]string{"s02 h"},
			[]string{"remove?", "unlink?"},
		},
		{
			"s02 not a host with a small disk of its own", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.DiskGB: 20}).Aggregates("h", "a").
					Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "a")
			},
			nil, nil,
		},
		{
			"s02 not what is held of a host by an instance that was booted from a volume", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.MemoryMB: 8, placement.DiskGB: 3}).Aggregates("h", "a").
					Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "a").
					Record(&nova.ComputeNode{UUID: modeltest.ProviderID("h"), Host: "h", Hostname: "h", LocalGB: 100, SharedStorage: true}).
					Record(&nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 1, EphemeralGB: 3}).
					Record(&nova.Instance{UUID: modeltest.ConsumerID("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: "f", VMState: nova.Active, BootFromVolume: true}).
					Claim("i", placement.InstanceConsumer, map[string]resources{"h": {placement.VCPU: 1, placement.MemoryMB: 1, placement.DiskGB: 3}})
			},
			nil, nil,
		},
		{
			"s02 a host with more than that", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.DiskGB: 3}).Aggregates("h", "a").
					Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "a").
					Record(&nova.ComputeNode{UUID: modeltest.ProviderID("h"), Host: "h", Hostname: "h", LocalGB: 100, SharedStorage: true}).
					Node("k").Aggregates("k", "a").Record(&nova.ComputeNode{UUID: modeltest.ProviderID("k"), Host: "k", Hostname: "k"})
			},
			[]string{"s02 h"},
			[]string{"remove?", "unlink?"},
		},
	})
}
