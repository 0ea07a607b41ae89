package journal

import (
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// top draws how much happened when: a cell for each equal step of time, from the oldest
// event of the list to the end, named last; below it, the time of row on.
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
	var marks []tick
	if on > 0 && on < len(all) { // the newest is at the end of the line
		marks = append(marks, tick{1 + cell(all[on].At), "^" + strings.TrimSpace(panel.Clock(a.Now, all[on].At)), themes.Accent})
	}
	spark := a.Line().Space(1)
	component.Spark(spark, cells, counts, highest)
	return []string{spark.String(), axis(from, span, more, last, marks, a)}
}

// tick is a word below the line, from a cell on.
type tick struct {
	at    int
	text  string
	token themes.Token
}

// axis labels the ends and quarters of the time span of the line above, and first of all
// the marked time.
func axis(from time.Time, span time.Duration, more bool, last string, marks []tick, a list.Area) string {
	form := "15:04"
	if span > 24*time.Hour {
		form = "Jan _2"
	}
	first := from.UTC().Format(form)
	if more {
		first = "older " + first
	}
	ticks := marks
	add := func(at int, text string) {
		apart := func(t tick) bool { return t.at > at+len(text)+1 || at > t.at+len(t.text)+1 }
		for _, t := range ticks {
			if !apart(t) {
				return
			}
		}
		ticks = append(ticks, tick{at, text, themes.Faint})
	}
	for i := range ticks { // one at the end is left of it
		ticks[i].at = min(ticks[i].at, a.Width-1-len(ticks[i].text))
	}
	add(1, first)
	add(a.Width-1-len(last), last)
	for i := 1; i < 4; i++ {
		add(1+(a.Width-2)*i/4, from.Add(span*time.Duration(i)/4).UTC().Format(form))
	}
	slices.SortStableFunc(ticks, func(x, y tick) int { return x.at - y.at })
	l := a.Line()
	for _, t := range ticks {
		l.To(t.at).Add(t.token, t.text)
	}
	return l.String()
}

// end returns the word for the end of the journal's timeline.
func end(env screen.Env) string {
	if _, past := env.Past(); past {
		return "then"
	}
	return "now"
}
