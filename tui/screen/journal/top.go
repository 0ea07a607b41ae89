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
// event of the list to what last is the word for.
func top(all []*cloud.Event, more bool, last string, a list.Area) []string {
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
	for _, ev := range all {
		i := min(max(int(float64(ev.At.Sub(from))/float64(span)*float64(cells)), 0), cells-1)
		counts[i]++
		highest = max(highest, counts[i])
	}
	spark := a.Line().Space(1)
	component.Spark(spark, cells, counts, 0, highest)
	return []string{spark.String(), axis(from, span, more, last, a)}
}

// end is the word for the time at which the line of the journal ends.
func end(env screen.Env) string {
	if _, past := env.Past(); past {
		return "then"
	}
	return "now"
}

// axis names the ends and the quarters of the time that the line above it spans.
func axis(from time.Time, span time.Duration, more bool, last string, a list.Area) string {
	form := "15:04"
	if span > 24*time.Hour {
		form = "Jan _2"
	}
	first := from.UTC().Format(form)
	if more {
		first = "older " + first
	}
	l := a.Line().Space(1).Add(themes.Faint, first)
	for i := 1; i < 4; i++ {
		at := 1 + (a.Width-2)*i/4
		if at <= l.Pos()+1 {
			continue
		}
		l.To(at).Add(themes.Faint, from.Add(span*time.Duration(i)/4).UTC().Format(form))
	}
	return l.To(max(a.Width-1-len(last), l.Pos())).Add(themes.Faint, last).String()
}
