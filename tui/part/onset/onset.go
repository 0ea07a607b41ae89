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
	"slices"
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

// olderThan returns since when a finding stands that no event is known to have brought about.
func olderThan(events []cloud.Event) Onset {
	for i, ev := range events {
		if ev.Omitted > 0 || i == len(events)-1 && ev.Revision > 1 {
			return Onset{Before: ev.At, Read: i + 1} // it stood after that, and further back nothing is known
		}
	}
	return Onset{}
}

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
	o, ok := all.findings[f.ID()]
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

// Learn adds what was found out. Standing are all findings: the
// others are forgotten, so that they begin again when they come back.
func (k *Known) Learn(found map[string]Onset, standing []audit.Finding) {
	all := &onsets{findings: map[string]Onset{}, rules: map[audit.RuleID]Onset{}}
	open := map[audit.RuleID]bool{} // rules of which a finding may be older than what is known
	for _, f := range standing {
		o, ok := found[f.ID()]
		if !ok {
			o, ok = k.Of(f)
		}
		if !ok {
			open[f.Rule] = true
			continue
		}
		all.findings[f.ID()] = o
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

// older reports whether a tells about an earlier time than b; one that tells nothing
// never does.
func older(a, b Onset) bool {
	return !a.At().IsZero() && (b.At().IsZero() || a.At().Before(b.At()))
}

// Inquiry is what the journal is asked.
type Inquiry struct {
	Of    *cloud.Snapshot
	Found []audit.Finding // that stand on it, the most wanted first
	Last  Answers         // to the inquiry before
}

// Answers is what it said so far.
type Answers struct {
	screen.Recent                  // what was read for it
	Begun         map[string]Onset // by ID

	search *search // that goes on; nil where it is over
}

// HandOn returns a for the next Inquiry, which goes on where it ended: only the first one
// after it does, as it runs off the event loop.
func (a *Answers) HandOn() Answers {
	out := *a
	a.search = nil
	return out
}

// search is how far back the journal was searched for what brought findings about.
type search struct {
	*audit.Origins
	of     cloud.Revision // of the cloud on which it began
	events []cloud.Event  // that are searched
}

// pieceTime is how long a piece of work goes on: what it found is then shown, and the next
// one begins.
const pieceTime = 50 * time.Millisecond

// Ask reads on in the journal, and goes back through it, until time is up, to find out
// since when the findings stand. A search that includes the most wanted of them goes on,
// though the cloud has changed since it began.
func (q Inquiry) Ask(ctx context.Context, env screen.Env) Answers {
	out := Answers{Begun: map[string]Onset{}, search: q.Last.search}
	began := env.Clock()
	out.Recent = env.ReadOn(ctx, q.Of.Revision(), q.Last.Recent, screen.RecentEvents, screen.RecentWhole)
	if out.Fault != nil || len(q.Found) == 0 {
		return out
	}
	s := out.search
	if s == nil || s.of > q.Of.Revision() || !slices.ContainsFunc(s.Open(), q.Found[0].Same) {
		s = &search{audit.NewOrigins(q.Of, q.Found, out.Events), q.Of.Revision(), out.Events}
		out.search = s
	}
	var told []audit.Finding
	for i := 0; i == 0 || ctx.Err() == nil && env.Clock().Sub(began) <= pieceTime; i++ {
		ev, begun, ok := s.Back()
		for _, f := range begun {
			out.Begun[f.ID()] = Onset{Event: ev}
		}
		told = append(told, begun...)
		if !ok {
			for _, f := range s.Open() {
				out.Begun[f.ID()] = olderThan(s.events)
			}
			told = append(told, s.Open()...)
			out.search = nil
			break
		}
	}
	out.cameBack(ctx, q.Of, told, s.of)
	return out
}

// cameBack corrects since when those findings stand that have gone since a revision, at which
// the search for them began, and have come back.
func (a *Answers) cameBack(ctx context.Context, of *cloud.Snapshot, told []audit.Finding, after cloud.Revision) {
	origins := audit.NewOrigins(of, told, a.Events)
	for of.Revision() > after && ctx.Err() == nil {
		ev, begun, ok := origins.Back()
		if !ok || ev.Revision <= after {
			return
		}
		for _, f := range begun {
			a.Begun[f.ID()] = Onset{Event: ev}
		}
	}
}
