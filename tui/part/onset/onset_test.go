package onset_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/onset"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
)

func finding(rule audit.RuleID, subject byte) audit.Finding {
	return audit.Finding{Rule: rule, Provider: placement.ProviderID{subject}}
}

// ago is the onset of a finding that an event caused or, with revision 0, of one that
// already existed then.
func ago(d time.Duration, revision cloud.Revision) onset.Onset {
	at := screentest.Now().Add(-d)
	if revision == 0 {
		return onset.Onset{Before: at}
	}
	return onset.Onset{Event: cloud.Event{Revision: revision, At: at}}
}

func TestRulesStandSinceTheirOldestFinding(t *testing.T) {
	t.Parallel()
	a, b, c := finding("x01", 1), finding("x01", 2), finding("x01", 3)
	for name, test := range map[string]struct {
		found map[string]onset.Onset
		want  string
	}{
		"all known":        {map[string]onset.Onset{a.ID(): ago(time.Minute, 7), b.ID(): ago(time.Hour, 3), c.ID(): ago(2*time.Minute, 6)}, "1h"},
		"one not asked":    {map[string]onset.Onset{a.ID(): ago(time.Minute, 7), b.ID(): ago(time.Hour, 3)}, ">1h"},
		"one tells not":    {map[string]onset.Onset{a.ID(): ago(time.Minute, 7), b.ID(): {}, c.ID(): ago(time.Hour, 3)}, ">1h"},
		"one older":        {map[string]onset.Onset{a.ID(): ago(time.Minute, 7), b.ID(): ago(48*time.Hour, 0), c.ID(): ago(time.Hour, 3)}, ">2d"},
		"none tells":       {map[string]onset.Onset{a.ID(): {}, b.ID(): {}, c.ID(): {}}, "-"},
		"nothing is known": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var k onset.Known
			k.Learn(test.found, []audit.Finding{a, b, c})
			got := ""
			if o, ok := k.OfRule("x01"); ok {
				got = o.Age(screentest.Now())
			}
			must.Be(t, got, test.want)
		})
	}
}

func TestWhatIsGoneIsForgotten(t *testing.T) {
	t.Parallel()
	a, b := finding("x01", 1), finding("x02", 2)
	var k onset.Known
	k.Learn(map[string]onset.Onset{a.ID(): ago(time.Minute, 7), b.ID(): ago(time.Hour, 3)}, []audit.Finding{a, b})
	k.Learn(nil, []audit.Finding{b})
	if _, ok := k.Of(a); ok {
		t.Error("a finding that is gone is still known")
	}
	if o, ok := k.Of(b); !ok || o.Event.Revision != 3 {
		t.Errorf("a finding that stands is %v, %v", o, ok)
	}
	if got := k.Unknown([]audit.Finding{a, b}); len(got) != 1 || !got[0].Same(a) {
		t.Errorf("unknown are %v", got)
	}
}

// slowly returns an environment in which each look at the clock takes a second, so that a
// piece of work is one event.
func slowly(c *screentest.Cloud) screen.Env {
	env := screentest.Env(c, screentest.Plain())
	now := screentest.Now()
	env.Clock = func() time.Time { now = now.Add(time.Second); return now }
	return env
}

