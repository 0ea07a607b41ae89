package form

import (
	"cmp"
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Places says what is looked for.
type Places struct {
	// Thing is the noun for a row that has no rank among others; without it rows are hosts, as
	// the scheduler ranks them.
	Thing string
	// Rows returns the rows. It is called off the event loop.
	Rows func(context.Context, *cloud.Snapshot) []*Place
	// Pick returns the step that comes after a row, which was found on a Snapshot.
	Pick func(*cloud.Snapshot, *Place) Step
	// Actions are further keys, besides picking a row; nil for none. Top is as in list.Spec.
	Actions func() []action.Action
	// Fixing leads to what is wrong with whoever asks, in place of picking where there is no place
	// at all; nil for nothing.
	Fixing func() action.Action
	Top    func(all []*Place, on int, a list.Area) []string
}

// NewPlaces returns the list over a Snapshot, which is a step of a wizard.
func NewPlaces(env screen.Env, snap *cloud.Snapshot, spec Places) *list.Screen {
	env.Memory = env.Memory.Copy() // with the filters that have names, and without the one that this list had the last time
	thing, second := cmp.Or(spec.Thing, "host"), "number=RANK>"
	if spec.Thing != "" {
		second = "then=NOW_>_THEN:11-17+1>"
	}
	return list.New(list.Spec[*Place]{
		Name: "places", Thing: thing,
		Rows: spec.Rows,
		ID:   func(r *Place) string { return r.ID },
		Text: func(r *Place) string { return r.Host + " " + r.why() },
		Columns: list.Show("host="+strings.ToUpper(thing)+":10-36+1~ "+second+" gives=OFFERS,_OR_WHY_NOT:18+12", "then number", list.Cells[*Place]{
			"host": func(l *component.Line, r *Place, _ list.At) {
				t := themes.Strong
				if !r.Fits() {
					t = themes.Faint
				}
				l.Add(t, r.Host)
			},
			"number": func(l *component.Line, r *Place, _ list.At) {
				if r.Number > 0 {
					l.Add(themes.Dim, component.Count(r.Number))
				}
			},
			"then": list.TextCell(themes.Text, func(r *Place, at list.At) string { return r.then(at.Snap.Placement()) }),
			"gives": func(l *component.Line, r *Place, at list.At) {
				r.gives(l, at)
			},
		}),
		Fields: []*kinds.Field{
			kinds.TextField("fits", func(r *Place, _ list.At) string { return map[bool]string{true: "yes", false: "no"}[r.Fits()] }),
			kinds.TextField("host", func(r *Place, _ list.At) string { return r.Host }),
			kinds.TextField("why", func(r *Place, _ list.At) string { return r.why() }),
			kinds.TextField("offers", func(r *Place, at list.At) string { return r.offers(at.Snap.Placement()) }),
		},
		Says:       []string{"offers"},
		FilterHelp: "host, fits=yes why:VGPU",
		Severity: func(r *Place, at list.At) style.Severity {
			switch {
			case !r.Fits():
				return style.SeverityCritical
			case r.Warn != "" || r.wrong(at.Snap.Placement()):
				return style.SeverityWarn
			}
			return style.SeverityOK
		},
		Actions: func(h list.Here[*Place]) []action.Action {
			pick := action.Action{ID: "places.pick", Keys: "enter", Title: "choose", Help: "show what choosing it would do", Priority: 95}
			if h.Nothing == "" && !h.Row.Fits() {
				pick.Disabled = h.Row.Host + ": " + h.Row.why()
			}
			if h.Nothing == "" && h.Row.Host == nowhere && spec.Fixing != nil {
				fix := spec.Fixing()
				fix.Keys, fix.Priority = pick.Keys, pick.Priority
				return []action.Action{fix}
			}
			actions := []action.Action{h.About(pick, func(r *Place) tea.Msg { return NextMsg{Step: spec.Pick(h.Snap, r)} })}
			if spec.Actions != nil {
				actions = append(actions, spec.Actions()...)
			}
			return actions
		},
		Top:    spec.Top,
		Title:  func(r *Place, _ list.At) (title, note string) { return r.Host, "" },
		Detail: detail,
		Half:   true,
		Picks:  true,
		Empty:  []string{"this cloud has no " + thing + "s", "try: esc goes back"},
	}, env, snap, "")
}

// detail draws what each provider would give, with its bar now and after, or why the host
// is not a place.
func detail(r *Place, a list.Area) []string {
	sev := style.SeverityCritical
	if r.Gives != nil {
		sev = style.SeverityWarn
	}
	var lines []string
	for _, why := range r.Why {
		lines = append(lines, panel.Checks(a.Styles, a.Width, panel.Check{Severity: sev, Text: why})...)
	}
	if r.Warn != "" {
		lines = append(lines, panel.Checks(a.Styles, a.Width, panel.Check{Severity: style.SeverityWarn, Text: r.Warn})...)
	}
	return append(lines, GivenLines(a, r.parts(a.Snap.Placement()))...)
}
