// Package onset finds out from the journal of a cloud since when its problems
// exist, for the screens that show findings.
//
// That takes reading the journal, and undoing its events on a copy, so it is done off the
// event loop and in pieces: a screen first asks about what is visible, shows what is
// known, and asks again.
//
//	screen --Inquiry, in a screen.Task--> Answers --Learn--> Known --> cells, orders
package onset

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// Onset is since when a finding exists. The zero value means that the journal, read to
// its start, says nothing about it.
type Onset struct {
	Event  cloud.Event // that caused it; revision 0 if the journal does not have it
	Before time.Time   // then: a moment at which it existed; zero if none is known
	Read   int         // events of the journal after Before
}

// Age returns how long ago it began: "4m", ">3d" where it is older than that, "-"
// if that is not known.
func (o Onset) Age(now time.Time) string {
	switch {
	case o.Event.Revision > 0:
		return panel.Age(now, o.Event.At)
	case !o.Before.IsZero():
		return ">" + panel.Age(now, o.Before)
	}
	return "-"
}

// At returns when it began, or a time at which it already existed; zero if neither is
// known.
func (o Onset) At() time.Time {
	if o.Event.Revision > 0 {
		return o.Event.At
	}
	return o.Before
}

// olderThan returns the onset of a finding that no known event caused.
func olderThan(events []cloud.Event) Onset {
	for i, ev := range events {
		if ev.Omitted > 0 || i == len(events)-1 && ev.Revision > 1 {
			return Onset{Before: ev.At, Read: i + 1} // it existed after that, and nothing is known of earlier times
		}
	}
	return Onset{}
}

// Known is since when findings exist. Its content is immutable and only replaced as a
// whole, so that rows can be sorted by it off the event loop. The zero value knows
// nothing.
type Known struct {
	all atomic.Pointer[onsets]
}

// onsets are those of findings by ID, and those of rules.
type onsets struct {
	findings map[string]Onset
	rules    map[audit.RuleID]Onset
}

// Of returns since when a finding exists; false if that is not known yet.
func (k *Known) Of(f audit.Finding) (Onset, bool) {
	all := k.all.Load()
	if all == nil {
		return Onset{}, false
	}
	o, ok := all.findings[f.ID()]
	return o, ok
}

// OfRule returns since when a rule has found something: the onset of its oldest finding.
// While not all of them are known, it may have begun earlier. It returns false if none is
// known yet.
func (k *Known) OfRule(id audit.RuleID) (Onset, bool) {
	all := k.all.Load()
	if all == nil {
		return Onset{}, false
	}
	o, ok := all.rules[id]
	return o, ok
}

// Unknown returns those of found whose onset is not known.
func (k *Known) Unknown(found []audit.Finding) []audit.Finding {
	var out []audit.Finding
	for _, f := range found {
		if _, ok := k.Of(f); !ok {
			out = append(out, f)
		}
	}
	return out
}

