package owners

import (
	"context"
	"slices"
	"strconv"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/list"
	"github.com/placetop/placetop/tui/style"
)

// stateToken returns the colour of a state.
func stateToken(s audit.CheckState) themes.Token { return stateSeverity(s).Token() }

func stateSeverity(s audit.CheckState) style.Severity {
	switch s {
	case audit.CheckMet:
		return style.SeverityOK
	case audit.CheckWarning:
		return style.SeverityWarn
	case audit.CheckBroken:
		return style.SeverityCritical
	default:
		return style.SeverityNone
	}
}

// stateWord says how a check came out.
func stateWord(s audit.CheckState) string {
	switch s {
	case audit.CheckMet:
		return "holds"
	case audit.CheckUnknown:
		return "not known"
	case audit.CheckWaiting:
		return "comes with the upgrade"
	case audit.CheckWarning:
		return "needs a look"
	default:
		return "somebody must decide"
	}
}

// drawState draws a state in three cells: [✓], [ ] for what is to come, [?], [!].
func drawState(l *component.Line, s audit.CheckState) {
	l.Add(themes.Dim, "[")
	switch s {
	case audit.CheckUnknown:
		l.Add(themes.Dim, "?")
	case audit.CheckWaiting:
		l.Space(1)
	default:
		component.SeverityMark(l, stateSeverity(s))
	}
	l.Add(themes.Dim, "]")
}

// checks is the list of what must hold before the owner filter does its work; open
// says where each leads to.
func (p *page) checks(open func(audit.Check) screen.Goto) *list.Screen[audit.Check] {
	s := list.New(list.Spec[audit.Check]{
		Name: "owner-checks", Thing: "check",
		Rows: func(context.Context, *cloud.Snapshot) []audit.Check { return slices.Clone(p.data.Load().ready.Checks) },
		ID:   func(c audit.Check) string { return string(c.ID) },
		Text: func(c audit.Check) string { return c.Title + " " + c.Text },
		Columns: []list.Column[audit.Check]{
			{Column: component.Column{Key: "state", Title: "", Min: 3}, Cell: func(l *component.Line, c audit.Check, _ list.At) { drawState(l, c.State) }},
			{Column: component.Column{Key: "check", Title: "CHECK", Min: 15}, Cell: list.TextCell(themes.Strong, func(c audit.Check, _ list.At) string { return c.Title })},
			{Column: component.Column{Key: "done", Title: "DONE", Min: 9, Align: component.AlignRight, Priority: 1}, Cell: func(l *component.Line, c audit.Check, _ list.At) {
				if c.All > 0 {
					l.Add(stateTokenOrText(c.State), strconv.Itoa(c.Done)+"/"+strconv.Itoa(c.All))
				}
			}},
			{Column: component.Column{Key: "text", Title: "WHAT", Min: 20, Flex: 1, Priority: 2}, Cell: list.TextCell(themes.Text, func(c audit.Check, _ list.At) string { return c.Text })},
		},
		Fields:     []list.Field[audit.Check]{list.TextField("state", func(c audit.Check, _ list.At) string { return c.State.String() })},
		FilterHelp: "text, state=warning",
		Actions: func(h list.Here[audit.Check]) []action.Action {
			a := aim{open: open(h.Row), rule: h.Row.Rule, subject: h.Row.Subject}
			return p.rowActions(h.Snap, a, h.Nothing)
		},
	}, p.env, p.snap, "")
	s.Headless()
	return s
}

// stateTokenOrText is stateToken for a number, which is always readable.
func stateTokenOrText(s audit.CheckState) themes.Token {
	if t := stateToken(s); t != themes.Blank {
		return t
	}
	return themes.Text
}
