// Package rules is the screen of all rules, including those that find nothing: what
// each is about, and how much it finds.
package rules

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.List[place.Rules](New).Called("rules", "rule").For("Every rule, including those that find nothing."),
	}
}

// row is a rule with what it finds.
type row struct {
	audit.Rule
	open, known int // open findings, and acknowledged ones
	muted       *operator.Mute
	worst       []string // the subjects of open ones, worst first
	unjudged    string   // why it was not judged, or not about everything; "" if it was
}

// The states of a rule.
const (
	stateOpen  = "open"  // it has findings
	stateKnown = "known" // all its findings were acknowledged
	stateMuted = "muted"
	stateOK    = "ok"
	// stateUnjudged means that it finds nothing, but rests on what was not read.
	stateUnjudged = "not judged"
)

// state returns the state of a rule, in a word.
func (r *row) state() string {
	switch {
	case r.muted != nil:
		return stateMuted
	case r.open > 0:
		return stateOpen
	case r.known > 0:
		return stateKnown
	case r.unjudged != "":
		return stateUnjudged
	}
	return stateOK
}

// severity returns the severity of what a rule finds.
func (r *row) severity() style.Severity {
	switch r.state() {
	case stateOpen:
		return panel.Severity(r.Severity)
	case stateOK:
		return style.SeverityOK
	}
	return style.SeverityNone
}

// rowsOf returns the rules in the order of their table. It cannot be said of the unjudged
// ones that they find nothing.
func rowsOf(snap *cloud.Snapshot, r audit.Report) []*row {
	by := map[audit.RuleID]*row{}
	var out []*row
	for _, rule := range r.Rules {
		one := &row{Rule: rule}
		by[rule.ID], out = one, append(out, one)
	}
	for _, u := range r.Unjudged {
		if one := by[u.Rule]; one != nil {
			one.unjudged = u.Text()
		}
	}
	for _, f := range r.Open {
		if one := by[f.Rule]; one != nil {
			one.open++
			one.worst = append(one.worst, panel.FindingSubject(snap, f.Finding))
		}
	}
	for _, f := range r.Acknowledged {
		if one := by[f.Rule]; one != nil {
			one.known++
		}
	}
	for _, m := range r.Mutes {
		if one := by[audit.RuleID(m.Rule)]; one != nil {
			one.muted = m
		}
	}
	return out
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	env.Keeper = env.Kept()
	return list.New(list.Spec[*row]{
		Name: "rules", Thing: "rule",
		Rows: func(_ context.Context, snap *cloud.Snapshot) []*row {
			return rowsOf(snap, env.Inspect(snap).Report)
		},
		ID:      func(r *row) string { return string(r.ID) },
		Text:    func(r *row) string { return string(r.ID) + " " + r.Title },
		Columns: columns(),
		Orders: []list.Order[*row]{
			{Name: "found", Key: worstFirst},
			{Name: "rule", Key: func(r *row, _ list.At) list.Key { return list.Key{Text: string(r.ID)} }},
			{Name: "title"},
		},
		Fields: []list.Field[*row]{
			list.TextField("rule", func(r *row, _ list.At) string { return string(r.ID) }),
			list.TextField("title", func(r *row, _ list.At) string { return r.Title }),
			list.TextField("severity", func(r *row, _ list.At) string { return r.Severity.String() }),
			list.TextField("state", func(r *row, _ list.At) string { return r.state() }),
			list.NumberField("found", component.UnitCount, func(r *row, _ list.At) (float64, bool) { return float64(r.open), true }),
			list.NumberField("known", component.UnitCount, func(r *row, _ list.At) (float64, bool) { return float64(r.known), true }),
		},
		Notable:    "found>0",
		FilterHelp: "text, state=ok found>0 severity=critical rule=o0*",
		Severity:   func(r *row, _ list.At) style.Severity { return r.severity() },
		Actions:    actions,
		Title:      func(r *row, _ list.At) (string, string) { return string(r.ID) + " " + r.Title, r.Severity.String() },
		Detail:     detail,
		Side:       true,
		Nothing: func() []string {
			if pass := env.Keeper.Last(); pass != nil && pass.Unread != "" {
				return []string{"not judged yet: " + pass.Unread}
			}
			return nil
		},
	}, env, snap, filter)
}

// worstFirst puts open ones first, by severity, and rules that find nothing last.
func worstFirst(r *row, _ list.At) list.Key {
	n := 0.0
	switch r.state() {
	case stateOpen:
		n = -10 - float64(r.Severity)
	case stateKnown:
		n = -2
	case stateMuted:
		n = -1
	}
	return list.Key{Number: n, Text: string(r.ID)}
}

func columns() list.Columns[*row] {
	return list.Show("rule:5-16 title=LOOKS_FOR:26-44+2 severity state:6 found:7> known:6> worst:24-40+2", "severity known worst state", list.Cells[*row]{
		"worst": func(l *component.Line, r *row, _ list.At) {
			if len(r.worst) > 0 {
				l.Add(themes.Text, r.worst[0])
			}
		},
	}).In(themes.Dim, "severity").Colour("state", func(r *row, _ list.At) themes.Token {
		if r.state() == stateOK {
			return themes.OK
		}
		return r.severity().Token()
	})
}

// detail shows what a rule is about, and what it finds.
func detail(r *row, a list.Area) []string {
	var lines []string
	add := func(t themes.Token, text string) {
		lines = append(lines, component.Paragraph(a.Styles, a.Width, 1, t, text)...)
	}
	add(themes.Text, r.Why)
	add(themes.Dim, r.Advice)
	if m := r.muted; m != nil {
		add(themes.Warn, fmt.Sprintf("muted by %s: %s", m.By, m.Note))
	}
	if r.unjudged != "" {
		add(themes.Warn, "not judged, or not about everything: "+r.unjudged)
	}
	switch {
	case r.open == 0 && r.known == 0 && r.unjudged != "":
	case r.open == 0 && r.known == 0:
		add(themes.OK, "nothing is wrong with this")
	default:
		text := fmt.Sprintf("%d found", r.open)
		if r.known > 0 {
			text += fmt.Sprintf(", and %d acknowledged", r.known)
		}
		add(themes.Text, text)
	}
	for _, subject := range r.worst[:min(len(r.worst), max(a.Height-len(lines), 0))] {
		add(themes.Dim, "  "+subject)
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

func actions(h list.Here[*row]) []action.Action {
	open := h.Leads(action.Action{ID: "rules.open", Keys: "enter", Title: "problems", Help: "what the rule finds, and what to do about it", Priority: 90}, func(r *row) place.Place { return place.Problems{Rule: r.ID} })
	if open.Disabled == "" && h.Row.open == 0 {
		open.Disabled = "the rule finds nothing"
	}
	return []action.Action{
		open,
		h.About(action.Action{ID: "rules.copy", Keys: "c", Title: "copy id", Help: "copy the id, for `placetop check` and `mute`"}, func(r *row) tea.Msg {
			return screen.CopyMsg{What: "rule " + string(r.ID), Text: string(r.ID)}
		}),
	}
}
