package ops_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestCompare shows what was changed, owners together with traits, but no generations.
func TestCompare(t *testing.T) {
	t.Parallel()
	a := demotest.Snapshot(t, demo.Options{Now: modeltest.At(0)})
	if got := ops.Compare(a, a); len(got) > 0 {
		t.Errorf("a cloud is not as itself: %v", got)
	}
	card, ok := a.Placement().ProviderByName("cmp-012_pci_0000_41_00_0")
	if !ok {
		t.Fatal("there is no such card")
	}
	b, _, err := a.Apply(cloud.Change{At: modeltest.At(1), Ops: []cloud.Op{
		placement.SetTraits{Provider: card.ID(), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova}},
		placement.CreateProvider{ID: modeltest.ProviderID("new"), Name: "new"},
	}})
	must.Succeed(t, err)
	said := func(diffs []ops.RecordDiff) (out []string) {
		for _, d := range diffs {
			out = append(out, d.Title())
			for _, f := range d.Fields {
				out = append(out, f.Name+": "+f.Before+" -> "+f.After)
			}
		}
		return out
	}
	want := []string{
		"resource provider new", "name:  -> new",
		"resource provider traits " + card.ID().String(), "resource_provider_uuid:  -> cmp-012_pci_0000_41_00_0", "traits:  -> [\"OWNER_NOVA\"]", "owner: none -> nova",
	}
	must.Match(t, want, said(ops.Compare(a, b)))
}

// TestCompareNumbersOfNames shows a name that only one cloud has, but none that both have
// with different numbers.
func TestCompareNumbersOfNames(t *testing.T) {
	t.Parallel()
	made := func(names ...string) *cloud.Snapshot {
		s := cloud.Empty()
		for _, name := range names {
			next, _, err := s.Apply(cloud.Change{At: modeltest.At(0), Ops: []cloud.Op{
				placement.CreateClass{Name: placement.ResourceClass("CUSTOM_" + name)}, placement.CreateTrait{Name: placement.Trait("CUSTOM_" + name)},
			}})
			must.Succeed(t, err)
			s = next
		}
		return s
	}
	said := func(a, b *cloud.Snapshot) (out []string) {
		for _, d := range ops.Compare(a, b) {
			how := " is other"
			switch {
			case d.Before == nil:
				how = " is new"
			case d.After == nil:
				how = " is gone"
			}
			out = append(out, string(d.Kind())+" "+d.Called+how)
		}
		return out
	}
	for _, test := range []struct {
		a, b []string
		want []string
	}{
		{[]string{"A", "B"}, []string{"B", "A"}, nil},
		{[]string{"A"}, []string{"B", "A"}, []string{"resource_class CUSTOM_B is new", "trait CUSTOM_B is new"}},
		{[]string{"A", "B"}, []string{"B"}, []string{"resource_class CUSTOM_A is gone", "trait CUSTOM_A is gone"}},
		{[]string{"A"}, []string{"B"}, []string{"resource_class CUSTOM_B is new", "trait CUSTOM_B is new", "resource_class CUSTOM_A is gone", "trait CUSTOM_A is gone"}},
	} {
		if diff := cmp.Diff(test.want, said(made(test.a...), made(test.b...))); diff != "" {
			t.Errorf("%q and %q: %s", test.a, test.b, diff)
		}
	}
}
