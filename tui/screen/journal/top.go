package journal

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// top draws how much happened when: a cell for each equal step of time, from the oldest
// event of the list to the end, named last; below it, from when to when that is, and
// where row on is.
func top(all []*cloud.Event, on int, more bool, last string, a list.Area) []string {
	if len(all) < 2 || a.Width < 40 || a.Height < 10 {
		return nil
	}
	cells := a.Width - 2
	from := all[len(all)-1].At
	span := a.Now.Sub(from)
	if span <= 0 {
		return nil
	}
	counts := make([]float64, cells)
	highest := 1.0
	cell := func(at time.Time) int {
		return min(max(int(float64(at.Sub(from))/float64(span)*float64(cells)), 0), cells-1)
	}
	for _, ev := range all {
		i := cell(ev.At)
		counts[i]++
		highest = max(highest, counts[i])
	}
	spark := a.Line().Space(1)
	component.Spark(spark, cells, counts, highest)
	form := "15:04"
	if span > 24*time.Hour {
		form = "Jan _2 15:04"
	}
	first := from.UTC().Format(form)
	if more {
		first = "older " + first
	}
	below := a.Line().Space(1)
	if at := 1 + cell(all[max(on, 0)].At); on > 0 && at < len(first)+2 {
		below.To(at).Add(themes.Accent, "^")
	} else if below.Add(themes.Faint, first); on > 0 {
		below.To(at).Add(themes.Accent, "^")
	}
	if below.Left() > len(last)+2 {
		below.To(a.Width-1-len(last)).Add(themes.Faint, last)
	}
	return []string{spark.String(), below.String()}
}

// end returns the word for the end of the journal's timeline.
func end(env screen.Env) string {
	if _, past := env.Past(); past {
		return "then"
	}
	return "now"
}
