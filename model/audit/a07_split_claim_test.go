package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestSourceOfAMoveStays has an instance hold the source of a move that waits, which a revert
// needs, and the migration nothing: no fix releases it.
func TestSourceOfAMoveStays(t *testing.T) {
	t.Parallel()
	for status, fixes := range map[nova.MigrationStatus]int{nova.Finished: 0, nova.Confirmed: 1} {
		w := newWorld(t).Node("h").Node("k").Running("").Claim("i", instance, on("h", "k")).
			Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: status, Source: "k", Dest: "h"})
		found := audit.FindBy(w.Snapshot, audit.RuleSplitClaim)
		if len(found) != 1 || len(audit.Fixes(w.Snapshot, found[0])) != fixes {
			t.Errorf("%s: %v, want %d fixes", status, found, fixes)
		} else if why := audit.NoFix(w.Snapshot, found[0]); fixes == 0 && why != "its migration from k has status finished, and what it holds there stays until that is over" {
			t.Error(why)
		}
	}
}

func TestA07(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a07 an evacuated instance", func(w *world) {
				w.Node("h").Node("k").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a").Aggregates("k", "a").
					Running("").Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "k": {placement.VCPU: 1}})
			},
			[]string{"a07 i"},
			[]string{"keep-h"},
		},
		{
			"a07 an evacuated instance, whose old host is down", func(w *world) { w.Evacuated(true) },
			[]string{"a07 i"},
			[]string{"gone?"},
		},
		{
			"a07 an evacuated instance, whose old host is up again", func(w *world) { w.Evacuated(false) },
			[]string{"a07 i"},
			[]string{"vacate"},
		},
		{
			"a07 an instance that is being evacuated", func(w *world) {
				w.Evacuated(true)
				m, _ := w.Nova().Migration(vm("m"))
				w.Record(m.Edit(func(m *nova.Migration) { m.Status = nova.PreMigrating }))
			},
			[]string{"a07 i"},
			nil,
		},
		{
			"a07 an accelerator of another host", func(w *world) {
				w.Node("h").Node("k").Card(1, 1).Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "k", VMState: nova.Active}).
					Claim("i", instance, map[string]resources{"k": {placement.VCPU: 1}, "h": {placement.VCPU: 1}, "c": {placement.VGPU: 1}})
			},
			[]string{"a07 i"},
			[]string{"keep-k?"},
		},
		{
			"a07 an instance that is on no host", func(w *world) {
				w.Node("h").Node("k").Instance("i", nova.Active).Claim("i", instance, on("h", "k"))
			},
			[]string{"a07 i"},
			[]string{"keep-h?", "keep-k?"},
		},
		{
			"a07 nothing on the host on which it runs", func(w *world) {
				w.Node("h").Node("k").Node("l").Computes().Flavors().Running("small").Claim("i", instance, on("k", "l"))
			},
			[]string{"a07 i", "a10 i"},
			[]string{"heal"},
		},
		{
			"a07 a pool that does not serve the host", func(w *world) {
				w.Node("h").Node("k").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a").Aggregates("k", "a").
					Running("").Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "pool": {placement.DiskGB: 1}})
			},
			[]string{"a07 i"},
			[]string{"keep-h"},
		},
		{
			"a07 not with the pool of its host", func(w *world) {
				w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a").Aggregates("h", "a").
					Running("").Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "pool": {placement.DiskGB: 1}})
			},
			nil, nil,
		},
	})
}
