package ops_test

import (
	"errors"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// write writes a plan into w.
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
func only(w *world, rule ops.RuleID) ops.Finding {
	w.TB.Helper()
	var found []ops.Finding
	for _, f := range ops.Audit(w.Snapshot) {
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
	known := ops.Remark{Note: "card comes on Monday", By: "ann", At: modeltest.Noon(), Until: modeltest.Noon().Add(time.Hour)}
	acknowledge := func(w *world) *world {
		return write(w)(ops.PlanAcknowledge(w.Snapshot, []ops.Finding{only(w, ops.RuleOverCapacity)}, known))
	}
	mute := func(w *world) *world {
		rule, _ := ops.RuleByID(ops.RuleOverCapacity)
		return write(w)(ops.PlanMute(w.Snapshot, rule, ops.Remark{By: "ann", At: modeltest.Noon(), Until: modeltest.Noon().Add(2 * time.Hour)}))
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
			a := ops.Inspect(w.Snapshot, ops.InspectOptions{Now: modeltest.Noon()}).Acknowledged[0].Acknowledgement
			return write(w)(ops.PlanUnacknowledge(w.Snapshot, []*operator.Acknowledgement{a}))
		}, 0, "open", 0},
		{"gone", func(w *world) *world { return acknowledge(w).Shrink(8) }, 0, "", 1},
		{"gone and back", func(w *world) *world { return acknowledge(w).Shrink(8).Shrink(6) }, 0, "acknowledged", 0},
		{"muted", mute, 0, "muted", 0},
		{"muted, until the mute ends", mute, 2 * time.Hour, "open", 0},
		{"muted and acknowledged", func(w *world) *world { return mute(acknowledge(w)) }, 0, "muted", 0},
		{"heard again", func(w *world) *world {
			w = mute(w)
			return write(w)(ops.PlanUnmute(w.Snapshot, ops.RuleOverCapacity))
		}, 0, "open", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := tc.make(newWorld(t).OverFull())
			r := ops.Inspect(w.Snapshot, ops.InspectOptions{Now: modeltest.Noon().Add(tc.after)})
			got := ""
			for name, list := range map[string][]ops.Noted{"open": r.Open, "acknowledged": r.Acknowledged, "muted": r.Muted} {
				for _, n := range list {
					if n.Rule == ops.RuleOverCapacity {
						got += name
						if n.Lapse != ops.InForce {
							got += " " + n.Lapse.String()
						}
					}
				}
			}
			if got != tc.want || len(r.Idle) != tc.idle {
				t.Errorf("in %q with %d idle, want %q with %d", got, len(r.Idle), tc.want, tc.idle)
			}
			all := len(r.Open) + len(r.Acknowledged) + len(r.Muted)
			if found := len(ops.Audit(w.Snapshot)); all != found {
				t.Errorf("%d findings in the lists, %d found", all, found)
			}
		})
	}
}

func TestRemarksThatSayNothingAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t).OverFull()
	f := only(w, ops.RuleOverCapacity)
	rule, _ := ops.RuleByID(f.Rule)
	gone := f
	gone.Provider = rp("nowhere")
	plan := func(_ ops.Plan, err error) error { return err }
	for name, tc := range map[string]struct{ err, want error }{
		"no finding":        {plan(ops.PlanAcknowledge(w.Snapshot, nil, ops.Remark{Note: "n", By: "ann"})), placement.ErrInvalid},
		"no note":           {plan(ops.PlanAcknowledge(w.Snapshot, []ops.Finding{f}, ops.Remark{By: "ann"})), placement.ErrInvalid},
		"nobody":            {plan(ops.PlanAcknowledge(w.Snapshot, []ops.Finding{f}, ops.Remark{Note: "n"})), placement.ErrInvalid},
		"over already":      {plan(ops.PlanAcknowledge(w.Snapshot, []ops.Finding{f}, ops.Remark{Note: "n", By: "ann", At: modeltest.Noon(), Until: modeltest.Noon()})), placement.ErrInvalid},
		"gone":              {plan(ops.PlanAcknowledge(w.Snapshot, []ops.Finding{gone}, ops.Remark{Note: "n", By: "ann"})), placement.ErrNotFound},
		"nothing to unmute": {plan(ops.PlanUnmute(w.Snapshot, f.Rule)), placement.ErrNotFound},
		"nobody mutes":      {plan(ops.PlanMute(w.Snapshot, rule, ops.Remark{})), placement.ErrInvalid},
		"nothing to take":   {plan(ops.PlanUnacknowledge(w.Snapshot, nil)), placement.ErrInvalid},
		"never written":     {plan(ops.PlanUnacknowledge(w.Snapshot, []*operator.Acknowledgement{{Rule: "a02", Subject: "x"}})), placement.ErrNotFound},
	} {
		if !errors.Is(tc.err, tc.want) {
			t.Errorf("%s: %v, want %v", name, tc.err, tc.want)
		}
	}
}

// Keys are equal where, and only where, findings are the Same.
func TestKeysTellFindingsApart(t *testing.T) {
	t.Parallel()
	draw := func(rt *rapid.T, label string) ops.Finding {
		text := rapid.SampledFrom([]string{"", "h", "h class=VGPU", `h" name="x`, "VGPU"})
		f := ops.Finding{Rule: "a02", Service: text.Draw(rt, label), Subject: text.Draw(rt, label), Size: rapid.Int64().Draw(rt, label)}
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
	for _, s := range []ops.Severity{ops.Info, ops.Warning, ops.Critical} {
		if got, err := ops.ParseSeverity(s.String()); err != nil || got != s {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
	if _, err := ops.ParseSeverity("warn"); !errors.Is(err, placement.ErrInvalid) {
		t.Errorf("warn: %v", err)
	}
}

// What operators wrote down goes through an export and back.
func TestRemarksAreExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t).OverFull()
	rule, _ := ops.RuleByID(ops.RuleLeftovers)
	write(w)(ops.PlanAcknowledge(w.Snapshot, []ops.Finding{only(w, ops.RuleOverCapacity)}, ops.Remark{Note: "known", By: "ann", At: modeltest.Noon()}))
	write(w)(ops.PlanMute(w.Snapshot, rule, ops.Remark{By: "ann", At: modeltest.Noon()}))
	again, _ := imported(t, cloud.Empty(), export(t, w.Snapshot))
	opt := ops.InspectOptions{Now: modeltest.Noon()}
	if d := gocmp.Diff(ops.Inspect(w.Snapshot, opt), ops.Inspect(again, opt)); d != "" {
		t.Errorf("-before +after:\n%s", d)
	}
}
