package nova_test

import (
	"errors"
	"testing"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestChain plans each edit on what those before it lead to, and stops at the first
// that is refused.
func TestChain(t *testing.T) {
	t.Parallel()
	s := nova.Empty()
	create := func(s *nova.Snapshot) (nova.PutRecords, error) {
		return s.CreateFlavor(&nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 1}, nil)
	}
	disable := func(s *nova.Snapshot) (nova.PutRecords, error) { return s.DisableFlavor("f", true) }
	c, err := s.Chain(create, disable)
	if err != nil {
		t.Fatal(err)
	}
	after, _, err := s.Apply(nova.Change{Ops: []nova.Op{c}})
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := after.FlavorNamed("f"); !ok || !f.Disabled {
		t.Errorf("the flavor is %+v", f)
	}
	if c, err := s.Chain(disable, create); !errors.Is(err, placement.ErrNotFound) || !c.Empty() {
		t.Errorf("in the wrong order: %v, %v", c, err)
	}
}