// Learn adds what was found out. Standing are all existing findings: the others are
// forgotten, so that they begin again when they come back.
func (k *Known) Learn(found map[string]Onset, standing []audit.Finding) {
	all := &onsets{findings: map[string]Onset{}, rules: map[audit.RuleID]Onset{}}
	open := map[audit.RuleID]bool{} // rules with findings that may be older than what is known
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

// older reports whether a is from an earlier time than b; an empty one never is.
func older(a, b Onset) bool {
	return !a.At().IsZero() && (b.At().IsZero() || a.At().Before(b.At()))
}

// Inquiry is a question to the journal.
type Inquiry struct {
	Of    *cloud.Snapshot
	Found []audit.Finding // that exist on it, the most wanted first
	Read  screen.Recent   // what is known of the journal already
	By    *Searcher
}

// Answers are the journal's answers so far.
type Answers struct {
	screen.Recent                  // what was read for it
	Begun         map[string]Onset // by ID
}

// Searcher keeps a search from one Inquiry to the next, which continues where it ended,
// even if its answer was not wanted any more. Dashboards of one cloud share one, of which
// each piece of work serves all; one that is paused on an older Snapshot searches alone.
// The zero value has searched nothing.
type Searcher struct {
	mu     sync.Mutex
	last   *search
	common atomic.Pointer[Searcher] // held here, as it is kept only as long as somebody does
}

// commonKey is the key of the common Searcher.
type commonKey struct{}

// lock returns the Searcher to be used for a revision, locked: the common one, unless that
// searches for what has happened since, or there is none.
func (s *Searcher) lock(env screen.Env, of cloud.Revision) *Searcher {
	if shared := env.Shared(); shared != nil {
		common := screen.Share(shared, commonKey{}, func(*Searcher) bool { return true }, func() *Searcher { return new(Searcher) })
		s.common.Store(common)
		common.mu.Lock()
		if common.last == nil || common.last.of <= of {
			return common
		}
		common.mu.Unlock()
	}
	s.mu.Lock()
	return s
}

// search is the state of a search of the journal for what caused findings.
type search struct {
	*audit.Origins                  // nil once it is over
	of             cloud.Revision   // of the cloud when it began
	events         []cloud.Event    // being searched
	told           []audit.Finding  // whose onset is known
	begun          map[string]Onset // of told, by ID
}

// found notes what a search has found out about some findings.
func (s *search) found(some []audit.Finding, o Onset) {
	s.told = append(s.told, some...)
	for _, f := range some {
		s.begun[f.ID()] = o
	}
}

// pieceTime is how long a piece of work takes: then its result is shown, and the next
// piece begins.
const pieceTime = 50 * time.Millisecond

// Ask reads more of the journal, and goes back through it, until time is up, to find out
// since when the findings exist. A search that includes the most wanted of them
// continues, although the cloud has changed since it began.
func (q Inquiry) Ask(ctx context.Context, env screen.Env) Answers {
	var out Answers
	began := env.Clock()
	out.Recent = env.ReadOn(ctx, q.Of.Revision(), q.Read, screen.RecentEvents, screen.RecentWhole)
	if out.Fault != nil || len(q.Found) == 0 {
		return out
	}
	by := q.By.lock(env, q.Of.Revision())
	defer by.mu.Unlock()
	if !by.last.answers(q) {
		by.last = q.after(by.last, out.Events)
	}
	s := by.last
	for s.Origins != nil {
		ev, begun, ok := s.Back()
		if !ok {
			s.found(s.Open(), olderThan(s.events))
			s.Origins = nil
			break
		}
		s.found(begun, Onset{Event: ev})
		if ctx.Err() != nil || env.Clock().Sub(began) > pieceTime {
			break
		}
	}
	out.Begun = maps.Clone(s.begun)
	out.cameBack(ctx, q.Of, s.told, s.of)
	return out
}

// answers reports whether the search is about the most wanted finding of q. One that is
// over answers only for its own revision: what happened since is found out faster anew.
func (s *search) answers(q Inquiry) bool {
	if s == nil || s.of > q.Of.Revision() || s.Origins == nil && s.of < q.Of.Revision() {
		return false
	}
	_, begun := s.begun[q.Found[0].ID()]
	return begun || s.Origins != nil && slices.ContainsFunc(s.Open(), q.Found[0].Same)
}

// after returns a new search, which is also about what the last one has not found out yet:
// otherwise two dashboards could end each other's searches for ever. It keeps the answers
// if the cloud has not changed since.
func (q Inquiry) after(last *search, events []cloud.Event) *search {
	s := &search{of: q.Of.Revision(), events: events, begun: map[string]Onset{}}
	found := q.Found
	if last != nil && last.Origins != nil {
		found = slices.Concat(found, slices.DeleteFunc(last.Open(), func(f audit.Finding) bool { return slices.ContainsFunc(found, f.Same) }))
	}
	if last != nil && last.of == s.of {
		s.told, s.begun = last.told, last.begun
	}
	s.Origins = audit.NewOrigins(q.Of, found, events)
	return s
}

// cameBack corrects the onsets of findings that went away and came back after the
// revision at which the search for them began.
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
