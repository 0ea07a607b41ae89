package owners

import (
	"cmp"
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// stateToken returns the colour of a state.
func stateToken(s insight.CheckState) themes.Token { return stateSeverity(s).Token() }

func stateSeverity(s insight.CheckState) style.Severity {
	switch s {
	case insight.CheckMet:
		return style.SeverityOK
	case insight.CheckWarning:
		return style.SeverityWarn
	case insight.CheckBroken:
		return style.SeverityCritical
	default:
		return style.SeverityNone
	}
}

// stateWord returns the result of a check in words.
func stateWord(s insight.CheckState) string {
	switch s {
	case insight.CheckMet:
		return "holds"
	case insight.CheckUnknown:
		return "not known"
	case insight.CheckWaiting:
		return "comes with the upgrade"
	case insight.CheckWarning:
		return "needs a look"
	default:
		return "somebody must decide"
	}
}

// drawState draws a state in three cells: [✓], [ ] for to do, [?], [!].
func drawState(l *component.Line, s insight.CheckState) {
	l.Add(themes.Dim, "[")
	switch s {
	case insight.CheckUnknown:
		l.Add(themes.Dim, "?")
	case insight.CheckWaiting:
		l.Space(1)
	default:
		l.Mark(stateSeverity(s))
	}
	l.Add(themes.Dim, "]")
}

// done says how much of a check is done, "" if that is not counted.
func done(c *insight.Check, _ list.At) string {
	if c.All == 0 {
		return ""
	}
	return component.Count(c.Done) + "/" + component.Count(c.All)
}

// checks is the list of preconditions for the owner filter.
func (s *Screen) checks() *list.Screen {
	l := list.New(list.Spec[*insight.Check]{
		Name: "owner-checks", Thing: "check",
		Rows: func(context.Context, *cloud.Snapshot) []*insight.Check {
			return list.Pointers(s.data.Load().ready.Checks)
		},
		ID:   func(c *insight.Check) string { return string(c.ID) },
		Text: func(c *insight.Check) string { return c.Title + " " + c.Text },
		Columns: list.Show("state=:3 check:15 done:5-11+1> text=WHAT:44+6", "done", list.Cells[*insight.Check]{
			"state": func(l *component.Line, c *insight.Check, _ list.At) { drawState(l, c.State) },
			"text": func(l *component.Line, c *insight.Check, _ list.At) {
				l.AddFitting(themes.Text, c.Text, c.Short())
			},
			"done": func(l *component.Line, c *insight.Check, at list.At) {
				l.Add(cmp.Or(stateToken(c.State), themes.Text), done(c, at)) // a number is always readable
			},
		}).In(themes.Strong, "check"),
		Fields: []*kinds.Field{
			kinds.TextField("check", func(c *insight.Check, _ list.At) string { return c.Title }),
			kinds.TextField("done", done),
			kinds.TextField("state", func(c *insight.Check, _ list.At) string { return c.State.String() }),
			kinds.TextField("text", func(c *insight.Check, _ list.At) string { return c.Text }),
		},
		FilterHelp: "text, state=warning",
		Actions: func(h list.Here[*insight.Check]) []action.Action {
			a := aim{open: checkOpens(h.Row), rule: h.Row.Rule, subject: h.Row.Subject}
			return s.rowActions(h.Snap, a, h.Nothing)
		},
	}, s.env, s.snap, "")
	l.Headless()
	return l
}

// checkOpens returns the place that a check leads to.
func checkOpens(c *insight.Check) place.Place {
	switch c.ID {
	case insight.CheckComputes:
		return place.Services{Filter: "gate=holds"}
	case insight.CheckRoots:
		return place.Providers{Filter: "trait:COMPUTE_NODE !owner=nova"}
	case insight.CheckUnowned:
		return place.Providers{Filter: "owner=none"}
	case insight.CheckOverlap:
		return place.Providers{Filter: "owner=both"}
	default:
		return nil
	}
}