// TestAskGoesOnInPieces asks about everything in the demo, piece by piece.
func TestAskGoesOnInPieces(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	env := slowly(c)
	snap := c.Snapshot()
	all := audit.Find(snap)
	var k onset.Known
	var got onset.Answers
	var by onset.Searcher
	pieces := 0
	for ; len(k.Unknown(all)) > 0; pieces++ {
		got = onset.Inquiry{Of: snap, Found: k.Unknown(all), Read: got.Recent, By: &by}.Ask(context.Background(), env)
		must.Succeed(t, got.Fault)
		k.Learn(got.Begun, all)
	}
	if n := len(got.Events); pieces < n/2 || pieces > n+1 {
		t.Errorf("%d pieces for %d events, want one for each", pieces, n)
	}
	for _, f := range all {
		o, _ := k.Of(f)
		origins := audit.NewOrigins(snap, []audit.Finding{f}, got.Events)
		for ev, begun, ok := origins.Back(); ok; ev, begun, ok = origins.Back() {
			if len(begun) > 0 && o.Event.Revision != ev.Revision {
				t.Errorf("%s %s stands since %v, want revision %d", f.Rule, f.Subject, o, ev.Revision)
			}
		}
		if len(origins.Open()) > 0 && o.Event.Revision != 0 {
			t.Errorf("%s %s stands since %v, want before all events", f.Rule, f.Subject, o)
		}
	}
}

// TestASearchThatNobodyWaitedForGoesOn asks in pieces, every other of which is dropped.
func TestASearchThatNobodyWaitedForGoesOn(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	env := slowly(c)
	all, snap := audit.Find(c.Snapshot()), c.Snapshot()
	dropped, drop := context.WithCancel(context.Background())
	defer drop()
	var k onset.Known
	var by onset.Searcher
	var got onset.Answers
	pieces := 0
	for ; len(k.Unknown(all)) > 0 && pieces < 1000; pieces++ {
		q := onset.Inquiry{Of: snap, Found: k.Unknown(all), Read: got.Recent, By: &by}
		if pieces%2 == 1 {
			drop()
			q.Ask(dropped, env)
			continue
		}
		got = q.Ask(context.Background(), env)
		k.Learn(got.Begun, all)
	}
	if n := len(got.Events); pieces > n+2 {
		t.Errorf("%d pieces for %d events, want one for each", pieces, n)
	}
}

// TestDashboardsSearchTogether has two dashboards of a cloud ask in turns, each about
// other findings first: the journal is gone through once or twice for both, not for each
// piece anew, and a third finds the answers.
func TestDashboardsSearchTogether(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	env := slowly(c)
	env.Common = new(screen.Common)
	snap := c.Snapshot()
	all := audit.Find(snap)
	last := slices.Clone(all)
	slices.Reverse(last)
	var by [3]onset.Searcher
	var known [3]onset.Known
	ask := func(i int, found []audit.Finding) (events int) {
		got := onset.Inquiry{Of: snap, Found: known[i].Unknown(found), By: &by[i]}.Ask(context.Background(), env)
		must.Succeed(t, got.Fault)
		known[i].Learn(got.Begun, all)
		return len(got.Events)
	}
	pieces, events := 0, 0
	for ; pieces < 2000 && len(known[0].Unknown(all[:3]))+len(known[1].Unknown(last[:3])) > 0; pieces++ {
		if found := [][]audit.Finding{all[:3], last[:3]}[pieces%2]; len(known[pieces%2].Unknown(found)) > 0 {
			events = ask(pieces%2, found)
		}
	}
	if pieces > 2*events+2 {
		t.Errorf("%d pieces for %d events, want one for each and search", pieces, events)
	}
	ask(2, all[:3])
	must.Be(t, len(known[2].Unknown(all[:3])), 0)
	for _, f := range all[:3] {
		here, _ := known[0].Of(f)
		there, _ := known[2].Of(f)
		must.Be(t, there.Event.Revision, here.Event.Revision)
	}
}

