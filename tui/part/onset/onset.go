// Package onset finds out since when what is wrong with a cloud is so, by its
// journal, for the screens that show findings.
//
// That takes reading, and undoing what the journal tells on a copy, so it is done
// off the event loop and in pieces: a screen asks about what is seen first, shows
// what is known, and asks on.
//
//	screen --Inquiry, in a screen.Task--> Answers --Learn--> Known --> cells, orders
package onset

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// Onset is since when a finding stands. The zero value is that of one of which the
// journal, read to its start, tells nothing.
type Onset struct {
	Event  cloud.Event // that brought it about; revision 0 where the journal does not tell
	Before time.Time   // where it does not: a moment at which it stood; zero where none is known
	Read   int         // events of the journal after Before
}

// Age returns how long ago it began: "4m", ">3d" where it is older than that, "-"
// where nothing tells.
func (o Onset) Age(now time.Time) string {
	switch {
	case o.Event.Revision > 0:
		return panel.Age(now, o.Event.At)
	case !o.Before.IsZero():
		return ">" + panel.Age(now, o.Before)
	}
	return "-"
}

// At returns when it began, or a time at which it had; zero where nothing tells.
func (o Onset) At() time.Time {
	if o.Event.Revision > 0 {
		return o.Event.At
	}
	return o.Before
}

// of returns since when a finding stands on s, by the events up to it.
func of(s *cloud.Snapshot, f audit.Finding, events []cloud.Event) Onset {
	if ev, ok := audit.Since(s, f, events); ok {
		return Onset{Event: ev}
	}
	for i, ev := range events {
		if ev.Omitted > 0 || i == len(events)-1 && ev.Revision > 1 {
			return Onset{Before: ev.At, Read: i + 1} // it stood after that, and further back nothing is known
		}
	}
	return Onset{}
}

// ID names a finding among all of a cloud.
func ID(f audit.Finding) string { return string(f.Rule) + " " + f.Key() }

// Known is since when findings stand. What it holds is no longer changed, so that
// rows may be sorted by it off the event loop. The zero value knows nothing.
type Known struct {
	all atomic.Pointer[onsets]
}

// onsets are those of findings by their ID, and of rules.
type onsets struct {
	findings map[string]Onset
	rules    map[audit.RuleID]Onset
}

// Of returns since when a finding stands, false where that is not known yet.
func (k *Known) Of(f audit.Finding) (Onset, bool) {
	all := k.all.Load()
	if all == nil {
		return Onset{}, false
	}
	o, ok := all.findings[ID(f)]
	return o, ok
}

// OfRule returns since when a rule has found something: that of the oldest of its
// findings. While not all of them are known it is a bound: it stands at least so
// long. It is false where none is known yet.
func (k *Known) OfRule(id audit.RuleID) (Onset, bool) {
	all := k.all.Load()
	if all == nil {
		return Onset{}, false
	}
	o, ok := all.rules[id]
	return o, ok
}

// Unknown returns those of findings of which it is not known since when they stand.
func (k *Known) Unknown(found []audit.Finding) []audit.Finding {
	var out []audit.Finding
	for _, f := range found {
		if _, ok := k.Of(f); !ok {
			out = append(out, f)
		}
	}
	return out
}

// Learn adds what was found out. Standing are all findings that there are: the
// others are forgotten, so that they begin again when they come back.
func (k *Known) Learn(found map[string]Onset, standing []audit.Finding) {
	all := &onsets{findings: map[string]Onset{}, rules: map[audit.RuleID]Onset{}}
	open := map[audit.RuleID]bool{} // rules of which a finding may be older than what is known
	for _, f := range standing {
		o, ok := found[ID(f)]
		if !ok {
			o, ok = k.Of(f)
		}
		if !ok {
			open[f.Rule] = true
			continue
		}
		all.findings[ID(f)] = o
		open[f.Rule] = open[f.Rule] || o.Event.Revision == 0
		if oldest, ok := all.rules[f.Rule]; !ok || older(o, oldest) {
			all.rules[f.Rule] = o
		}
	}
	for id, o := range all.rules {
		if open[id] && o.Event.Revision > 0 {
			all.rules[id] = Onset{Before: o.Event.At}
		}
	}
	k.all.Store(all)
}

// older reports whether a tells of an earlier time than b; one that tells nothing
// never does.
func older(a, b Onset) bool {
	return !a.At().IsZero() && (b.At().IsZero() || a.At().Before(b.At()))
}

// Inquiry is what the journal is asked.
type Inquiry struct {
	Of    *cloud.Snapshot
	Found []audit.Finding // that stand on it, the most wanted first
	Read  screen.Recent   // of the journal before
}

// Answers is what it said.
type Answers struct {
	screen.Recent                  // what was read for it
	Begun         map[string]Onset // by ID
}

// pieceTime is how long a piece of work goes on: what it found is then shown, and the next
// one begins.
const pieceTime = 50 * time.Millisecond

// Ask reads on in the journal, and finds out since when the findings stand, in their
// order: the first one, and as many after it as there is time for.
func (q Inquiry) Ask(ctx context.Context, env screen.Env) Answers {
	out := Answers{Begun: map[string]Onset{}}
	began := env.Clock()
	out.Recent = env.ReadOn(ctx, q.Of.Revision(), q.Read, screen.RecentEvents, screen.RecentWhole)
	if out.Fault != nil {
		return out
	}
	for i, f := range q.Found {
		if i > 0 && (ctx.Err() != nil || env.Clock().Sub(began) > pieceTime) {
			break
		}
		if _, ok := out.Begun[ID(f)]; !ok {
			out.Begun[ID(f)] = of(q.Of, f, out.Events)
		}
	}
	return out
}
