package audit_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestConsequences(t *testing.T) {
	t.Parallel()
	start := func(w *world) *world {
		return w.Node("h").Compute("compute1", 66).Compute("compute2", 73).Instance("other", nova.Active).
			Claim("i", "", map[string]resources{"h": {placement.VCPU: 4}}).Claim("j", "", map[string]resources{"h": {placement.VCPU: 4}})
	}
	shrink := func(total int64) func(*world) {
		return func(w *world) { w.Inventory("h", placement.VCPU, placement.NewInventory(total)) }
	}
	for _, tc := range []struct {
		name           string
		make, do       func(*world)
		clears, brings []string
	}{
		{"nothing", nil, func(*world) {}, nil, nil},
		{"a problem more", nil, shrink(7), nil, []string{"a02 h: VCPU 8/7 used, over by 1"}},
		{"a problem less", shrink(7), shrink(8), []string{"a02 h: VCPU 8/7 used, over by 1"}, nil},
		{"a problem that gets worse", shrink(7), shrink(5), nil, []string{"a02 h: VCPU 8/5 used, over by 3"}},
		{"a problem that gets less", shrink(5), shrink(7), nil, nil},
		{"services of one rule are not the same", nil, func(w *world) { w.Compute("compute3", 66) }, nil, []string{"v01 compute3: nova-compute is Antelope/Bobcat/Caracal (66), below 73 in cell1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := start(newWorld(t))
			if tc.make != nil {
				tc.make(w)
			}
			before := w.Snapshot
			tc.do(w)
			clears, brings := audit.Consequences(before, w.Snapshot, modeltest.Noon().Add(time.Hour))
			for _, f := range brings {
				if was := tc.name == "a problem that gets worse"; f.Worse != was {
					t.Errorf("%q, though it was there: %t", f.Raised(), was)
				}
			}
			must.Match(t, [][]string{tc.clears, tc.brings}, [][]string{texts(clears), texts(brings)})
		})
	}
}

func texts(found []audit.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.String())
	}
	return out
}
