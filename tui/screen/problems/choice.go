package problems

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// choice is the step for choosing one of several fixes of a finding, before the page that
// shows what it does.
type choice struct {
	env  screen.Env
	snap *cloud.Snapshot
	f    audit.Finding

	asks  screen.Task[*offers]
	offer offers
	known bool
	at    int // under the cursor
}

// offers is what can be done about a finding on a Snapshot.
type offers struct {
	on   *cloud.Snapshot
	ways []way
	gone error // why there is nothing left to do
}

func newChoice(env screen.Env, snap *cloud.Snapshot, f audit.Finding) *form.Wizard {
	c := &choice{env: env, snap: snap, f: f}
	c.asks.Clock = env.Clock
	return form.Begin(snap, "", c)
}

// offersOn finds out what can be done about a finding on s.
func offersOn(s *cloud.Snapshot, f audit.Finding, now time.Time) offers {
	was, stands := f.StandsOn(s)
	if !stands {
		return offers{gone: &audit.FixedError{Finding: f}}
	}
	return offers{on: s, ways: waysOf(s, was, now)}
}

// Init implements screen.Screen.
func (c *choice) Init() tea.Cmd {
	if !screen.Small(c.snap) {
		return c.ask()
	}
	c.take(offersOn(c.snap, c.f, c.env.Now()))
	return nil
}

func (c *choice) ask() tea.Cmd {
	snap, f, now := c.snap, c.f, c.env.Now()
	return c.asks.Follow(c.env.Context, func(context.Context) *offers { return new(offersOn(snap, f, now)) })
}

// Title implements screen.Screen.
func (c *choice) Title() string {
	return "fix " + string(c.f.Rule) + " " + panel.FindingSubject(c.snap, c.f)
}

// Status implements screen.Stater.
func (c *choice) Status() string {
	if !c.known {
		return "looking for fixes"
	}
	return component.Plural(len(c.offer.ways), "way") + ", nothing written yet"
}

// Typing implements screen.Typist.
func (*choice) Typing() bool { return false }

// Back implements screen.Backer.
func (*choice) Back() bool { return false }

// Update implements screen.Screen.
func (c *choice) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot == c.snap {
			return nil
		}
		c.snap = msg.Snapshot
		return c.ask()
	case tea.KeyMsg:
		if !msg.Paste {
			c.key(msg.String())
		}
		return nil
	}
	offer, ok, cmd := c.asks.Take(msg)
	if ok {
		c.take(*offer)
	}
	return cmd
}

// take shows what can be done now. The cursor stays on its fix.
func (c *choice) take(offer offers) {
	name := ""
	if c.at < len(c.offer.ways) {
		name = c.offer.ways[c.at].Name
	}
	c.offer, c.known = offer, true
	c.at = max(slices.IndexFunc(offer.ways, func(w way) bool { return w.Name == name }), 0)
}

// key moves the cursor.
func (c *choice) key(key string) {
	n := len(c.offer.ways)
	switch key {
	case "j", "down":
		c.at = min(c.at+1, max(n-1, 0))
	case "k", "up":
		c.at = max(c.at-1, 0)
	case "g", "home":
		c.at = 0
	case "G", "end":
		c.at = max(n-1, 0)
	}
}

// choose shows the effect of the fix under the cursor.
func (c *choice) choose() tea.Msg {
	return form.NextMsg{Step: newFixPage(c.env, c.snap, c.f, c.offer.ways[c.at].Fix)}
}

// Actions implements screen.Screen.
func (c *choice) Actions() []action.Action {
	choose := action.Action{ID: "choice.choose", Keys: "enter", Title: "preview", Help: "show what the fix does; nothing is written before", Priority: 95, Request: c.choose}
	if len(c.offer.ways) == 0 {
		choose.Disabled = "nothing to choose"
	}
	return []action.Action{
		choose,
		{ID: "choice.down", Keys: "j down", Title: "down", Group: action.Move},
		{ID: "choice.up", Keys: "k up", Title: "up", Group: action.Move},
		{ID: "choice.first", Keys: "g home", Title: "first", Group: action.Move},
		{ID: "choice.last", Keys: "G end", Title: "last", Group: action.Move},
	}
}

