package audit_test

import (
	"fmt"
	"testing"

	"github.com/placetop/placetop/model/placement"
)

// alike makes n hosts, the last with an inventory changed by edit.
func alike(w *world, n int, edit func(*placement.Inventory)) {
	for i := range n {
		name := fmt.Sprint("h", i+1)
		inv := placement.NewInventory(16)
		inv.AllocationRatio = 4
		if i == n-1 {
			edit(&inv)
		}
		w.Node(name).Inventory(name, placement.VCPU, inv)
	}
}

func TestU02(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"u02 another ratio", func(w *world) { alike(w, 6, func(inv *placement.Inventory) { inv.AllocationRatio = 16 }) },
			[]string{"u02 h6"},
			[]string{"alike?"},
		},
		{
			"u02 another reservation", func(w *world) { alike(w, 5, func(inv *placement.Inventory) { inv.Reserved = 2 }) },
			[]string{"u02 h5"},
			[]string{"alike?"},
		},
		{"u02 not another size", func(w *world) { alike(w, 6, func(inv *placement.Inventory) { inv.Total = 64 }) }, nil, nil},
		{"u02 not one that is drained", func(w *world) { alike(w, 6, func(inv *placement.Inventory) { inv.Reserved = inv.Total }) }, nil, nil},
		{"u02 not among few", func(w *world) { alike(w, 4, func(inv *placement.Inventory) { inv.AllocationRatio = 16 }) }, nil, nil},
		{"u02 not where there are two sorts of hosts", func(w *world) {
			alike(w, 8, func(*placement.Inventory) {})
			for _, name := range []string{"h1", "h2"} {
				w.Inventory(name, placement.VCPU, placement.NewInventory(16))
			}
		}, nil, nil},
	})
}
