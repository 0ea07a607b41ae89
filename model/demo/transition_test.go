package demo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// stage is a cloud in memory on which a script is played.
type stage struct{ snap *cloud.Snapshot }

func (g *stage) Snapshot() *cloud.Snapshot { return g.snap }

func (g *stage) Apply(_ context.Context, c cloud.Change) cloud.Outcome {
	next, ev, err := g.snap.Apply(c)
	if err != nil {
		return cloud.Refused(err)
	}
	g.snap = next
	return cloud.Kept(next, ev)
}

// clock returns a clock that starts where the demo cloud ends, and advances by a second
// at each call.
func clock() func() time.Time {
	at := now
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

func script(tb testing.TB) demo.Script {
	tb.Helper()
	sc := demo.Transition()
	return sc
}

// play plays the steps of the script one after the other, and calls see with each.
func play(tb testing.TB, g *stage, see func(n int, st demo.Step, p demo.StepResult)) {
	tb.Helper()
	tick := clock()
	for n, st := range script(tb).Steps {
		p, err := st.Play(context.Background(), g, ops.Runner{Actor: "test", Now: tick})
		if err != nil {
			tb.Fatalf("step %d %s: %v", n+1, st.Name, err)
		}
		see(n, st, p)
	}
}

// The story plays to its end on any demo cloud: no step breaks anything more, and what it
// moves is neither lost nor counted twice.
func TestTransitionPlaysOnAnyCloud(t *testing.T) {
	t.Parallel()
	for seed := range seeds() {
		clouds := []demo.Options{{Seed: seed}, {Seed: seed, Troubles: true}}
		if seed%4 == 0 { // a larger cloud only has more places to choose from
			clouds = append(clouds, demo.Options{Hosts: 40, Seed: seed})
		}
		for _, o := range clouds {
			t.Run(fmt.Sprintf("hosts=%d,troubles=%t,seed=%d", o.Hosts, o.Troubles, o.Seed), func(t *testing.T) {
				t.Parallel()
				g := &stage{made(t, o)}
				must.Succeed(t, script(t).Ready(g.snap))
				holdTo(t, g)
			})
		}
	}
}

// holdTo plays the story on g, and checks that each step does only what it may.
func holdTo(t *testing.T, g *stage) {
	t.Helper()
	first := audit.Find(g.snap)
	// By how much a step changes the VGPUs in use, of Nova's and of Cyborg's.
	grows := map[string][2]int64{
		"resize": {0, 1}, "confirm": {-1, 0}, "back": {1, -1}, "again": {0, 1}, "revert": {0, -1},
		"crash": {0, 1}, "recover": {-1, 0}, "fix": {1, -1}, "both": {1, 1},
	}
	play(t, g, func(n int, st demo.Step, p demo.StepResult) {
		if st.Writes() != (len(p.Taken) > 0) {
			t.Errorf("%s: %d writes", st.Name, len(p.Taken))
		}
		before, after := demo.Shares(p.Before), demo.Shares(p.After)
		got := [2]int64{after[0].Used - before[0].Used, after[1].Used - before[1].Used}
		if st.Name == "landing" { // at its end: on a card of Nova's, or nowhere
			if got[1] != 0 || !slices.ContainsFunc(p.Taken, func(w demo.StepWrite) bool { return w.Name == "retry" || w.Cause != nil }) {
				t.Errorf("landing: VGPUs of Nova and Cyborg by %v, writes %+v", got, p.Taken)
			}
		} else if got != grows[st.Name] {
			t.Errorf("%s: VGPUs of Nova and Cyborg by %v, want %v", st.Name, got, grows[st.Name])
		}
		touched := map[placement.ConsumerID]bool{} // the instance, its migration, and nobody else
		for _, w := range p.Taken {
			for _, d := range w.Holdings {
				touched[d.Consumer] = true
			}
		}
		if len(touched) > 2 {
			t.Errorf("%s: %d consumers changed", st.Name, len(touched))
		}
		if st.Writes() {
			for _, f := range audit.Find(p.After) {
				if f.Severity == audit.Critical && !slices.ContainsFunc(first, f.Same) {
					t.Errorf("%s: %s", st.Name, f.Text)
				}
			}
		}
		if got := script(t).Next(p.After); got != n+1 && st.Writes() {
			t.Errorf("%s: the step after it is %d, want %d", st.Name, got, n+1)
		}
	})
}

// The story's progress is in the cloud alone: it can be resumed after every single write,
// and an interrupt ends it after one. Where few seeds are tried, most of the resumed ones
// end with the step that comes after the interrupted one.
func TestTransitionIsTakenUpAfterAnyWrite(t *testing.T) {
	t.Parallel()
	start := made(t, demo.Options{})
	var after []*cloud.Snapshot // each write
	g, sc, tick := &stage{start}, script(t), clock()
	for _, st := range sc.Steps {
		must.Get(st.Play(t.Context(), g, ops.Runner{Now: tick, Report: func(ops.StepDone) { after = append(after, g.snap) }}))(t)
	}
	for n, s := range after[:len(after)-1] {
		g, tick := &stage{s}, clock()
		todo, want := sc.Steps[sc.Next(s):], len(sc.Steps)-1
		if wrote := slices.IndexFunc(todo, demo.Step.Writes); n%10 > 0 && seeds() < 20 && wrote+2 < len(todo) {
			todo, want = todo[:wrote+2], 0
		}
		for _, st := range todo {
			if _, err := st.Play(t.Context(), g, ops.Runner{Now: tick}); err != nil {
				t.Fatalf("resumed after write %d: %s: %v", n+1, st.Name, err)
			}
			if at := sc.Next(g.snap); st.Writes() && sc.Steps[at-1].Name != st.Name {
				t.Errorf("resumed after write %d: %s is played, and the next step is %d", n+1, st.Name, at+1)
			}
		}
		if got := sc.Next(g.snap); want > 0 && got != want {
			t.Errorf("resumed after write %d: the story ends before step %d", n+1, got+1)
		}
	}
	for _, writes := range []int{1, len(after) / 2, len(after) - 1} {
		g := &stage{start}
		cut(t, g, writes)
		must.Be(t, g.snap.Revision(), after[writes-1].Revision())
	}
}

// cut plays the story until the given number of writes is done.
func cut(t *testing.T, g *stage, writes int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tick := clock()
	for _, st := range script(t).Steps {
		_, err := st.Play(ctx, g, ops.Runner{Now: tick, Report: func(ops.StepDone) {
			if writes--; writes == 0 {
				cancel()
			}
		}})
		if errors.Is(err, context.Canceled) {
			return
		}
		if writes <= 0 {
			return
		}
		must.Succeed(t, err)
	}
}

// The same cloud gives the same story, line by line.
func TestTransitionIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	tell := func(s *cloud.Snapshot) (out []string) {
		g := &stage{s}
		play(t, g, func(_ int, st demo.Step, p demo.StepResult) {
			out = append(append(out, st.Did(p)), st.Facts(p.After)...)
			for _, w := range p.Taken {
				out = append(out, fmt.Sprint(w.Title, w.Holdings))
			}
			out = append(out, fmt.Sprint(st.Where(p.After)))
		})
		return out
	}
	must.Match(t, tell(made(t, demo.Options{Seed: 1})), tell(build(t, demo.Options{Seed: 1})))
}

