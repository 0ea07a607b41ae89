package list

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

// EventColumns returns the columns of events of the journal for a table outside a list:
// those that say what happened, in words.
func EventColumns() []*Column[*cloud.Event] {
	all := slices.DeleteFunc(Events(), func(c *Column[*cloud.Event]) bool { return c.Key == "gen" || c.Key == "rev" })
	for i := range all {
		all[i].Min = min(all[i].Min, 8) // a box has less room than a list
	}
	return Bound(kinds.Of(kinds.Events), all...)
}

// Events returns the columns of events of the journal.
func Events() []*Column[*cloud.Event] {
	shows := Shows[*cloud.Event]
	return []*Column[*cloud.Event]{
		shows("at", "TIME", 8, 8, 0, 0).Drawn(func(l *component.Line, ev *cloud.Event, at At) {
			l.Add(themes.Faint, panel.Clock(at.Now, ev.At))
		}),
		shows("rev", "REV", 6, 9, 0, 6),
		shows("verb", "VERB", 7, 9, 0, 1).Drawn(func(l *component.Line, ev *cloud.Event, at At) {
			verb := kinds.Tell(at.Snap, ev).Verb
			l.Add(panel.VerbToken(verb), verb)
		}),
		shows("subject", "SUBJECT", 14, 40, 2, 0).ByEnds().Drawn(func(l *component.Line, ev *cloud.Event, at At) {
			what := kinds.Tell(at.Snap, ev).What
			l.KeepEnds(what != ev.Note).Add(themes.Text, what) // a note is a sentence, no name
		}),
		shows("what", "WHAT", 15, 36, 2, 2),
		shows("host", "HOST", 7, 20, 2, 3).ByEnds().Drawn(func(l *component.Line, ev *cloud.Event, at At) {
			where := kinds.Tell(at.Snap, ev).Where
			short := where
			if _, to, moves := strings.Cut(where, " > "); moves {
				short = ">" + to
			}
			l.AddFitting(themes.Text, where, short)
		}),
		shows("gen", "GEN", 5, 11, 0, 7).In(themes.Dim),
		shows("actor", "ACTOR", 14, 24, 2, 4).Drawn(func(l *component.Line, ev *cloud.Event, _ At) {
			who := ev.Actor
			if utf8.RuneCountInString(who) > l.Left() { // "nova-compute cmp-003": the host is in its own column
				who, _, _ = strings.Cut(who, " ")
			}
			l.Add(themes.Dim, who)
		}),
	}
}
