package owners

import (
	"context"
	"slices"
	"strconv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/list"
	"github.com/placetop/placetop/tui/style"
)

// stateToken returns the colour of a state.
func stateToken(s ops.CheckState) themes.Token { return stateSeverity(s).Token() }

func stateSeverity(s ops.CheckState) style.Severity {
	switch s {
	case ops.CheckMet:
		return style.SeverityOK
	case ops.CheckWarning:
		return style.SeverityWarn
	case ops.CheckBroken:
		return style.SeverityCritical
	default:
		return style.SeverityNone
	}
}

// stateWord says how a check came out.
func stateWord(s ops.CheckState) string {
	switch s {
	case ops.CheckMet:
		return "holds"
	case ops.CheckUnknown:
		return "not known"
	case ops.CheckWaiting:
		return "comes with the upgrade"
	case ops.CheckWarning:
		return "needs a look"
	default:
		return "somebody must decide"
	}
}

// drawState draws a state in three cells: [✓], [ ] for what is to come, [?], [!].
func drawState(l *component.Line, s ops.CheckState) {
	l.Add(themes.Dim, "[")
	switch s {
	case ops.CheckUnknown:
		l.Add(themes.Dim, "?")
	case ops.CheckWaiting:
		l.Space(1)
	default:
		component.SeverityMark(l, stateSeverity(s))
	}
	l.Add(themes.Dim, "]")
}

// checks is the list of what must hold before the owner filter does its work; open
// says where each leads to.
func (p *page) checks(open func(ops.Check) screen.Goto) *list.Screen[ops.Check] {
	s := list.New(list.Spec[ops.Check]{
		Name: "owner-checks", Thing: "check",
		Rows: func(context.Context, *cloud.Snapshot) []ops.Check { return slices.Clone(p.data.Load().ready.Checks) },
		ID:   func(c ops.Check) string { return string(c.ID) },
		Text: func(c ops.Check) string { return c.Title + " " + c.Text },
		Columns: []list.Column[ops.Check]{
			{Column: component.Column{Key: "state", Title: "", Min: 3}, Cell: func(l *component.Line, c ops.Check, _ list.At) { drawState(l, c.State) }},
			{Column: component.Column{Key: "check", Title: "CHECK", Min: 15}, Cell: list.TextCell(themes.Strong, func(c ops.Check, _ list.At) string { return c.Title })},
			{Column: component.Column{Key: "done", Title: "DONE", Min: 9, Align: component.AlignRight, Priority: 1}, Cell: func(l *component.Line, c ops.Check, _ list.At) {
				if c.All > 0 {
					l.Add(stateTokenOrText(c.State), strconv.Itoa(c.Done)+"/"+strconv.Itoa(c.All))
				}
			}},
			{Column: component.Column{Key: "text", Title: "WHAT", Min: 20, Flex: 1, Priority: 2}, Cell: list.TextCell(themes.Text, func(c ops.Check, _ list.At) string { return c.Text })},
		},
		Fields:     []list.Field[ops.Check]{list.TextField("state", func(c ops.Check, _ list.At) string { return c.State.String() })},
		FilterHelp: "text, state=warning",
		Actions: func(h list.Here[ops.Check]) []action.Action {
			a := aim{open: open(h.Row), rule: h.Row.Rule, subject: h.Row.Subject}
			return p.rowActions(h.Snap, a, h.Nothing)
		},
	}, p.env, p.snap, "")
	s.Headless()
	return s
}

// stateTokenOrText is stateToken for a number, which is always readable.
func stateTokenOrText(s ops.CheckState) themes.Token {
	if t := stateToken(s); t != themes.Blank {
		return t
	}
	return themes.Text
}
