package kinds_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

func TestFindProvider(t *testing.T) {
	t.Parallel()
	one := placement.ProviderID(uuid.MustParse("aaaa0000-0000-0000-0000-000000000001"))
	two := placement.ProviderID(uuid.MustParse("aaaa1111-0000-0000-0000-000000000002"))
	snap, _, err := cloud.Empty().Apply(cloud.Change{Ops: []placement.Op{
		placement.CreateProvider{ID: one, Name: "cmp-one"},
		placement.CreateProvider{ID: two, Name: "cmp-two"},
		// A name that looks like the beginning of a uuid takes precedence.
		placement.CreateProvider{ID: placement.ProviderID(uuid.MustParse("bbbb0000-0000-0000-0000-000000000003")), Name: "aaaa0"},
	}})
	must.Succeed(t, err)
	f := kinds.Finder{Snapshot: snap}
	for _, c := range []struct{ text, want, problem string }{
		{"cmp-one", "cmp-one", ""},
		{"aaaa0000-0000-0000-0000-000000000001", "cmp-one", ""},
		{"AAAA0000-0000-0000-0000-000000000001", "cmp-one", ""},
		{"aaaa0000000000000000000000000001", "cmp-one", ""},
		{"aaaa00", "cmp-one", ""},
		{"aaaa1", "cmp-two", ""},
		{"aaaa0", "aaaa0", ""},
		{"aaaa", "", "is the beginning of 2 resource providers: aaaa0000-0000-0000-0000-000000000001 (cmp-one), aaaa1111"},
		{"cmp", "", "does not exist (did you mean cmp-one, cmp-two?)"},
		{"CMP-ONE-X", "", "did you mean cmp-one?"},
		{"cccc", "", "resource provider cccc does not exist"},
		{"", "", "does not exist"},
		{"-", "", "does not exist"},
		{"aaaa0000-0000-0000-0000-0000000000019", "", "does not exist"},
	} {
		p, err := f.Provider(c.text)
		switch {
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%q: got %v, want %q", c.text, err, c.problem)
		case c.problem == "" && (err != nil || p.Name() != c.want):
			t.Errorf("%q: got %v, %v, want %s", c.text, p, err, c.want)
		case err != nil && errors.Is(err, placement.ErrInvalid) != strings.Contains(err.Error(), "beginning"):
			t.Errorf("%q: is it wrong use? %v", c.text, err)
		}
	}
	if _, err := f.Trait("vulkan"); !errors.Is(err, placement.ErrNotFound) || !strings.Contains(err.Error(), "HW_GPU_API_VULKAN") {
		t.Errorf("trait: %v", err)
	}
	if _, err := f.Class("mem"); !errors.Is(err, placement.ErrNotFound) || !strings.Contains(err.Error(), "MEMORY_MB") {
		t.Errorf("class: %v", err)
	}
}
