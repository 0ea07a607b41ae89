package panel

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// Trail is what a journal says about how much of each provider was used when. It is made
// once for a Snapshot; any goroutine may read it.
type Trail struct {
	until *placement.Snapshot // the usage at its end
	since time.Time           // nothing is known before that
	of    map[placement.ProviderID][]usageChange
}

// usageChange is a change in the usage of a class at some moment.
type usageChange struct {
	at    time.Time
	class placement.ResourceClass
	more  int64
}

// NewTrail reads the events up to a Snapshot, the newest first, as far as they come with
// their changes.
func NewTrail(until *placement.Snapshot, events []cloud.Event) *Trail {
	t := &Trail{until: until, of: map[placement.ProviderID][]usageChange{}}
	for _, ev := range events {
		if ev.Omitted > 0 {
			break
		}
		t.since = ev.At.Add(-1) // as it was just before
		for _, c := range ev.Changes {
			t.add(ev.At, c.After, 1)
			t.add(ev.At, c.Before, -1)
		}
	}
	return t
}

// add adds what the record of a consumer holds from at on or, with sign -1, until then.
func (t *Trail) add(at time.Time, r versioned.Record, sign int64) {
	c, ok := r.(*placement.ConsumerRecord)
	if !ok {
		return
	}
	for p, held := range c.Allocations {
		turns := t.of[p]
		for class, n := range held {
			same := func(x usageChange) bool { return x.class == class && x.at.Equal(at) }
			if i := slices.IndexFunc(turns, same); i >= 0 {
				turns[i].more += sign * n
			} else {
				turns = append(turns, usageChange{at, class, sign * n})
			}
		}
		t.of[p] = turns
	}
}

const (
	// mostTrail is how far back a trail is shown.
	mostTrail = 7 * 24 * time.Hour
	// leastTold is the least width of the amounts and gaps of a line, in cells.
	leastTold = 33
)

// Lines says on lines of w cells how the use of a provider has changed, a line for each
// class of which it did:
//
//	VGPU  ▃▃▃▃▃▃▃▃▃▃▃▃▅▅▅▅▅▅▅▅▅▅▅▇▇▇▇▇▇▇█  5 > 9 in 4d
func (t *Trail) Lines(st *style.Styles, s *placement.Snapshot, p *placement.ResourceProvider, now time.Time, w int) []string {
	if t == nil || t.since.IsZero() {
		return nil
	}
	span := min(now.Sub(t.since), mostTrail)
	name := min(max(w/5, 9), 24)
	most := min(max(w-name-leastTold, 8), 60)
	var lines []string
	l := component.NewLine(st, w)
	for _, iu := range p.Inventories() {
		class := s.ClassName(iu.Class)
		series := t.series(p.ID(), iu, class, now, span, most)
		if series == nil {
			continue
		}
		l.Reset(w).Space(2).Column(name, themes.Text, string(class)).Space(1)
		component.Spark(l, most, series, max(slices.Max(series), float64(iu.Capacity()), 1))
		l.Space(2).Add(themes.Dim, component.Count(series[0])+" > ").Add(themes.Text, component.Count(iu.Used))
		lines = append(lines, l.Add(themes.Dim, " in "+component.Age(span)).String())
	}
	return lines
}

// series returns the usage at the ends of n equal steps up to now, nil if it was
// constant. What has changed since the end of the trail counts as changed now.
func (t *Trail) series(p placement.ProviderID, iu placement.InventoryUsage, class placement.ResourceClass, now time.Time, span time.Duration, n int) []float64 {
	turns, level := t.of[p], iu.Used
	if then, ok := t.until.Provider(p); ok {
		if was, ok := then.Inventory(iu.Class); ok {
			level = was.Used
		}
	}
	out, changed := make([]float64, n), level != iu.Used
	for i := range n {
		end := now.Add(-span * time.Duration(i) / time.Duration(n-1))
		for ; len(turns) > 0 && turns[0].at.After(end); turns = turns[1:] {
			if turns[0].class == class {
				level -= turns[0].more
				changed = changed || turns[0].more != 0
			}
		}
		out[n-1-i] = float64(level)
	}
	if !changed {
		return nil
	}
	out[n-1] = float64(iu.Used)
	return out
}