// View implements screen.Screen.
func (c *choice) View(w, h int) string {
	st := c.env.Styles
	switch {
	case !c.known:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelLoading, "looking for fixes")
	case c.offer.gone != nil:
		return screen.State(st, w, h, style.SeverityOK, "FIXED", c.offer.gone.Error(), "esc goes back")
	}
	a := list.Area{At: list.At{Snap: c.snap, Now: c.env.Now()}, Styles: st, Width: w, Height: h}
	rule := audit.RuleOf(c.f)
	lines := append([]string{component.Titled(st, w, string(c.f.Rule)+" "+rule.Title, panel.FindingSubject(c.snap, c.f))}, wrapped(a, 1, themes.Strong, c.f.Text)...)
	lines = append(lines, bars(a, c.f)...)
	lines = append(lines, wrapped(a, 1, themes.Dim, rule.Advice)...)
	lines = append(lines, component.Titled(st, w, "WHAT CAN BE DONE", ""))
	head := len(lines)
	focus, end := head, head
	for i, x := range c.offer.ways {
		if i == c.at {
			focus = len(lines)
		}
		lines = append(lines, c.wayLines(a, i, x)...)
		if i == c.at {
			end = len(lines)
		}
	}
	if over := end - h; over > 0 { // the chosen fix matters more than what is above it
		lines = lines[min(over, focus):]
	}
	lines = append(lines, c.does(w, h-len(lines))...)
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// does draws the effect of the fix under the cursor, if there are lines left for it.
func (c *choice) does(w, room int) []string {
	const least = 6
	if room < least || c.at >= len(c.offer.ways) || c.offer.ways[c.at].does.Empty() {
		return nil
	}
	st := c.env.Styles
	d := sheet.Diff{Styles: st, Snap: c.offer.on, Preview: c.offer.ways[c.at].does, At: c.env.Now()}
	out := []string{component.Titled(st, w, fmt.Sprintf("WHAT %d DOES", c.at+1), "")}
	if w < sheet.WideWidth {
		out = slices.Concat(out, d.Consumers(w), d.Touched(w), d.Records(w))
		out = append(out, d.WillSend(w, room-len(out)-1)...)
	} else {
		left := w * 3 / 5
		right := w - left - 2
		a, b := slices.Concat(d.Consumers(left), d.Touched(left), d.Records(left)), d.SendInFull(right, math.MaxInt)
		n := max(len(a), len(b))
		beside := component.Beside(2, component.Fit(strings.Join(a, "\n"), left, n), component.Fit(strings.Join(b, "\n"), right, n))
		out = append(out, strings.Split(beside, "\n")...)
	}
	if more := len(out) - room; more > 0 {
		out = append(out[:room-1], component.NewLine(st, w).Space(1).Add(themes.Faint, fmt.Sprintf("%s %s: enter shows all", st.Glyphs.More, component.Plural(more+1, "more line"))).String())
	}
	return out
}

// wayLines draws a fix: what it does, and below that what prevents it or what to
// consider.
func (c *choice) wayLines(a list.Area, i int, x way) []string {
	sign := " "
	if i == c.at {
		sign = a.Styles.Glyphs.RowCursor
	}
	out := component.Paragraph(a.Styles, a.Width, 4, themes.Strong, x.Title, func(l *component.Line) {
		l.Add(themes.Key, sign).Space(1).Add(themes.Key, fmt.Sprint(i+1))
	})
	var checks []sheet.Check
	switch {
	case x.refused != nil:
		checks = append(checks, sheet.Check{Severity: style.SeverityCritical, Text: x.refused.Error()})
	default:
		text := "tried on a copy: it can be done"
		if x.Course() != nil {
			text += ", in several steps"
		}
		checks = append(checks, sheet.Check{Severity: style.SeverityOK, Text: text})
	}
	if x.Prepares {
		checks = append(checks, sheet.Check{Severity: style.SeverityInfo, Text: "first step only: the problem stays until the next one"})
	}
	if x.Choice {
		checks = append(checks, sheet.Check{Severity: style.SeverityInfo, Text: "your call: placetop cannot know which is right"})
	}
	for _, line := range sheet.Checks(a.Styles, max(a.Width-4, 4), checks...) {
		out = append(out, component.Fit("    "+line, a.Width, 1))
	}
	return out
}
