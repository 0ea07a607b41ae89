package audit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// lostAgo returns conflicts over h, the given minutes before noon.
func lostAgo(minutes ...int) []cloud.Conflict {
	var out []cloud.Conflict
	for n, m := range minutes {
		out = append(out, cloud.Conflict{
			At: modeltest.Noon().Add(-time.Duration(m) * time.Minute), Revision: 1,
			Actor: fmt.Sprint("writer ", n%2), Provider: rp("h"), Err: placement.ErrConflict,
		})
	}
	return out
}

func TestGenerationConflicts(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Claim("i", instance, on("h"))
	instead := func(c []cloud.Conflict, edit func(*cloud.Conflict)) []cloud.Conflict {
		edit(&c[len(c)-1])
		return c
	}
	for name, tt := range map[string]struct {
		lost []cloud.Conflict
		want []string
	}{
		"none":         {nil, nil},
		"two":          {lostAgo(2, 1), nil},
		"three":        {lostAgo(9, 5, 1), []string{"h: 3 writes refused since 11:51:00, the last at 11:59:00, by writer 0, writer 1"}},
		"two are old":  {lostAgo(30, 20, 5, 1), nil},
		"over another": {instead(lostAgo(3, 2, 1), func(c *cloud.Conflict) { c.Provider = rp("g") }), nil},
		"over nothing": {instead(lostAgo(3, 2, 1), func(c *cloud.Conflict) { c.Provider = placement.ProviderID{} }), nil},
		"one is later": {instead(lostAgo(3, 2, 1), func(c *cloud.Conflict) { c.Revision = 1000 }), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon(), Conflicts: tt.lost}).Open {
				if f.Rule == audit.RuleConflicts {
					got = append(got, f.Subject+": "+f.Text)
				}
			}
			must.Match(t, tt.want, got)
		})
	}
}

// A conflict over a consumer has the name of its instance, and is not found without a
// Witness. It can be acknowledged, and comes back when there are twice as many.
func TestConflictsOfAConsumer(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Instance("i", "active").Claim("i", instance, on("h"))
	lost := lostAgo(4, 3, 2, 1)
	for n := range lost {
		lost[n].Provider, lost[n].Consumer = placement.ProviderID{}, vm("i")
	}
	at := audit.InspectOptions{Now: modeltest.Noon(), Conflicts: lost[:3]}
	var found audit.Finding
	for _, f := range audit.Inspect(w.Snapshot, at).Open {
		if f.Rule == audit.RuleConflicts {
			found = f.Finding
		}
	}
	if found.Subject != "i" || found.Consumer != vm("i") {
		t.Fatalf("found %+v", found)
	}
	for _, f := range audit.FindAll(w.Snapshot) {
		if f.Rule == audit.RuleConflicts {
			t.Errorf("found without being seen: %+v", f)
		}
	}
	if _, stands := found.StandsOn(w.Snapshot); !stands {
		t.Error("it does not stand where it was found")
	}
	write(w)(audit.PlanAcknowledge(w.Snapshot, []audit.Finding{found}, audit.Remark{Note: "a script", By: "ann", At: modeltest.Noon()}))
	known := func(lost []cloud.Conflict) audit.Lapse {
		for _, f := range audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon(), Conflicts: lost}).Acknowledged {
			if f.Rule == audit.RuleConflicts {
				return f.Lapse
			}
		}
		return audit.Worse
	}
	if known(lost[:3]) != audit.InForce || known(lost) != audit.Worse {
		t.Errorf("as many: %v, more: %v", known(lost[:3]), known(lost))
	}
}

// As long as conflicts are new, what the rules find changes as time passes.
func TestConflictsAreAskedAgain(t *testing.T) {
	t.Parallel()
	s := newWorld(t).Snapshot
	for minutes, want := range map[int]bool{0: true, 9: true, 10: false, 60: false} {
		if r := audit.Inspect(s, audit.InspectOptions{Now: modeltest.Noon(), Conflicts: lostAgo(90, minutes)}); r.Until.IsZero() == want {
			t.Errorf("%d minutes ago: again at %s", minutes, r.Until)
		}
	}
}
