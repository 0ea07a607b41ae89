package places

import (
	"cmp"
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Spec says what is looked for.
type Spec struct {
	// Find returns the places, as ops.Move.Places does. It is called off the event
	// loop.
	Find func(*cloud.Snapshot) (ops.Places, error)
	// LeftHint says how a place that Find leaves out may be chosen anyway, "" if it
	// may not; nil if none may.
	LeftHint func(ops.Place) string
	// Pick returns the step that comes after a place, which was found on a Snapshot.
	Pick func(*cloud.Snapshot, ops.Place) form.Step
	// Actions are further keys, besides picking a place; nil for none.
	Actions func() []action.Action
}

// New returns the list over a Snapshot, which is a step of a wizard.
func New(env screen.Env, snap *cloud.Snapshot, spec Spec) *list.Screen {
	env.Memory = env.Memory.Copy() // with the filters that have names, and without the one that this list had the last time
	return list.New(list.Spec[*row]{
		Name: "places", Thing: "host",
		Rows: func(ctx context.Context, snap *cloud.Snapshot) []*row { return rows(ctx, snap, spec) },
		ID:   func(r *row) string { return r.id },
		Text: func(r *row) string { return r.host },
		Columns: list.Show("host:10-36+1~ number=RANK> gives=OFFERS,_OR_WHY_NOT:18+12", "number", list.Cells[*row]{
			"host": func(l *component.Line, r *row, _ list.At) {
				t := themes.Strong
				if !r.fits() {
					t = themes.Faint
				}
				l.Add(t, r.host)
			},
			"number": func(l *component.Line, r *row, _ list.At) {
				if r.number > 0 {
					l.Add(themes.Dim, component.Count(r.number))
				}
			},
			"gives": func(l *component.Line, r *row, at list.At) {
				r.gives(l, at)
			},
		}),
		Fields: []*kinds.Field{
			kinds.TextField("fits", func(r *row, _ list.At) string { return map[bool]string{true: "yes", false: "no"}[r.fits()] }),
			kinds.TextField("host", func(r *row, _ list.At) string { return r.host }),
			kinds.TextField("why", func(r *row, _ list.At) string { return r.why }),
		},
		FilterHelp: "host, fits=yes why:VGPU",
		Severity: func(r *row, at list.At) style.Severity {
			switch {
			case !r.fits():
				return style.SeverityCritical
			case r.place.Phantom != "" || r.wrong(at.Snap.Placement()):
				return style.SeverityWarn
			}
			return style.SeverityOK
		},
		Actions: func(h list.Here[*row]) []action.Action {
			pick := action.Action{ID: "places.pick", Keys: "enter", Title: "choose", Help: "show what moving there would do", Priority: 95}
			if h.Nothing == "" && !h.Row.fits() {
				pick.Disabled = h.Row.host + ": " + h.Row.why
			}
			actions := []action.Action{h.About(pick, func(r *row) tea.Msg { return form.NextMsg{Step: spec.Pick(h.Snap, *r.place)} })}
			if spec.Actions != nil {
				actions = append(actions, spec.Actions()...)
			}
			return actions
		},
		Title:  func(r *row, _ list.At) (title, note string) { return r.host, "" },
		Detail: detail,
		Half:   true,
		Picks:  true,
		Empty:  []string{"this cloud has no compute hosts", "try: esc chooses another flavor"},
	}, env, snap, "")
}

// detail draws what each provider would give, with its bar now and after, or why the host
// is not a place.
func detail(r *row, a list.Area) []string {
	if r.place == nil {
		return sheet.Checks(a.Styles, a.Width, sheet.Check{Severity: style.SeverityCritical, Text: r.why})
	}
	var lines []string
	if why := cmp.Or(r.why, r.place.Phantom); why != "" {
		lines = sheet.Checks(a.Styles, a.Width, sheet.Check{Severity: style.SeverityWarn, Text: why})
	}
	return append(lines, Lines(a, r.parts(a.Snap.Placement()))...)
}
