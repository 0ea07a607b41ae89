package demo_test

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

var now = time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC)

// build makes the cloud of o, and fails the test if that is impossible.
func build(tb testing.TB, o demo.Options) *cloud.Snapshot {
	tb.Helper()
	o.Now = now
	s, err := demotest.Fresh(o)
	must.Succeed(tb, err)
	return s
}

// made returns the cloud of o, made once for all tests.
func made(tb testing.TB, o demo.Options) *cloud.Snapshot {
	tb.Helper()
	o.Now = now
	return demotest.Snapshot(tb, o)
}

// seeds returns how many seeds are tried: PLACETOP_DEMO_SEEDS, or a few.
func seeds() uint64 {
	n, err := strconv.ParseUint(os.Getenv("PLACETOP_DEMO_SEEDS"), 10, 64)
	if err != nil {
		return 3
	}
	return n
}

// large is a cloud most of whose hosts are made in bulk: of 700 hosts where many seeds are
// tried, else of 120.
func large() demo.Options {
	if seeds() >= 20 {
		return demo.Options{Hosts: 700, Seed: 7}
	}
	return demo.Options{Hosts: 120, Seed: 2}
}

// records returns the cloud as lines of an export.
func records(tb testing.TB, s *cloud.Snapshot) []string {
	tb.Helper()
	codec := cloud.NewCodec()
	var out []string
	for r := range s.Records() {
		b, err := codec.EncodeJSON(r)
		must.Succeed(tb, err)
		out = append(out, string(b))
	}
	return out
}

func TestSameSeedSameCloud(t *testing.T) {
	t.Parallel()
	a := records(t, build(t, demo.Options{Seed: 1}))
	if d := cmp.Diff(a, records(t, made(t, demo.Options{Seed: 1}))); d != "" {
		t.Errorf("the same seed gave another cloud:\n%s", d)
	}
	if cmp.Equal(a, records(t, made(t, demo.Options{Seed: 2}))) {
		t.Error("another seed gave the same cloud")
	}
}

// showcased returns the number of findings of the showcase, which a cloud of any size
// has.
func showcased() map[audit.RuleID]int {
	return map[audit.RuleID]int{
		audit.RuleOverCapacity: 1, audit.RuleBothOwners: 1, audit.RuleCardTwice: 1, audit.RuleOrphan: 1, audit.RuleChildWithout: 1,
		audit.RuleLeakedMigration: 1, audit.RuleNoOwner: 1, audit.RuleComputeNoOwner: 1, audit.RuleIsolatedPool: 1,
		audit.RuleWrongOwner: 1, audit.RuleCyborgDrift: 1, // the instance with one of Cyborg's, and its card
		audit.RuleUnheld: 1, audit.RuleSplitClaim: 1, audit.RuleStuckDevice: 1, audit.RuleMdevDrift: 1, audit.RuleOldService: 1,
	}
}

// further returns the findings that Options.Troubles adds.
func further() []audit.RuleID {
	return []audit.RuleID{
		audit.RuleVGPUTwice, audit.RuleDraining, audit.RuleUnlikeOthers, audit.RuleCountedTwice, audit.RuleStatusTrait,
		audit.RuleNotMirrored, audit.RuleNameTaken, audit.RuleUnheldTrait,
	}
}

