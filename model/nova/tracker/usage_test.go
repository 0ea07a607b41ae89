package tracker_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// A resize counts by the old flavor at the source and by the new one at the destination.
// If its record has neither, as when read from Nova's API, what both hold in Placement
// counts.
func TestMovesCountAtBothEnds(t *testing.T) {
	t.Parallel()
	type used map[string][3]int64 // VCPUs, MiB and GiB by host
	small, large := amounts{"VCPU": 1, "MEMORY_MB": 512, "DISK_GB": 10}, amounts{"PCPU": 4, "MEMORY_MB": 8192, "DISK_GB": 20}
	for name, c := range map[string]struct {
		old, new string // in the record
		is       string // the flavor of the instance
		held     bool
		want     used
	}{
		"told":                      {"small", "large", "large", true, used{"cmp1": {1, 512, 10}, "cmp2": {4, 8192, 20}}},
		"not told, has arrived":     {"", "", "large", true, used{"cmp1": {1, 512, 10}, "cmp2": {4, 8192, 20}}},
		"not told, has not arrived": {"", "", "small", true, used{"cmp1": {1, 512, 10}, "cmp2": {4, 8192, 20}}},
		"neither told nor held":     {"", "", "large", false, used{"cmp1": {4, 8192, 20}, "cmp2": {4, 8192, 20}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRegion(t, service("cmp1", 73), service("cmp2", 73), host(1), host(2),
				flavor("small", func(f *nova.Flavor) { f.VCPUs, f.MemoryMB, f.RootGB = 1, 512, 10 }),
				flavor("large", func(f *nova.Flavor) { f.VCPUs, f.MemoryMB = 4, 8192 }))
			r.settled("cmp1")
			r.settled("cmp2")
			i := instance(1, "cmp2", c.is, func(i *nova.Instance) { i.VMState = nova.Resized })
			m := &nova.Migration{
				UUID: migrationID(1), Instance: i.UUID, Type: nova.Resize, Status: nova.Finished,
				Source: "cmp1", Dest: "cmp2", OldFlavor: c.old, NewFlavor: c.new,
			}
			r.put(i, m)
			if c.held {
				r.ops(placement.AddInventory{Provider: nodeID(2), Generation: placement.Generation(r.provider("cmp2").Generation()), Class: placement.PCPU, Inventory: placement.NewInventory(16)})
				hold := func(id placement.ConsumerID, on placement.ProviderID, what amounts) placement.Claim {
					return placement.Claim{
						Consumer: id, Generation: placement.NewConsumer(), Project: "p", User: "u",
						Allocations: placement.Amounts{on: what},
					}
				}
				r.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{hold(m.UUID, nodeID(1), small), hold(i.UUID, nodeID(2), large)}})
			}
			got := used{}
			for name := range c.want {
				row := r.Count(name, now)[0].(nova.ReportComputeNode).Node
				got[name] = [3]int64{row.VCPUsUsed, row.MemoryMBUsed - row.ReservedMemoryMB, row.LocalGBUsed}
			}
			must.Match(t, c.want, got)
		})
	}
}

// An evacuated instance holds claims on both hosts until the old one is back. It counts
// once on each.
func TestEvacuationCountsOnce(t *testing.T) {
	t.Parallel()
	r := newRegion(t, service("cmp1", 73), service("cmp2", 73), host(1), host(2),
		flavor("small", func(f *nova.Flavor) { f.VCPUs, f.MemoryMB, f.RootGB = 1, 512, 10 }))
	r.settled("cmp1")
	r.settled("cmp2")
	i := instance(1, "cmp1", "small")
	r.put(i, &nova.Migration{
		UUID: migrationID(1), Instance: i.UUID, Type: nova.Evacuation, Status: nova.PreMigrating, Source: "cmp1", Dest: "cmp2",
	})
	of := map[placement.ResourceClass]int64{placement.VCPU: 1, placement.MemoryMB: 512, placement.DiskGB: 10}
	r.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: i.UUID, Generation: placement.NewConsumer(), Project: "p", User: "u",
		Allocations: placement.Amounts{nodeID(1): of, nodeID(2): of},
	}}})
	for _, name := range []string{"cmp1", "cmp2"} {
		row := r.Count(name, now)[0].(nova.ReportComputeNode).Node
		if got, want := [2]int64{row.VCPUsUsed, row.LocalGBUsed}, [2]int64{1, 10}; got != want {
			t.Errorf("%s: %d VCPUs and GiB are used, want %d", name, got, want)
		}
	}
}

// The nodes of bare metal that one service looks after count what is on each of them
// (LP 1811726), and are reported although they have none of the classes of the old columns.
func TestNodesOfOneService(t *testing.T) {
	t.Parallel()
	const gold = "CUSTOM_BAREMETAL_GOLD"
	r := newRegion(t, service("ir1", 73), flavor("metal", func(f *nova.Flavor) { f.VCPUs, f.MemoryMB, f.RootGB = 8, 4096, 100 }))
	r.ops(placement.CreateClass{Name: gold})
	for n, name := range []string{"node-a", "node-b", "node-c"} {
		id := nodeID(byte(n + 1))
		r.put(host(byte(n+1), func(row *nova.ComputeNode) { row.Host, row.Hostname = "ir1", name }))
		r.ops(
			placement.CreateProvider{ID: id, Name: name},
			placement.AddInventory{Provider: id, Generation: placement.Generation(0), Class: gold, Inventory: placement.NewInventory(1)},
		)
	}
	for n, at := range map[byte]byte{1: 2, 2: 3} {
		i := instance(n, "ir1", "metal")
		r.put(i)
		r.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: i.UUID, Generation: placement.NewConsumer(), Project: "p", User: "u",
			Allocations: placement.Amounts{nodeID(at): {gold: 1}},
		}}})
	}
	got := map[string][2]int64{}
	for _, op := range r.Count("ir1", now) {
		row := op.(nova.ReportComputeNode).Node
		got[row.Hostname] = [2]int64{row.VCPUsUsed, row.RunningVMs}
	}
	must.Match(t, map[string][2]int64{"node-a": {0, 0}, "node-b": {8, 1}, "node-c": {8, 1}}, got)
	for row := range r.Unreported() {
		t.Errorf("%s is not reported", row.Hostname)
	}
}
