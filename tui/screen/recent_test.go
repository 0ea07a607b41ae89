package screen_test

import (
	"context"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/screen"
)

// turning is a cloud of two revisions that is shown as of the first once its journal is
// read.
type turning struct {
	screen.Cloud

	turns, past bool
}

func (c *turning) Events(context.Context, cloud.EventQuery) ([]cloud.Event, error) {
	if c.past = c.turns; c.past {
		return []cloud.Event{{Revision: 1}}, nil
	}
	return []cloud.Event{{Revision: 2}, {Revision: 1}}, nil
}

func (c *turning) Past() (time.Time, bool) { return time.Time{}, c.past }

// TestReadOnTurns goes to the past while the journal is being read: what is read then is
// not shared with others.
func TestReadOnTurns(t *testing.T) {
	t.Parallel()
	var common screen.Common
	turns, other := screen.Env{Cloud: &turning{turns: true}, Common: &common}, screen.Env{Cloud: &turning{}, Common: &common}
	mine := turns.ReadOn(t.Context(), 2, screen.Recent{}, 9, 9)
	if got := other.ReadOn(t.Context(), 2, screen.Recent{}, 9, 9); len(got.Events) != 2 {
		t.Errorf("another sees %d events, %d of them from who looks at the past", len(got.Events), len(mine.Events))
	}
}

// imported is the journal of a cloud that was imported in events of many changes.
type imported struct {
	screen.Cloud

	each int // changes of an event
	read int // changes that were read
}

func (j *imported) Events(_ context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	var out []cloud.Event
	for rev := q.Until; rev > q.After && len(out) < q.Limit; rev-- {
		ev := cloud.Event{Revision: rev, Omitted: j.each}
		if j.each <= q.Small {
			ev.Changes, ev.Omitted = make([]versioned.Change, j.each), 0
			j.read += j.each
		}
		out = append(out, ev)
	}
	return out, nil
}

// TestReadOnIsBounded reads the journal after an import, and what comes later: the newest
// changes are kept, the rest is counted, and not much more is read than kept.
func TestReadOnIsBounded(t *testing.T) {
	t.Parallel()
	const most = 30_000
	j := &imported{each: 1000}
	env := screen.Env{Cloud: j}
	known := screen.Recent{}
	for _, until := range []cloud.Revision{600, 610, 700} {
		known = env.ReadOn(t.Context(), until, known, screen.RecentEvents, screen.RecentWhole)
		held := 0
		for _, ev := range known.Events {
			held += len(ev.Changes)
			if len(ev.Changes)+ev.Omitted != j.each {
				t.Fatalf("revision %d has %d changes, and %d more", ev.Revision, len(ev.Changes), ev.Omitted)
			}
		}
		if len(known.Events) != int(until) || held != most || len(known.Events[0].Changes) == 0 {
			t.Errorf("at %d: %d events with %d changes, %d of the newest", until, len(known.Events), held, len(known.Events[0].Changes))
		}
	}
	if j.read > 7*most {
		t.Errorf("%d changes were read to keep %d", j.read, most)
	}
}
