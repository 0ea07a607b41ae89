package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// A request that Cyborg has been binding for longer than Nova waits is reported, unless
// its instance is halfway through something that settles it.
func TestD05(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		age   time.Duration
		state nova.TaskState
		want  bool
	}{
		"1,000 s":               {1000 * time.Second, "", true},
		"as long as Nova waits": {300 * time.Second, "", true},
		"less":                  {299 * time.Second, "", false},
		"of a boot halfway":     {1000 * time.Second, nova.Spawning, false},
	} {
		w := newWorld(t)
		w.Node("h").Card(1, 1).Flavors().Running("gpu").Claim("i", instance, modeltest.Holding("c"))
		i, _ := w.Snapshot.Nova().Instance(vm("i"))
		w.Record(i.Edit(func(i *nova.Instance) { i.TaskState = tt.state }))
		for a := range w.Cyborg().ARQs() {
			w.Record(a.Edit(func(a *cyborg.ARQ) {
				a.State, a.BindStart = cyborg.ARQBindStarted, modeltest.Noon().Add(-tt.age).UnixMilli()
			}))
		}
		found := func() (audit.Finding, bool) {
			all := audit.Findings(audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon()}).Open)
			n := slices.IndexFunc(all, func(f audit.Finding) bool { return f.Rule == audit.RuleUnanswered })
			if n < 0 {
				return audit.Finding{}, false
			}
			return all[n], true
		}
		f, ok := found()
		if ok != tt.want || ok && (f.Subject != "i" || !strings.Contains(f.Text, "is still BindStarted on h after 300 s")) {
			t.Errorf("%s: found %v %+v, want %v", name, ok, f, tt.want)
		}
		if !ok {
			continue
		}
		if again, stands := f.StandsOn(w.Snapshot); !stands || again.Text != f.Text {
			t.Errorf("%s: asked again, it is %+v", name, again)
		}
		before := w.Snapshot
		for fix, state := range map[string]cyborg.ARQState{"bound": cyborg.ARQBound, "failed": cyborg.ARQUnbound} {
			w.Snapshot = before
			all := audit.Fixes(w.Snapshot, f)
			n := slices.IndexFunc(all, func(x audit.Fix) bool { return x.Name == fix && x.Choice })
			if n < 0 {
				t.Fatalf("%s: no fix %s of %+v", name, fix, all)
			}
			plan := must.Get(all[n].Plan(w.Snapshot))(t)
			w.Change(plan.Change)
			for a := range w.Cyborg().ARQs() {
				if a.State != state {
					t.Errorf("%s: once it is %s, the request is %s", name, fix, a.State)
				}
			}
			if f, ok := found(); ok {
				t.Errorf("%s: once it is %s, it stands: %+v", name, fix, f)
			}
		}
	}
}

// A request of nobody is told as such, and nobody's guest can have the device.
func TestD05OfNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Node("h").Card(1, 1).Flavors().Running("gpu").Claim("i", instance, modeltest.Holding("c"))
	for a := range w.Cyborg().ARQs() {
		w.Record(a.Edit(func(a *cyborg.ARQ) {
			a.State, a.Instance, a.BindStart = cyborg.ARQBindStarted, placement.ConsumerID{}, modeltest.Noon().Add(-time.Hour).UnixMilli()
		}))
	}
	all := audit.Findings(audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon()}).Open)
	n := slices.IndexFunc(all, func(f audit.Finding) bool { return f.Rule == audit.RuleUnanswered })
	if n < 0 || all[n].Subject != "nobody" {
		t.Fatalf("found %+v", all)
	}
	if fixes := audit.Fixes(w.Snapshot, all[n]); len(fixes) != 1 || fixes[0].Name != "failed" {
		t.Errorf("it is mended by %+v", fixes)
	}
}
