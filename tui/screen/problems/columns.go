package problems

import (
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

func columns() list.Columns {
	return list.Show("rule:20-70+4 n:2> subject:22-60+1~ fix:11-30+1 | host:10-24+1", "n fix", list.Cells[*row]{
		"rule": func(l *component.Line, r *row, _ list.At) {
			switch token := tokenOf(r, themes.Text); {
			case !r.one:
				l.Add(tokenOf(r, severity(r).Token()), string(r.rule.ID)).Space(1).Add(token, r.rule.Title)
			default:
				l.AddFitting(tokenOf(r, themes.Dim), r.first().Text, r.first().Short())
			}
		},
		"n": func(l *component.Line, r *row, _ list.At) {
			if !r.one {
				l.Add(tokenOf(r, themes.Text), component.Count(int64(len(r.found))))
			}
		},
		"subject": func(l *component.Line, r *row, at list.At) { l.Add(tokenOf(r, themes.Strong), r.subject(at)) },
		"fix":     drawFix,
	}).In(themes.Dim, "host")
}

// tokenOf returns the colour of a cell: faint if operators have acknowledged or muted the
// row.
func tokenOf(r *row, t themes.Token) themes.Token {
	if r.state() != open {
		return themes.Faint
	}
	return t
}

// severity returns the severity of a row, which is none if it was acknowledged or muted.
func severity(r *row) style.Severity {
	if r.state() != open {
		return style.SeverityNone
	}
	return panel.Severity(r.rule.Severity)
}

// drawFix draws how the row can be repaired, or what operators said of it.
func drawFix(l *component.Line, r *row, _ list.At) {
	switch st := r.state(); {
	case st != open:
		l.Add(themes.Faint, st.String())
	case !r.asked:
		l.Add(themes.Key, "F").Add(themes.Dim, " plan")
	case len(r.ways) == 0:
		l.Add(themes.Faint, "by hand")
	default:
		all := make([]string, len(r.ways)) // in the order of the plan
		for i, way := range r.ways {
			all[i] = way.Name
		}
		l.Add(themes.Key, "F").Space(1).AddFitting(themes.Dim, strings.Join(all, " "), some(all))
	}
}

// some says in a few letters what the fixes are: what the first one does, without what it
// does that to, and how many others there are.
func some(fixes []string) string {
	verb, _, _ := strings.Cut(fixes[0], "-")
	if more := len(fixes) - 1; more > 0 {
		verb += " +" + strconv.Itoa(more)
	}
	return verb
}

func orders() []list.Order[*row] {
	return []list.Order[*row]{
		{Name: "worst", Key: func(r *row, _ list.At) list.Key { return list.Key{Number: float64(r.place)} }},
		{Name: "rule", Column: "rule", Key: func(r *row, at list.At) list.Key {
			return list.Key{Text: string(r.rule.ID) + " " + r.subject(at)}
		}},
		{Name: "count", Column: "n", Desc: true, Key: func(r *row, _ list.At) list.Key {
			return list.Key{Number: float64(len(r.found))}
		}},
		{Name: "subject"},
	}
}

func fields() []*kinds.Field {
	return []*kinds.Field{
		kinds.TextField("severity", func(r *row, _ list.At) string { return r.rule.Severity.String() }),
		kinds.TextField("rule", func(r *row, _ list.At) string { return string(r.rule.ID) }),
		kinds.TextField("subject", (*row).subject),
		kinds.TextField("class", func(r *row, _ list.At) string { return string(r.first().Class) }),
		kinds.TextField("owner", func(r *row, at list.At) string {
			if r.first().Provider.IsZero() {
				return ""
			}
			return r.owner(at).String()
		}),
		kinds.TextField("host", (*row).host),
		kinds.TextField("project", (*row).project),
		kinds.TextField("state", func(r *row, _ list.At) string { return r.state().String() }),
		kinds.WordsField("fix", func(r *row, _ list.At, words []string) []string {
			for _, x := range r.ways {
				words = append(words, x.Name)
			}
			return words
		}),
	}
}
