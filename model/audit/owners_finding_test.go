package audit_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Owners and Totals agree about the owners, for any cloud.
func TestOwnersAgreeWithTotals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := troubled(t, rt)
		if d := gocmp.Diff(insight.Totals(w.Snapshot).Owners, insight.Owners(w.Snapshot).Owners); d != "" {
			rt.Errorf("by owner (-totals +owners):\n%s", d)
		}
	})
}

func TestAboutOwnersByRoot(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Node("k").
		Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 4}, placement.OwnerNova).
		Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 4}, placement.OwnerCyborg).
		Provider("k_y", "k", resources{placement.PGPU: 1}, placement.OwnerNova, placement.OwnerCyborg).
		Record(&nova.Service{Host: "k", Binary: nova.Compute, Version: 66}).
		Record(&nova.Service{Host: "gone", Binary: nova.Compute, Version: 66}).
		Record(&nova.Service{Host: "h", Binary: nova.Compute, Version: 73}).
		Claim("orphan", instance, map[string]resources{"k": {placement.VCPU: 1}})
	about := audit.AboutOwners(audit.Find(w.Snapshot))
	words := func(found []audit.Finding) (out []string) {
		for _, f := range found {
			out = append(out, string(f.Rule)+" "+f.Subject)
		}
		return out
	}
	must.Match(t, []string{"o01 k_y", "o03 h_0000:84:00.0", "v01 gone", "v01 k"}, words(about))
	got := map[placement.ProviderID][]string{}
	for root, found := range audit.ByRoot(w.Snapshot, about) {
		got[root] = words(found)
	}
	must.Match(t, map[placement.ProviderID][]string{rp("h"): {"o03 h_0000:84:00.0"}, rp("k"): {"o01 k_y", "v01 k"}}, got)
}
