package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/nova"
)

// No operation makes a ledger inconsistent, so that no case has c01: FindAll applies it,
// and finds nothing in what Apply has made.
func TestC01(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Instance("i", nova.Active).Claim("i", instance, on("h"))
	if found := audit.FindAll(w.Snapshot); len(found) > 0 {
		t.Errorf("a sound ledger: %v", found)
	}
	if err := w.Check(); len(err) > 0 {
		t.Errorf("what c01 asks: %v", err)
	}
}