func TestTransitionIsRefused(t *testing.T) {
	t.Parallel()
	sc := script(t)
	played := &stage{made(t, demo.Options{})}
	play(t, played, func(int, demo.Step, demo.StepResult) {})
	upgraded := &stage{made(t, demo.Options{})}
	for _, st := range sc.Steps {
		if st.Name == "upgrade" {
			must.Get(st.Play(t.Context(), upgraded, ops.Runner{Now: clock()}))(t)
		}
	}
	for name, tc := range map[string]struct {
		s    *cloud.Snapshot
		want string
	}{
		"no made-up cloud":   {cloud.Empty(), "made-up cloud only"},
		"a small one":        {made(t, demo.Options{Hosts: 2}), "has no flavor"},
		"an upgraded one":    {upgraded.snap, "is upgraded already"},
		"one that was shown": {played.snap, ""},
	} {
		err := sc.Ready(tc.s)
		if tc.want == "" && err != nil || tc.want != "" && (!errors.Is(err, placement.ErrUnsupported) || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// If something that the story needs is gone, the error names it.
func TestTransitionNamesWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	g := &stage{made(t, demo.Options{})}
	sc, tick := script(t), clock()
	o := ops.Runner{Now: tick}
	for _, st := range sc.Steps {
		_, err := st.Play(t.Context(), g, o)
		if st.Name == "check" {
			must.Succeed(t, o.Run(t.Context(), g, ops.Terminate{Instance: moved(t, g.snap)}))
		}
		if st.Name == "fix" {
			if !errors.Is(err, placement.ErrNotFound) || !strings.Contains(err.Error(), "render-node-9") {
				t.Errorf("the fix of what is gone: %v", err)
			}
			return
		}
		must.Succeed(t, err)
	}
}

// moved returns the instance whose claim was moved by hand.
func moved(t *testing.T, s *cloud.Snapshot) placement.ConsumerID {
	t.Helper()
	for i := range s.Nova().Instances() {
		if i.Name == "render-node-9" {
			return i.UUID
		}
	}
	t.Fatal("render-node-9 is not there")
	return placement.ConsumerID{}
}
