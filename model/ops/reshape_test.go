package ops_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestReshapeSaysWhatIsReportedAgain moves what nova-compute reports, and back: only the
// first does not last.
func TestReshapeSaysWhatIsReportedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Node("h").Compute("h", nova.VersionOwnerNova).
		Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h", VCPUs: 8, MemoryMB: 8192, LocalGB: 100})
	tick(t, w)
	w.Provider("h_numa0", "h", resources{"CUSTOM_SLOT": 4})
	for _, tt := range []struct {
		from, to string
		class    placement.ResourceClass
		want     string
	}{
		{"h", "h_numa0", placement.VCPU, "nova-compute on h reports VCPU on h: its next full report"},
		{"h_numa0", "h", "CUSTOM_SLOT", ""},
	} {
		plan := must.Get(ops.PlanReshape(w.Snapshot, rp(tt.from), rp(tt.to), tt.class))(t)
		if got := strings.Join(plan.Preview.Warnings, "; "); (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s from %s to %s warns %q, want %q", tt.class, tt.from, tt.to, got, tt.want)
		}
	}
}
