package audit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
)

// Time passes even if nothing is written: what takes too long is found by the caller's
// clock, and the report says when.
func TestAgesGoOnInAQuietCloud(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		make func(*world)
		rule audit.RuleID
		when time.Duration // after noon: from when on it is found
	}{
		{"a move of a live cloud that nobody confirms, by a clock of ours that is behind", func(w *world) {
			w.Waiting(0)
			w.Snapshot = w.ReadAs(cloud.NewReadings(nil, nil).ByClock(5 * time.Hour))
		}, audit.RuleWaitingMove, 19 * time.Hour},
		{"a move of a live cloud that stopped halfway, by a clock of ours that is ahead", func(w *world) {
			w.Instance("i", nova.Active).Migration(nova.Migrating)
			m, _ := w.Nova().Migration(vm("m"))
			w.Record(m.Edit(func(m *nova.Migration) { m.Created = modeltest.Noon().UnixMilli() }))
			w.Snapshot = w.ReadAs(cloud.NewReadings(nil, nil).ByClock(-5 * time.Hour))
		}, audit.RuleBrokenMove, 5*time.Hour + 10*time.Minute},
		{"the only compute of a live cloud falls silent, by a clock of ours that is ahead", func(w *world) {
			w.Node("h").Computes().Compute("h", nova.VersionOwnerNova, func(s *nova.Service) { s.Told, s.LastSeenUp = nova.ServiceDown, modeltest.Noon().UnixMilli() })
			w.Snapshot = w.ReadAs(cloud.NewReadings(nil, nil).ByClock(-5 * time.Hour))
		}, audit.RuleAllSilent, 5*time.Hour + 10*time.Minute + time.Millisecond},
		{"a move that stopped halfway", func(w *world) {
			w.Instance("i", nova.Active).Migration(nova.Migrating)
			m, _ := w.Nova().Migration(vm("m"))
			w.Record(m.Edit(func(m *nova.Migration) { m.Created = modeltest.Noon().UnixMilli() }))
		}, audit.RuleBrokenMove, 10 * time.Minute},
		{"a move of a live cloud whose disk is being copied", func(w *world) {
			w.Instance("i", nova.Active).Migration(nova.Migrating)
			m, _ := w.Nova().Migration(vm("m"))
			w.Record(m.Edit(func(m *nova.Migration) { m.Created = modeltest.Noon().UnixMilli() }))
			i, _ := w.Nova().Instance(vm("i"))
			w.Record(i.Edit(func(i *nova.Instance) { i.TaskState = nova.ResizeMigrating }))
			w.Snapshot = w.ReadAs(cloud.NewReadings(nil, nil))
		}, audit.RuleBrokenMove, 2 * time.Hour},
		{"the only compute falls silent", func(w *world) {
			w.Node("h").Computes().Compute("h", nova.VersionOwnerNova, func(s *nova.Service) { s.LastSeenUp = modeltest.Noon().UnixMilli() })
		}, audit.RuleAllSilent, 10*time.Minute + time.Millisecond},
		{"all fall silent, one of which reports less often", func(w *world) {
			w.Node("h").Node("k").Computes().Compute("k", nova.VersionOwnerNova, func(s *nova.Service) { s.LastSeenUp = modeltest.Noon().UnixMilli() }).
				Compute("h", nova.VersionOwnerNova, func(s *nova.Service) {
					s.LastSeenUp, s.ReportInterval = modeltest.Noon().Add(-time.Minute).UnixMilli(), time.Minute.Milliseconds()
				})
		}, audit.RuleAllSilent, 11*time.Minute + time.Millisecond},
		{"a move that nobody confirms", func(w *world) { w.Waiting(0) }, audit.RuleWaitingMove, 24 * time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tc.make(w)
			finds := func(after time.Duration) (audit.Report, *audit.Finding) {
				r := audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon().Add(after)})
				i := slices.IndexFunc(r.Open, func(n audit.AnnotatedFinding) bool { return n.Rule == tc.rule })
				if i < 0 {
					return r, nil
				}
				return r, &r.Open[i].Finding
			}
			now, turns := time.Minute, 0
			for r, f := finds(now); f == nil; r, f = finds(now) {
				if turns++; r.Until.IsZero() || turns > 3 {
					t.Fatalf("after %s: not found, to be asked again at %s", now, r.Until)
				}
				now = r.Until.Sub(modeltest.Noon())
			}
			must.Be(t, now, tc.when)
			_, f := finds(now)
			if g, stands := f.StandsOn(w.Snapshot); !stands || g.Text != f.Text {
				t.Errorf("asked again of its subject: %t, %q", stands, g.Text)
			}
			for _, x := range audit.Fixes(w.Snapshot, *f) {
				if _, err := x.Preview(w.Snapshot, modeltest.Noon().Add(now)); err != nil {
					t.Errorf("%s: %v", x.Name, err)
				}
			}
		})
	}
}

// If no service reports that is one finding, and none if some host would take an
// instance.
func TestAllSilent(t *testing.T) {
	t.Parallel()
	seen := func(after time.Duration) func(*nova.Service) {
		return func(s *nova.Service) { s.LastSeenUp = modeltest.Noon().Add(after).UnixMilli() }
	}
	never := func(s *nova.Service) { s.LastSeenUp = 0 }
	for name, tt := range map[string]struct {
		edits []func(*nova.Service) // of the services of h, k, l
		want  string
	}{
		"all":                    {[]func(*nova.Service){seen(0), seen(time.Minute), seen(0)}, "no nova-compute has reported since 2026-03-01 12:01:00, 3 hosts: nothing can be booted"},
		"all but one":            {[]func(*nova.Service){seen(0), seen(50 * time.Minute), seen(0)}, ""},
		"one has never reported": {[]func(*nova.Service){seen(0), never, seen(0)}, ""},
		"nobody has ever":        {[]func(*nova.Service){never}, ""},
		"the one that is up is disabled": {
			[]func(*nova.Service){seen(0), func(s *nova.Service) { seen(time.Hour)(s); s.Disabled = true }},
			"no nova-compute has reported since 2026-03-01 12:00:00, 1 host: nothing can be booted",
		},
		"no services": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for n, edit := range tt.edits {
				w.Compute([]string{"h", "k", "l"}[n], nova.VersionOwnerNova, edit)
			}
			var got []string
			for _, n := range audit.Inspect(w.Snapshot, audit.InspectOptions{Now: modeltest.Noon().Add(time.Hour)}).Open {
				if n.Rule == audit.RuleAllSilent {
					got = append(got, n.Text)
				}
			}
			if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Equal(got, []string{tt.want}) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}