func TestTroublesStandOnceAtAnySize(t *testing.T) {
	t.Parallel()
	clouds := []demo.Options{
		{Hosts: 13, Seed: 4},
		{Hosts: 40},
		{Hosts: 51, Seed: 6},
		large(),
		{Hosts: 13, Seed: 5, Troubles: true},
		{Hosts: 23, Seed: 6, Troubles: true},
		{Hosts: 51, Seed: 6, Troubles: true},
	}
	for seed := range seeds() {
		clouds = append(clouds, demo.Options{Seed: seed}, demo.Options{Seed: seed, Troubles: true})
	}
	for _, o := range clouds {
		s := made(t, o)
		for _, err := range append(s.Check(), s.Cyborg().Check()...) {
			t.Errorf("%+v: %v", o, err)
		}
		want := showcased()
		if o.Troubles {
			for _, rule := range further() {
				want[rule] = 1
			}
		}
		got, said := map[audit.RuleID]int{}, map[audit.RuleID][]string{}
		for _, f := range audit.Find(s) {
			got[f.Rule]++
			said[f.Rule] = append(said[f.Rule], f.Subject+": "+f.Text)
		}
		for _, rule := range slices.Sorted(maps.Keys(said)) {
			if got[rule] != want[rule] {
				t.Errorf("%+v: %s has %d findings, want %d: %s", o, rule, got[rule], want[rule], strings.Join(said[rule], "; "))
			}
			delete(want, rule)
		}
		for rule := range want {
			t.Errorf("%+v: nothing is found by %s", o, rule)
		}
	}
}

// remembering is a stage that remembers conflicts, as stores do.
type remembering struct {
	stage
	lost []cloud.Conflict
}

func (r *remembering) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	c.At = now
	out := r.stage.Apply(ctx, c)
	if lost, ok := cloud.ConflictOf(r.snap, c, out.Err()); ok {
		r.lost = append(r.lost, lost)
	}
	return out
}

// TestContend checks that the writes that come too late are the case of the rule about
// writers, and that nothing is written.
func TestContend(t *testing.T) {
	t.Parallel()
	for o, want := range map[demo.Options]int{{Hosts: 1, Seed: 1}: 0, {Seed: 1}: 1, large(): 1} {
		s := made(t, o)
		hosts := s.Placement().RootSet().Len() - 2
		store := &remembering{stage: stage{s}}
		must.Succeed(t, demo.Contend(t.Context(), store, hosts, ops.Runner{Now: func() time.Time { return now }}))
		got := 0
		for _, n := range audit.Inspect(s, audit.InspectOptions{Now: now, Conflicts: store.lost}).Open {
			if n.Rule == audit.RuleConflicts {
				got++
			}
		}
		if got != want || store.snap != s {
			t.Errorf("%d hosts: %d findings, want %d; something was written: %t", hosts, got, want, store.snap != s)
		}
	}
}

func TestFillLevel(t *testing.T) {
	t.Parallel()
	for seed := range seeds() {
		sum := insight.Totals(made(t, demo.Options{Seed: seed}))
		for class, bounds := range map[placement.ResourceClass][2]float64{
			placement.VCPU: {0.45, 0.70}, placement.MemoryMB: {0.5, 0.72}, placement.VGPU: {0.6, 0.9},
		} {
			c := sum.Class(class)
			if full := float64(c.Used) / float64(c.Capacity); full < bounds[0] || full > bounds[1] {
				t.Errorf("seed %d: %s is %.2f full, want %.2f to %.2f", seed, class, full, bounds[0], bounds[1])
			}
		}
	}
}

func TestSmallClouds(t *testing.T) {
	t.Parallel()
	for hosts := 1; hosts < demo.DefaultHosts; hosts++ {
		s := made(t, demo.Options{Hosts: hosts, Seed: uint64(hosts)})
		if got := s.Placement().RootSet().Len(); got != hosts+2 {
			t.Errorf("%d hosts: %d roots, want the hosts and two pools", hosts, got)
		}
		for _, err := range s.Check() {
			t.Errorf("%d hosts: %v", hosts, err)
		}
	}
}

func TestChangesComeInOrder(t *testing.T) {
	t.Parallel()
	for _, hosts := range []int{12, 51} {
		changes, err := demo.Build(demo.Options{Hosts: hosts, Seed: 3, Now: now})
		must.Succeed(t, err)
		var last time.Time
		for c := range changes {
			if c.At.Before(last) || c.At.After(now) {
				t.Errorf("%s: at %s, after one at %s", c.Note, c.At, last)
			}
			if c.Actor == "" || c.Note == "" {
				t.Errorf("a change at %s without actor or note", c.At)
			}
			last = c.At
		}
		if since := now.Sub(last); since > 5*time.Minute {
			t.Errorf("%d hosts: the last change is %s old", hosts, since)
		}
	}
}