// TestAPausedDashboardSearchesAlone has a dashboard that is paused on an older Snapshot and
// one that is not ask in turns: neither begins the other's search anew, and the older one
// is told nothing about what came since.
func TestAPausedDashboardSearchesAlone(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	env := slowly(c)
	env.Common = new(screen.Common)
	paused := c.Snapshot()
	p := modeltest.Provider{Name: "lone", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}}
	must.Succeed(t, c.Do(p.Ops(placement.ProviderID{})...))
	came := c.Snapshot().Revision()
	for n := range 5 {
		must.Succeed(t, c.Do(modeltest.Provider{Name: fmt.Sprint("other-", n)}.Ops(placement.ProviderID{})...))
	}
	all := audit.FindBy(c.Snapshot(), audit.RuleNoOwner)
	lone := all[slices.IndexFunc(all, func(f audit.Finding) bool { return f.Provider == modeltest.ProviderID("lone") })].ID()
	var by [2]onset.Searcher
	var known [2]onset.Known
	pieces, events := 0, 0
	for unknown := 1; unknown > 0 && pieces < 2000; pieces++ {
		unknown = 0
		for i, snap := range []*cloud.Snapshot{c.Snapshot(), paused} {
			all := audit.Find(snap)
			got := onset.Inquiry{Of: snap, Found: known[i].Unknown(all), By: &by[i]}.Ask(context.Background(), env)
			must.Succeed(t, got.Fault)
			if o, ok := got.Begun[lone]; ok && o.Event.Revision != came {
				t.Fatalf("the dashboard at revision %d is told that the card stands alone since revision %d instead of %d", snap.Revision(), o.Event.Revision, came)
			}
			known[i].Learn(got.Begun, all)
			unknown += len(known[i].Unknown(all))
			events = max(events, len(got.Events))
		}
	}
	if pieces > events+2 {
		t.Errorf("%d pieces for %d events", pieces, events)
	}
}

// lone is a cloud with a card without an owner, followed by events that take a search a
// while.
func lone(t *testing.T) (c *screentest.Cloud, card placement.ProviderID) {
	t.Helper()
	c = screentest.NewCloud(cloud.Empty())
	p := modeltest.Provider{Name: "lone", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}}
	must.Succeed(t, c.Do(p.Ops(placement.ProviderID{})...))
	for n := range 5 {
		must.Succeed(t, c.Do(modeltest.Provider{Name: fmt.Sprint("other-", n)}.Ops(placement.ProviderID{})...))
	}
	return c, modeltest.ProviderID("lone")
}

// search asks in pieces of one event each, and calls meanwhile between the first two.
func search(t *testing.T, c *screentest.Cloud, meanwhile func()) map[string]onset.Onset {
	t.Helper()
	env := slowly(c)
	var got onset.Answers
	var by onset.Searcher
	for n := 0; len(got.Begun) == 0 && n < 20; n++ {
		if n == 1 {
			meanwhile()
		}
		snap := c.Snapshot()
		got = onset.Inquiry{Of: snap, Found: audit.FindBy(snap, audit.RuleNoOwner), Read: got.Recent, By: &by}.Ask(context.Background(), env)
		must.Succeed(t, got.Fault)
	}
	return got.Begun
}

// TestWhatCameBackBeganThen has a finding end and come back while its cause is being
// searched for.
func TestWhatCameBackBeganThen(t *testing.T) {
	t.Parallel()
	c, card := lone(t)
	begun := search(t, c, func() {
		for _, traits := range [][]placement.Trait{{placement.OwnerNova}, nil} {
			must.Succeed(t, c.Do(placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: traits}))
		}
	})
	for _, o := range begun {
		must.Be(t, o.Event.Revision, c.Snapshot().Revision())
	}
	must.Be(t, len(begun), 1)
}

// broken is a cloud whose journal cannot be read.
type broken struct{ screen.Cloud }

var errBroken = errors.New("disk on fire")

func (broken) Events(context.Context, cloud.EventQuery) ([]cloud.Event, error) { return nil, errBroken }

func TestAskSaysWhyNot(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	env := screentest.Env(c, screentest.Plain())
	env.Cloud = broken{c}
	got := onset.Inquiry{Of: c.Snapshot(), Found: audit.Find(c.Snapshot()), By: new(onset.Searcher)}.Ask(context.Background(), env)
	if !errors.Is(got.Fault, errBroken) || len(got.Begun) > 0 {
		t.Errorf("answers %v, fault %v", got.Begun, got.Fault)
	}
}
