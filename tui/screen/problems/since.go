package problems

import (
	"context"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops/audit"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/list"
	"github.com/placetop/placetop/tui/screen/panel"
)

// beginning is since when a finding stands.
type beginning struct {
	event  cloud.Event // that brought it about; revision 0 where the journal does not tell
	before time.Time   // where it does not: how far back was read; zero where it was read to its start
	read   int         // events until then
}

// since returns how long ago it began: "4m", ">3d" where it is older than what was
// read of the journal, "-" where nothing tells.
func (b beginning) since(now time.Time) string {
	switch {
	case b.event.Revision > 0:
		return panel.Age(now, b.event.At)
	case !b.before.IsZero():
		return ">" + panel.Age(now, b.before)
	}
	return "-"
}

// at returns when it began, or a time after which it did not; zero where nothing
// tells.
func (b beginning) at() time.Time {
	if b.event.Revision > 0 {
		return b.event.At
	}
	return b.before
}

// known is since when findings stand, by the id of their row, and rules by that of
// theirs since the oldest of their findings. What it points to is not changed any
// more, so that rows can be sorted by it off the event loop.
type known struct {
	atomic.Pointer[map[string]beginning]
}

func (k *known) of(id string) (beginning, bool) {
	all := k.Load()
	if all == nil {
		return beginning{}, false
	}
	b, ok := (*all)[id]
	return b, ok
}

// learn adds what was found out, and forgets findings that no pass has any more:
// when they come back, they do so anew.
func (k *known) learn(found map[string]beginning, r *audit.Report) {
	all := map[string]beginning{}
	for _, some := range [][]audit.Noted{r.Open, r.Acknowledged, r.Muted} {
		for _, f := range some {
			id := rowID(f.Finding)
			b, ok := found[id]
			if !ok {
				b, ok = k.of(id)
			}
			if !ok {
				continue
			}
			all[id] = b
			if rule, ok := all[string(f.Rule)]; !ok || b.at().Before(rule.at()) {
				all[string(f.Rule)] = b
			}
		}
	}
	k.Store(&all)
}

// nearRows is how many rows around the cursor are asked since when they stand: as
// many as a screen has.
const nearRows = 50

// pieceTime is how long a piece of work goes on. What it found is then shown, and
// the next one begins.
const pieceTime = 50 * time.Millisecond

// inquiry is what the journal is asked.
type inquiry struct {
	pass   *screen.Inspection
	at     audit.Noted // under the cursor
	about  *dossier    // of that; nil where it is not known
	others []audit.Noted
	events []cloud.Event // that are known
	env    screen.Env
}

// answers is what it said.
type answers struct {
	pass   *screen.Inspection // that they are about; nil before the first
	events []cloud.Event
	fault  error // why the journal could not be read
	begun  map[string]beginning
	about  dossier // of the finding under the cursor
}

// ask reads on in the journal, and finds out what is not known: first about the
// finding under the cursor, then since when those around it stand, as many as there
// is time for.
func (q inquiry) ask(ctx context.Context, k *known) answers {
	out := answers{pass: q.pass, begun: map[string]beginning{}}
	began := q.env.Clock()
	out.events, out.fault = screen.ReadOn(ctx, q.env.Cloud, q.pass.Of.Revision(), q.events, journalEvents, wholeEvent)
	begin := func(f audit.Finding) beginning {
		if b, ok := k.of(rowID(f)); ok {
			return b
		}
		b := beginningOf(q.pass.Of, f, out.events)
		if out.fault == nil {
			out.begun[rowID(f)] = b
		}
		return b
	}
	if q.about != nil {
		out.about = *q.about
	} else {
		out.about = newDossier(q.pass.Of, q.at, out.events, began)
		out.about.began, out.about.fault = begin(q.at.Finding), out.fault
	}
	for _, f := range q.others {
		if ctx.Err() != nil || out.fault != nil || q.env.Clock().Sub(began) > pieceTime {
			break
		}
		begin(f.Finding)
	}
	return out
}

// beginningOf returns since when a finding stands on s, by the events up to it.
func beginningOf(s *cloud.Snapshot, f audit.Finding, events []cloud.Event) beginning {
	if ev, ok := audit.Since(s, f, events); ok {
		return beginning{event: ev}
	}
	for i, ev := range events {
		if ev.Omitted > 0 || i == len(events)-1 && ev.Revision > 1 {
			return beginning{before: ev.At, read: i + 1} // it stood after that, and further back nothing is known
		}
	}
	return beginning{}
}

// How much of the journal is read: events, and how many changes one may have to be
// read whole.
const (
	journalEvents = 2000
	wholeEvent    = 5000
)

// sinceOf returns since when a row stands, for its cell: an ellipsis while that is
// being found out.
func (s *Screen) sinceOf(r row, at list.At) string {
	b, ok := s.known.of(r.id)
	if !ok {
		return s.env.Styles.Glyphs.Ellipsis
	}
	return b.since(at.Now)
}

// inquire has the journal asked about what is seen and not known.
func (s *Screen) inquire() tea.Cmd {
	_, r, ok := s.Current()
	if !ok || s.asks.Busy() {
		return nil
	}
	_, near := s.Near(nearRows)
	near = append([]row{r}, near...)
	q := inquiry{pass: r.pass, at: r.first(), events: s.told.events, env: s.env}
	if s.told.pass == q.pass && s.told.about.id == rowID(q.at.Finding) {
		q.about = &s.told.about
	}
	for _, r := range near {
		for _, f := range r.found[:min(len(r.found), nearRows)] {
			if _, ok := s.known.of(rowID(f.Finding)); !ok {
				q.others = append(q.others, f)
			}
		}
	}
	if q.about != nil && (len(q.others) == 0 || s.told.fault != nil) {
		return nil
	}
	return s.asks.Start(s.env.Context, func(ctx context.Context) answers { return q.ask(ctx, &s.known) })
}
