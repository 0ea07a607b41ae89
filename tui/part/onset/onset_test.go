package onset_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/onset"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
)

func finding(rule audit.RuleID, subject byte) audit.Finding {
	return audit.Finding{Rule: rule, Provider: placement.ProviderID{subject}}
}

// ago is the onset of a finding that an event brought about, or, with a revision of
// 0, of one that stood then already.
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
		"all known":        {map[string]onset.Onset{onset.ID(a): ago(time.Minute, 7), onset.ID(b): ago(time.Hour, 3), onset.ID(c): ago(2*time.Minute, 6)}, "1h"},
		"one not asked":    {map[string]onset.Onset{onset.ID(a): ago(time.Minute, 7), onset.ID(b): ago(time.Hour, 3)}, ">1h"},
		"one tells not":    {map[string]onset.Onset{onset.ID(a): ago(time.Minute, 7), onset.ID(b): {}, onset.ID(c): ago(time.Hour, 3)}, ">1h"},
		"one older":        {map[string]onset.Onset{onset.ID(a): ago(time.Minute, 7), onset.ID(b): ago(48*time.Hour, 0), onset.ID(c): ago(time.Hour, 3)}, ">2d"},
		"none tells":       {map[string]onset.Onset{onset.ID(a): {}, onset.ID(b): {}, onset.ID(c): {}}, "-"},
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
	k.Learn(map[string]onset.Onset{onset.ID(a): ago(time.Minute, 7), onset.ID(b): ago(time.Hour, 3)}, []audit.Finding{a, b})
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

// TestAskGoesOnInPieces asks about all that the demo has, under a clock that says
// that each look takes long.
func TestAskGoesOnInPieces(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	env := screentest.Env(c, screentest.Plain())
	now := screentest.Now()
	env.Clock = func() time.Time { now = now.Add(time.Second); return now }
	snap := c.Snapshot()
	all := audit.Find(snap)
	var k onset.Known
	var read screen.Recent
	for range all {
		unknown := k.Unknown(all)
		got := onset.Inquiry{Of: snap, Found: unknown, Read: read}.Ask(context.Background(), env)
		if got.Fault != nil || len(got.Begun) != 1 {
			t.Fatalf("a piece gave %d, fault %v", len(got.Begun), got.Fault)
		}
		read = got.Recent
		k.Learn(got.Begun, all)
	}
	for _, f := range all {
		o, ok := k.Of(f)
		want, told := audit.Since(snap, f, read.Events)
		if !ok || told && o.Event.Revision != want.Revision {
			t.Errorf("%s %s stands since %v, want revision %d", f.Rule, f.Subject, o, want.Revision)
		}
	}
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
	got := onset.Inquiry{Of: c.Snapshot(), Found: audit.Find(c.Snapshot())}.Ask(context.Background(), env)
	if !errors.Is(got.Fault, errBroken) || len(got.Begun) > 0 {
		t.Errorf("answers %v, fault %v", got.Begun, got.Fault)
	}
}
