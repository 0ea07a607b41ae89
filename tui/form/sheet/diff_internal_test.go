package sheet

import (
	"testing"

	"github.com/placetop/placetop/model/placement"
)

func TestInventoryChanges(t *testing.T) {
	t.Parallel()
	a := placement.NewInventory(8)
	b := a
	b.Total, b.AllocationRatio = 10, 4
	if got, want := inventoryChanges(a, b), "total 8 > 10   allocation_ratio 1 > 4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
