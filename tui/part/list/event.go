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
func EventColumns() Columns {
	all := slices.DeleteFunc(Events(), func(c *Column) bool { return c.Wide || c.Key == "gen" || c.Key == "rev" })
	for i := range all {
		all[i].Min = min(all[i].Min, 8) // a box has less room than a list
	}
	return Bound(kinds.Of(kinds.Events), all)
}

// Events returns the columns of events of the journal.
func Events() Columns {
	return Show("at=TIME:8-8 rev:6-9 verb:7-9 subject:14-40+2~ what:15-36+2 host:7-20+2~ gen:5-11 actor:14-24+2 | note:24-90+3 changes=RECORDS", "note changes gen rev actor host what verb", Cells[*cloud.Event]{
		"at": func(l *component.Line, ev *cloud.Event, at At) {
			l.Add(themes.Faint, panel.Clock(at.Now, ev.At))
		},
		"verb": func(l *component.Line, ev *cloud.Event, at At) {
			verb := kinds.Summarize(at.Snap, ev).Verb
			l.Add(panel.VerbToken(verb), verb)
		},
		"subject": func(l *component.Line, ev *cloud.Event, at At) {
			what := kinds.Summarize(at.Snap, ev).What
			l.KeepEnds(what != ev.Note).Add(themes.Text, what) // a note is a sentence, no name
		},
		"host": func(l *component.Line, ev *cloud.Event, at At) {
			where := kinds.Summarize(at.Snap, ev).Where
			short := where
			if _, to, moves := strings.Cut(where, " > "); moves {
				short = ">" + to
			}
			l.AddFitting(themes.Text, where, short)
		},
		"actor": func(l *component.Line, ev *cloud.Event, _ At) {
			who := ev.Actor
			if utf8.RuneCountInString(who) > l.Left() { // "nova-compute cmp-003": the host is in its own column
				who, _, _ = strings.Cut(who, " ")
			}
			l.Add(themes.Dim, who)
		},
	}).In(themes.Dim, "gen note")
}
