package audit_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// write applies a plan to w.
func write(w *world) func(p ops.Plan, err error) *world {
	return func(p ops.Plan, err error) *world {
		w.TB.Helper()
		if err != nil {
			w.TB.Fatal(err)
		}
		return w.Change(p.Change)
	}
}

// only returns the only finding of a rule.
func only(w *world, rule audit.RuleID) audit.Finding {
	w.TB.Helper()
	var found []audit.Finding
	for _, f := range audit.Find(w.Snapshot) {
		if f.Rule == rule {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		w.TB.Fatalf("%d findings of %s", len(found), rule)
	}
	return found[0]
}

func TestInspectSortsByWhatOperatorsWrote(t *testing.T) {
	t.Parallel()
	known := audit.Remark{Note: "card comes on Monday", By: "ann", At: modeltest.Noon(), Until: modeltest.Noon().Add(time.Hour)}
	acknowledge := func(w *world) *world {
		return write(w)(audit.PlanAcknowledge(w.Snapshot, []audit.Finding{only(w, audit.RuleOverCapacity)}, known))
	}
	mute := func(w *world) *world {
		rule, _ := audit.RuleByID(audit.RuleOverCapacity)
		return write(w)(audit.PlanMute(w.Snapshot, rule, audit.Remark{By: "ann", At: modeltest.Noon(), Until: modeltest.Noon().Add(2 * time.Hour)}))
	}
	for _, tc := range []struct {
		name  string
		make  func(*world) *world
		after time.Duration
		want  string // the list that has the finding, and why an acknowledgement lapsed
		idle  int
	}{
		{"nobody knows", func(w *world) *world { return w }, 0, "open", 0},
		{"acknowledged", acknowledge, 0, "acknowledged", 0},
		{"until just before its end", acknowledge, time.Hour - time.Millisecond, "acknowledged", 0},
		{"expired", acknowledge, time.Hour, "open expired", 0},
		{"worse than it was", func(w *world) *world { return acknowledge(w).Shrink(4) }, 0, "open worse", 0},
		{"worse, and acknowledged anew", func(w *world) *world { return acknowledge(acknowledge(w).Shrink(4)) }, 0, "acknowledged", 0},
		{"better than it was", func(w *world) *world { return acknowledge(w).Shrink(7) }, 0, "acknowledged", 0},
		{"taken back", func(w *world) *world {
			w = acknowledge(w)
			a := audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon()}).Acknowledged[0].Acknowledgement
			return write(w)(audit.PlanUnacknowledge(w.Snapshot, []*operator.Acknowledgement{a}))
		}, 0, "open", 0},
		{"gone", func(w *world) *world { return acknowledge(w).Shrink(8) }, 0, "", 1},
		{"gone and back", func(w *world) *world { return acknowledge(w).Shrink(8).Shrink(6) }, 0, "acknowledged", 0},
		{"muted", mute, 0, "muted", 0},
		{"muted, until the mute ends", mute, 2 * time.Hour, "open", 0},
		{"muted and acknowledged", func(w *world) *world { return mute(acknowledge(w)) }, 0, "muted", 0},
		{"heard again", func(w *world) *world {
			w = mute(w)
			return write(w)(audit.PlanUnmute(w.Snapshot, audit.RuleOverCapacity))
		}, 0, "open", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := tc.make(newWorld(t).OverFull())
			r := audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon().Add(tc.after)})
			got := ""
			for name, list := range map[string][]audit.AnnotatedFinding{"open": r.Open, "acknowledged": r.Acknowledged, "muted": r.Muted} {
				for _, n := range list {
					if n.Rule == audit.RuleOverCapacity {
						got += name
						if n.Lapse != audit.InForce {
							got += " " + n.Lapse.String()
						}
					}
				}
			}
			if got != tc.want || len(r.Idle) != tc.idle {
				t.Errorf("in %q with %d idle, want %q with %d", got, len(r.Idle), tc.want, tc.idle)
			}
			all := len(r.Open) + len(r.Acknowledged) + len(r.Muted)
			if found := len(audit.Find(w.Snapshot)); all != found {
				t.Errorf("%d findings in the lists, %d found", all, found)
			}
		})
	}
}

func TestRemarksThatSayNothingAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t).OverFull()
	f := only(w, audit.RuleOverCapacity)
	rule, _ := audit.RuleByID(f.Rule)
	gone := f
	gone.Provider = rp("nowhere")
	plan := func(_ ops.Plan, err error) error { return err }
	for name, tc := range map[string]struct{ err, want error }{
		"no finding":        {plan(audit.PlanAcknowledge(w.Snapshot, nil, audit.Remark{Note: "n", By: "ann"})), placement.ErrInvalid},
		"no note":           {plan(audit.PlanAcknowledge(w.Snapshot, []audit.Finding{f}, audit.Remark{By: "ann"})), placement.ErrInvalid},
		"nobody":            {plan(audit.PlanAcknowledge(w.Snapshot, []audit.Finding{f}, audit.Remark{Note: "n"})), placement.ErrInvalid},
		"over already":      {plan(audit.PlanAcknowledge(w.Snapshot, []audit.Finding{f}, audit.Remark{Note: "n", By: "ann", At: modeltest.Noon(), Until: modeltest.Noon()})), placement.ErrInvalid},
		"gone":              {plan(audit.PlanAcknowledge(w.Snapshot, []audit.Finding{gone}, audit.Remark{Note: "n", By: "ann"})), placement.ErrNotFound},
		"nothing to unmute": {plan(audit.PlanUnmute(w.Snapshot, f.Rule)), placement.ErrNotFound},
		"nobody mutes":      {plan(audit.PlanMute(w.Snapshot, rule, audit.Remark{})), placement.ErrInvalid},
		"nothing to take":   {plan(audit.PlanUnacknowledge(w.Snapshot, nil)), placement.ErrInvalid},
		"never written":     {plan(audit.PlanUnacknowledge(w.Snapshot, []*operator.Acknowledgement{{Rule: "a02", Subject: "x"}})), placement.ErrNotFound},
	} {
		if !errors.Is(tc.err, tc.want) {
			t.Errorf("%s: %v, want %v", name, tc.err, tc.want)
		}
	}
}

// Keys are equal if, and only if, findings are the Same.
func TestKeysTellFindingsApart(t *testing.T) {
	t.Parallel()
	draw := func(rt *rapid.T, label string) audit.Finding {
		text := rapid.SampledFrom([]string{"", "h", "h class=VGPU", `h" name="x`, "VGPU"})
		f := audit.Finding{Rule: "a02", Service: text.Draw(rt, label), Subject: text.Draw(rt, label), Size: rapid.Int64().Draw(rt, label)}
		if rapid.Bool().Draw(rt, label) {
			f.Provider = rp(rapid.SampledFrom([]string{"h", "c"}).Draw(rt, label))
		}
		if rapid.Bool().Draw(rt, label) {
			f.Consumer = vm("i")
		}
		f.Class = placement.ResourceClass(rapid.SampledFrom([]string{"", "VGPU", "VCPU"}).Draw(rt, label))
		return f
	}
	rapid.Check(t, func(rt *rapid.T) {
		f, g := draw(rt, "f"), draw(rt, "g")
		if f.Same(g) != (f.Key() == g.Key()) {
			rt.Fatalf("same %t, keys %q and %q", f.Same(g), f.Key(), g.Key())
		}
	})
}

func TestSeveritiesAreReadBack(t *testing.T) {
	t.Parallel()
	for _, s := range []audit.Severity{audit.Info, audit.Warning, audit.Critical} {
		if got, err := audit.ParseSeverity(s.String()); err != nil || got != s {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
	must.Fail(t, must.Err(audit.ParseSeverity("warn")), placement.ErrInvalid)
}
