package candidates_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
)

// TestComplete completes names of parameters, classes and traits.
func TestComplete(t *testing.T) {
	t.Parallel()
	s := demotest.Snapshot(t, demo.Options{Hosts: 12, Now: time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)}).Placement()
	for _, c := range []struct{ text, want string }{
		{"", "resources="},
		{"reso", "resources="},
		{"resources=vc", "resources=VCPU:"},
		{"resources=VCPU:1,MEM", "resources=VCPU:1,MEMORY_MB:"},
		{"resources=VCPU:1&req", "resources=VCPU:1&required="},
		{"resources=VCPU:1&required=OWNER_N", "resources=VCPU:1&required=OWNER_NOVA"},
		{"resources=VCPU:1&required=!COMPUTE_STATUS", "resources=VCPU:1&required=!COMPUTE_STATUS_DISABLED"},
		{"resources=VCPU:1&required=in:OWNER_N", "resources=VCPU:1&required=in:OWNER_NOVA"},
		{"resources_A=VCPU:1&required_", "resources_A=VCPU:1&required_A="},
		{"resources_A=VCPU:1&resources_B=VGPU:1&group_policy=i", "resources_A=VCPU:1&resources_B=VGPU:1&group_policy=isolate"},
		{"resources_A=VCPU:1&same_subtree=", "resources_A=VCPU:1&same_subtree=_A"},
	} {
		got := candidates.Complete(s, c.text)
		if len(got) == 0 || got[0] != c.want {
			t.Errorf("%q: %q, not %q first", c.text, got, c.want)
		}
	}
	if got := candidates.Complete(s, "limit=1"); len(got) > 0 {
		t.Errorf("limit: %q", got)
	}
}

// FuzzComplete checks that completions begin with what they complete.
func FuzzComplete(f *testing.F) {
	for _, seed := range []string{"", "resources=VC", "required=!", "required=in:A,", "resources_A=VCPU:1&same_subtree=", "&&==,!in:", "limit=1&in_tree="} {
		f.Add(seed)
	}
	s := demotest.Snapshot(f, demo.Options{Hosts: 2, Now: time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)}).Placement()
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range candidates.Complete(s, text) {
			if len(c) <= len(text) || !strings.EqualFold(c[:len(text)], text) {
				t.Fatalf("%q does not complete %q", c, text)
			}
		}
	})
}
