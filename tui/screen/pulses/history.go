package pulses

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

const (
	// span is how far back the sparklines go.
	span = 24 * time.Hour

	// steps is how many steps a history has.
	steps = 24
)

// history is the usage of each class at the end of equal steps of time, oldest first; the
// last one is now. It is shorter than steps if the journal does not go back far enough.
type history map[placement.ResourceClass][]float64

// trace goes back from the current usage through events and returns the usage over time,
// in steps of span. Events come newest first. It ends at an event without its changes,
// and at the end of the events, unless they go back to the first one.
func trace(totals insight.Summary, events []cloud.Event, now time.Time, span time.Duration) history {
	h := history{}
	level := map[placement.ResourceClass]int64{}
	for _, c := range totals.Classes {
		level[c.Class] = c.Used
		h[c.Class] = make([]float64, steps)
	}
	i := 0
	known := func(end time.Time) bool {
		for ; i < len(events) && events[i].At.After(end); i++ {
			if events[i].Omitted > 0 {
				return false
			}
			for _, c := range events[i].Changes {
				addUsed(level, c.Before, 1)
				addUsed(level, c.After, -1)
			}
		}
		return i < len(events) || len(events) == 0 || events[i-1].Revision == 1
	}
	for step := steps - 1; step >= 0; step-- {
		if !known(now.Add(-span * time.Duration(steps-1-step) / steps)) {
			for class, series := range h {
				h[class] = series[step+1:]
			}
			break
		}
		for class, series := range h {
			series[step] = float64(level[class])
		}
	}
	return h
}

// addUsed adds what a consumer's record uses to level, times sign.
func addUsed(level map[placement.ResourceClass]int64, r versioned.Record, sign int64) {
	c, ok := r.(*placement.ConsumerRecord)
	if !ok {
		return
	}
	for _, of := range c.Allocations {
		for class, n := range of {
			level[class] += sign * n
		}
	}
}

// leastKnown is how many steps of a day must be known for showing a day: otherwise the
// last hour is shown.
const leastKnown = steps / 6

// known returns for how many steps the usage is known.
func (h history) known() int {
	for _, series := range h {
		return len(series)
	}
	return 0
}

// last returns the history of a class in n steps, fewer if it is shorter.
func (h history) last(class placement.ResourceClass, n int) []float64 {
	series := h[class]
	if n >= steps {
		return series
	}
	var out []float64
	for i := range n {
		back := i * steps / n
		if back >= len(series) {
			break
		}
		out = append(out, series[len(series)-1-back])
	}
	slices.Reverse(out)
	return out
}
