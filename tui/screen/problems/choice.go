package problems

import (
	"context"
	"fmt"
	"math"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// newChoice returns the list of the fixes of a finding, before the page that shows what one
// does.
func newChoice(env screen.Env, snap *cloud.Snapshot, f audit.Finding) *form.Wizard {
	env.Memory = env.Memory.Copy() // with the filters that have names, and without the one that this list had the last time
	title := "fix " + string(f.Rule) + " " + panel.FindingSubject(snap, f)
	return form.Begin(snap, title, list.New(list.Spec[*way]{
		Name: "fixes", Thing: "fix",
		Rows: func(_ context.Context, s *cloud.Snapshot) []*way {
			now, stands := f.StandsOn(s)
			if !stands {
				return nil
			}
			return list.Pointers(waysOf(s, now, env.Now()))
		},
		ID:   func(w *way) string { return w.Name },
		Text: func(w *way) string { return w.Title },

		Number: func(w *way) int { return w.number },
		Columns: list.Show("fix=WHAT_CAN_BE_DONE:60+1 why=WHY_NOT:24+2", "why", list.Cells[*way]{
			"fix": func(l *component.Line, w *way, _ list.At) {
				l.Add(themes.Key, fmt.Sprint(w.number)).Space(1).Add(themes.Strong, w.Title)
			},
			"why": func(l *component.Line, w *way, _ list.At) {
				if w.refused != nil {
					l.Add(themes.Dim, w.refused.Error())
				}
			},
		}),
		Severity: func(w *way, _ list.At) style.Severity {
			if w.refused != nil {
				return style.SeverityCritical
			}
			return style.SeverityOK
		},
		Actions: func(h list.Here[*way]) []action.Action {
			preview := action.Action{ID: "fixes.choose", Keys: "enter", Title: "preview", Help: "show what the fix does; nothing is written before", Priority: 95}
			return []action.Action{h.About(preview, func(w *way) tea.Msg { return form.NextMsg{Step: newFixPage(env, h.Snap, f, w.Fix)} })}
		},
		Top: func(_ []*way, _ int, a list.Area) []string {
			rule := audit.RuleOf(f)
			return slices.Concat([]string{component.Titled(a.Styles, a.Width, string(f.Rule)+" "+rule.Title, panel.FindingSubject(a.Snap, f))},
				component.Paragraph(a.Styles, a.Width, 1, themes.Strong, f.Text), bars(a, f), component.Paragraph(a.Styles, a.Width, 1, themes.Dim, rule.Advice))
		},
		Title:   func(w *way, _ list.At) (string, string) { return fmt.Sprintf("WHAT %d DOES", w.number), "" },
		Detail:  effect,
		Half:    true,
		Nothing: func() []string { return []string{(&audit.FixedError{Finding: f}).Error(), "try: esc goes back"} },
	}, env, snap, ""))
}

// effect draws a fix, what prevents it or what to consider, and what it does as far as there
// is room.
func effect(w *way, a list.Area) []string {
	out := wayLines(a, *w, true, true)
	if w.refused != nil || w.does.Empty() {
		return out
	}
	d := panel.Diff{Styles: a.Styles, Snap: a.Snap, Preview: w.does, At: a.Now}
	if a.Width < panel.WideWidth {
		out = slices.Concat(out, d.Consumers(a.Width), d.Touched(a.Width), d.Records(a.Width))
		out = append(out, d.WillSend(a.Width, a.Height-len(out)-1)...)
	} else {
		left := a.Width * 3 / 5
		right := a.Width - left - 2
		out = append(out, component.Columns(2, left, right,
			slices.Concat(d.Consumers(left), d.Touched(left), d.Records(left)), d.SendInFull(right, math.MaxInt))...)
	}
	return out
}
