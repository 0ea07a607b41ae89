package pulses

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/screen"
)

// claimedEvent is an event that changed the usage of VGPU from was to is.
func claimedEvent(rev cloud.Revision, at time.Time, was, is int64) cloud.Event {
	record := func(n int64) versioned.Record {
		if n == 0 {
			return nil
		}
		return &placement.ConsumerRecord{Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{{}: {placement.VGPU: n}}}
	}
	return cloud.Event{Revision: rev, At: at, Changes: []versioned.Change{{Before: record(was), After: record(is)}}}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ago := func(h float64) time.Time { return now.Add(-time.Duration(h * float64(time.Hour))) }
	totals := insight.Summary{Classes: []insight.ClassTotal{{Class: placement.VGPU, Used: 5}}}
	series := func(n int, value func(hoursAgo int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = value(n - 1 - i)
		}
		return out
	}
	for name, test := range map[string]struct {
		events []cloud.Event
		want   []float64
	}{
		"nothing happened": {nil, series(24, func(int) float64 { return 5 })},
		"from the first one on": {
			[]cloud.Event{claimedEvent(2, ago(1.5), 2, 5), claimedEvent(1, ago(10.5), 0, 2)},
			series(24, func(h int) float64 {
				switch {
				case h < 2:
					return 5
				case h < 11:
					return 2
				}
				return 0
			}),
		},
		"the journal begins later": {
			[]cloud.Event{claimedEvent(9, ago(1.5), 2, 5), claimedEvent(8, ago(3.5), 1, 2)},
			series(4, func(h int) float64 {
				if h < 2 {
					return 5
				}
				return 2
			}),
		},
		"an import": {
			[]cloud.Event{claimedEvent(9, ago(1.5), 2, 5), {Revision: 8, At: ago(2.5), Omitted: 7000}, claimedEvent(7, ago(30), 0, 2)},
			series(3, func(h int) float64 {
				if h < 2 {
					return 5
				}
				return 2
			}),
		},
		"older than the span": {[]cloud.Event{claimedEvent(9, ago(30), 2, 5)}, series(24, func(int) float64 { return 5 })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := trace(totals, test.events, now, span)
			must.Match(t, test.want, h[placement.VGPU])
			for n := range 30 {
				if got := h.last(placement.VGPU, n); len(got) > min(n, steps) && n < steps {
					t.Errorf("last(%d) has %d values", n, len(got))
				} else if len(got) > 0 && got[len(got)-1] != 5 {
					t.Errorf("last(%d) does not end with what is used now: %v", n, got)
				}
			}
		})
	}
}

// journal is a Historian that counts its queries.
type journal struct {
	screen.Cloud

	asked []cloud.EventQuery
	fault error
}

func (j *journal) Events(_ context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	j.asked = append(j.asked, q)
	var out []cloud.Event
	for rev := q.Until; rev > q.After && len(out) < q.Limit; rev-- {
		out = append(out, cloud.Event{Revision: rev})
	}
	return out, j.fault
}

func TestReadOn(t *testing.T) {
	t.Parallel()
	var j journal
	env := screen.Env{Cloud: &j}
	read := func(until cloud.Revision, known screen.Recent, asks int) screen.Recent {
		t.Helper()
		j.asked = nil
		read := env.ReadOn(t.Context(), until, known, screen.RecentEvents, screen.RecentWhole)
		if read.Fault != nil || len(j.asked) != asks {
			t.Fatalf("asks %d times, want %d: %v", len(j.asked), asks, read.Fault)
		}
		for i, ev := range read.Events {
			if ev.Revision != until-cloud.Revision(i) {
				t.Fatalf("event %d is of revision %d, want %d", i, ev.Revision, until-cloud.Revision(i))
			}
		}
		return read
	}
	known := read(100, screen.Recent{}, 2)
	read(100, known, 0)
	known = read(103, known, 1)
	if len(known.Events) != 103 || j.asked[0].After != 100 {
		t.Errorf("has %d events, asked %+v", len(known.Events), j.asked)
	}
	if known = read(2100, known, 32); len(known.Events) != screen.RecentEvents {
		t.Errorf("has %d events", len(known.Events))
	}
	if known = read(90_000, known, 32); len(known.Events) != screen.RecentEvents { // what is in between is unknown
		t.Errorf("has %d events", len(known.Events))
	}
	j.fault = errors.New("closed")
	if got := env.ReadOn(t.Context(), 90_001, known, screen.RecentEvents, screen.RecentWhole); got.Fault == nil || len(got.Events) != len(known.Events) {
		t.Errorf("of a broken journal %d events are kept: %v", len(got.Events), got.Fault)
	}
}
