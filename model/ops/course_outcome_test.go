package ops_test

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
)

// The outcome of a rehearsal is that of all its steps in one change, with the requests of
// each.
func TestRehearsalOutcome(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	r := must.Get(ops.Rehearse(tr.Snapshot(), move("cyborg"), modeltest.At(0)))(t)
	if r.Start != tr.Snapshot() {
		t.Error("the rehearsal does not start where it was asked to")
	}
	p := r.Outcome()
	want := map[string]int64{"compute2 VCPU": 4, "compute2 MEMORY_MB": 8192, "compute2 DISK_GB": 20, "y2 VGPU": 1}
	for _, d := range p.Providers {
		for _, c := range d.Classes {
			key := d.Name + " " + string(c.Class)
			if want[key] != c.UsedAfter-c.UsedBefore {
				t.Errorf("%s grows by %d, want %d", key, c.UsedAfter-c.UsedBefore, want[key])
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("nothing said of %v", want)
	}
	var names []string
	for _, c := range p.Consumers {
		names = append(names, c.Type.String()+" "+c.Name)
		if c.Consumer == vm("i") && len(c.Before) != 4 || c.Consumer == vm("m") && len(c.After) != 4 {
			t.Errorf("%s holds %v, then %v", c.Type, c.Before, c.After)
		}
	}
	if !slices.Equal(names, []string{"INSTANCE i", "MIGRATION resize of i"}) {
		t.Errorf("consumers %q, want the instance and then what holds its old host", names)
	}
	requests := 0
	for _, s := range r.Steps {
		requests += len(s.Preview.Requests())
	}
	if requests == 0 || len(p.Requests()) != requests {
		t.Errorf("%d requests of %d", len(p.Requests()), requests)
	}
	seen := map[string]bool{}
	for _, c := range p.Records {
		key := string(c.Kind()) + string(c.Key())
		if seen[key] {
			t.Errorf("%s twice", c.Title())
		}
		seen[key] = true
	}
}
