package audit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// wideWorlds returns clouds of one tree with n cards, made from wideRecords by editing
// its records; nil leaves one out.
func wideWorlds() map[string]func(versioned.Record) versioned.Record {
	return map[string]func(versioned.Record) versioned.Record{
		"cards": func(r versioned.Record) versioned.Record { return r },
		// They have no owner, and are not in use.
		"bare": func(r versioned.Record) versioned.Record {
			if p, ok := r.(*placement.ProviderRecord); ok {
				return p
			}
			return nil
		},
		// Of both owners, under names that are not Nova's.
		"both": func(r versioned.Record) versioned.Record {
			switch r := r.(type) {
			case *placement.ProviderRecord:
				r.Name = strings.ReplaceAll(r.Name, "_pci_", "_PCI_")
			case *placement.ProviderTraitsRecord:
				r.Traits = []placement.Trait{placement.OwnerCyborg, placement.OwnerNova}
			case *nova.ComputeNode:
				r.GPUs = nil
			case *placement.ConsumerRecord:
			default:
				if k := r.RecordKind(); k != nova.KindInstance && k != nova.KindFlavor && k != nova.KindService {
					return nil
				}
			}
			return r
		},
		// Everything that an instance holds on a card has the wrong owner, exceeds the
		// capacity, and is more than the card can make.
		"wrong": func(r versioned.Record) versioned.Record {
			switch r := r.(type) {
			case *placement.ProviderTraitsRecord:
				switch r.Traits[0] {
				case placement.OwnerNova:
					r.Traits = []placement.Trait{placement.OwnerCyborg}
				case placement.OwnerCyborg:
					r.Traits = []placement.Trait{placement.OwnerNova}
				}
			case *placement.ProviderRecord:
				if r.Parent != nil {
					r.Inventories[placement.VGPU] = placement.Inventory{Total: 2, Reserved: 2, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1}
				}
			case *nova.ComputeNode:
				for i := range r.GPUs {
					r.GPUs[i].Total = 0
				}
			case *cyborg.ARQ, *cyborg.AttachHandle:
				return nil
			}
			return r
		},
		// Each card is shared, so that many can serve every instance.
		"shared": func(r versioned.Record) versioned.Record {
			switch r := r.(type) {
			case *placement.ProviderRecord:
				r.Aggregates = []placement.AggregateID{modeltest.AggregateID("a")}
			case *placement.ProviderTraitsRecord:
				r.Traits = append(r.Traits, placement.SharesViaAggregate)
			}
			return r
		},
	}
}

// wide returns the cloud of one of wideWorlds.
func wide(tb testing.TB, world string, n int) *cloud.Snapshot {
	tb.Helper()
	edit := wideWorlds()[world]
	s, err := cloud.Load(1, modeltest.Noon(), func(yield func(versioned.Record, error) bool) {
		for _, r := range wideRecords(n) {
			if r = edit(r); r != nil && !yield(r, nil) {
				return
			}
		}
	})
	must.Succeed(tb, err)
	return s
}

// wideTask is something done to a whole tree. It may fail the test, and returns how
// much it found.
type wideTask struct {
	name string
	do   func(tb testing.TB, s *cloud.Snapshot) int
}

// wideTasks returns everything that is asked about a whole tree or each of its members.
func wideTasks() []wideTask {
	return []wideTask{
		{"find", func(_ testing.TB, s *cloud.Snapshot) int { return len(audit.Find(s)) }},
		{"find all", func(_ testing.TB, s *cloud.Snapshot) int { return len(audit.FindAll(s)) }},
		{"verify", func(_ testing.TB, s *cloud.Snapshot) int { return len(s.Check()) }},
		{"totals", func(_ testing.TB, s *cloud.Snapshot) int { return len(insight.Totals(s).Classes) }},
		{"owners", func(_ testing.TB, s *cloud.Snapshot) int { return len(insight.Owners(s).None) }},
		{"readiness", func(_ testing.TB, s *cloud.Snapshot) int {
			return len(insight.ReadinessOf(s, insight.Owners(s), s.At()).Checks)
		}},
		{"simulate", func(tb testing.TB, s *cloud.Snapshot) int {
			run := must.Get(insight.BeginGate(s, insight.GateOptions{}))(tb)
			for run.Step() {
			}
			return len(run.Result().Forms)
		}},
		{"standing", func(_ testing.TB, s *cloud.Snapshot) int { return len(fmt.Sprint(insight.ActivityOf(s))) }},
		{"inspect", func(_ testing.TB, s *cloud.Snapshot) int {
			return len(audit.Inspect(s, audit.InspectOptions{Now: s.At()}).Open)
		}},
		{"fixes", func(_ testing.TB, s *cloud.Snapshot) int {
			n := 0
			for _, f := range audit.Find(s) {
				n += len(audit.Fixes(s, f))
			}
			return n
		}},
		{"why not fixed", func(_ testing.TB, s *cloud.Snapshot) int {
			n := 0
			for _, f := range audit.Find(s) {
				n += len(audit.NoFix(s, f))
			}
			return n
		}},
		{"make the tree", func(tb testing.TB, s *cloud.Snapshot) int {
			var all []placement.Op
			for p := range s.Placement().Roots() {
				for _, q := range s.Placement().Tree(p) {
					op := placement.CreateProvider{ID: q.ID(), Name: q.Name()}
					if !q.IsRoot() {
						op.Parent = p.ID()
					}
					all = append(all, op)
				}
			}
			next, _, err := cloud.Empty().Apply(cloud.Change{Ops: all})
			must.Succeed(tb, err)
			return next.Placement().ProviderCount()
		}},
		{"import", func(tb testing.TB, s *cloud.Snapshot) int {
			im := must.Get(ops.PlanImport(cloud.Empty(), slices.Collect(s.Records())))(tb)
			next, ev, err := cloud.Empty().Apply(im.Change)
			must.Succeed(tb, err)
			// And back.
			if _, _, err = next.Apply(ev.Reverse("test")); err != nil {
				tb.Fatal(err)
			}
			return len(ev.Changes)
		}},
		{"search", func(tb testing.TB, s *cloud.Snapshot) int {
			q := must.Get(candidates.ParseURL("resources=VCPU:1&resources1=VGPU:1&limit=1000", microversion.PlacementNewest, s.Placement()))(tb)
			asks := must.Get(candidates.NewIndex(s.Placement()).Ask(q))(tb)
			return len(asks.Explain(candidates.ExplainOptions{Misses: -1, Ways: -1, Name: ops.QueryNames(s)}).Misses)
		}},
	}
}

// BenchmarkWide shows how times grow with the width of a tree: ns/card is the same at all
// widths if they are linear.
func BenchmarkWide(b *testing.B) {
	for _, world := range slices.Sorted(maps.Keys(wideWorlds())) {
		for _, task := range wideTasks() {
			for _, n := range []int{1000, 2000, 4000, 8000, 16000} {
				b.Run(fmt.Sprintf("%s/%s/%d", world, task.name, n), func(b *testing.B) {
					s := wide(b, world, n)
					found := 0
					for b.Loop() {
						found = task.do(b, s)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/card")
					b.ReportMetric(float64(found), "found")
				})
			}
		}
	}
}