// TestPastIsSpreadOverDays checks that a cloud of any size has grown over time: no more
// than a fifth of its consumers came on one day.
func TestPastIsSpreadOverDays(t *testing.T) {
	t.Parallel()
	clouds := []demo.Options{{}, {Hosts: 51, Seed: 6}, large()}
	if seeds() >= 20 {
		clouds = append(clouds, demo.Options{Hosts: 3000}, demo.Options{Hosts: 6000})
	}
	for _, o := range clouds {
		s := made(t, o)
		on := map[int64]int{}
		for i := range s.Nova().Instances() {
			on[now.UnixMilli()/86_400_000-i.Created/86_400_000]++
		}
		for ago, n := range on {
			if o.Hosts <= 3000 && n > s.Nova().InstanceCount()/5 { // more come at once, to keep the file small
				t.Errorf("%d hosts: %d of %d instances came %d days ago", o.Hosts, n, s.Nova().InstanceCount(), ago)
			}
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]demo.Options{
		"negative hosts": {Hosts: -1, Now: now},
		"too many hosts": {Hosts: demo.MaxHosts + 1, Now: now},
		"no time":        {Hosts: 12},
	} {
		if _, err := demo.Build(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestHistoryCanBeTakenBack(t *testing.T) {
	t.Parallel()
	s, events := demotest.History(t, demo.Options{Now: now})
	var err error
	for _, event := range slices.Backward(events) {
		if s, err = s.Before(event); err != nil {
			t.Fatalf("before %s: %v", event.Note, err)
		}
	}
	var left []versioned.Record
	left = slices.AppendSeq(left, s.Records())
	if len(left) > 0 {
		t.Errorf("%d records left after undoing everything", len(left))
	}
}

func BenchmarkSnapshot10000(b *testing.B) {
	for b.Loop() {
		build(b, demo.Options{Hosts: 10_000})
	}
}

func BenchmarkAudit10000(b *testing.B) {
	s := made(b, demo.Options{Hosts: 10_000})
	for b.Loop() {
		audit.Find(s)
	}
}

func BenchmarkTotals10000(b *testing.B) {
	s := made(b, demo.Options{Hosts: 10_000})
	for b.Loop() {
		insight.Totals(s)
	}
}

func BenchmarkFits10000(b *testing.B) {
	s := made(b, demo.Options{Hosts: 10_000})
	wish := ops.Wish{Resources: map[placement.ResourceClass]int64{
		placement.VCPU: 4, placement.MemoryMB: 8192, placement.DiskGB: 40, placement.VGPU: 1,
	}}
	for b.Loop() {
		must.Get(ops.Fits(s, candidates.NewIndex(s.Placement()), wish))(b)
	}
}

func BenchmarkExport10000(b *testing.B) {
	s := made(b, demo.Options{Hosts: 10_000})
	for b.Loop() {
		must.Succeed(b, ops.Export(io.Discard, s))
	}
}

// TestCompute compares what a host of the demo reports with Placement: they differ in one
// of the troubles alone.
func TestCompute(t *testing.T) {
	t.Parallel()
	for _, hosts := range []int{0, 12, 60} {
		for _, troubles := range []bool{false, true} {
			o := demo.Options{Hosts: hosts, Seed: 7, Now: now, Troubles: troubles}
			compute, ok := demo.Compute(o)
			_, found, err := compute.Plan(build(t, o), now)
			must.Succeed(t, err)
			var got []string
			for _, d := range found.Out.Differences {
				got = append(got, d.Provider+" "+d.What)
			}
			var want []string
			if troubles {
				want = []string{compute.Tree.Root.Name + " DISK_GB"}
			}
			if !ok || !slices.Equal(got, want) {
				t.Errorf("%d hosts, troubles %t: the machine differs in %q, want %q", hosts, troubles, got, want)
			}
		}
	}
	if _, ok := demo.Compute(demo.Options{Hosts: 1, Now: now}); ok {
		t.Error("a cloud of one host has a fifth")
	}
}
