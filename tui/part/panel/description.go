package panel

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Description is lines to read, as of the moment when it was opened.
type Description struct {
	st     *style.Styles
	title  string
	copied string // what c has copied, in words
	lines  []line
	scroll Scroll
}

var _ screen.Screen = (*Description)(nil)

// Init implements screen.Screen.
func (p *Description) Init() tea.Cmd { return nil }

// Title implements screen.Screen.
func (p *Description) Title() string { return p.title }

// Update implements screen.Screen.
func (p *Description) Update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyMsg); ok && !key.Paste {
		p.scroll.Key(key.String())
	}
	return nil
}

// labelMost is the largest width of the label column, in cells.
const labelMost = 20

// View implements screen.Screen.
func (p *Description) View(w, h int) string {
	label := 0
	for _, l := range p.lines {
		label = max(label, min(component.Width(p.st, l.label), labelMost))
	}
	var out []string
	for _, l := range p.lines {
		out = append(out, p.drawn(l, label, w)...)
	}
	return component.Fit(p.scroll.View(p.st, w, h, out), w, h)
}

// drawn draws a line on as many lines of w cells as its text takes.
func (p *Description) drawn(l line, label, w int) []string {
	if l.rule {
		return []string{component.Titled(p.st, w, l.text, "")}
	}
	at := 1
	if l.label != "" {
		at += label + 2
	}
	if at > w/2 {
		at = 2
	}
	indent := len(l.text) - len(strings.TrimLeft(l.text, " "))
	parts := component.Wrap(p.st, l.text[indent:], max(w-at-indent-1, 1))
	if len(parts) == 0 {
		parts = []string{""}
	}
	var out []string
	for i, part := range parts {
		to := component.NewLine(p.st, w).Space(1)
		if i == 0 && l.label != "" && at > 2 {
			to.Column(label, themes.Dim, l.label)
		}
		out = append(out, to.To(at+indent).Add(l.token, part).String())
	}
	return out
}

// Text returns the page as text.
func (p *Description) Text() string {
	var b strings.Builder
	for _, l := range p.lines {
		if l.label != "" {
			b.WriteString(l.label + ": ")
		}
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// Actions implements screen.Screen.
func (p *Description) Actions() []action.Action {
	return []action.Action{
		{ID: "describe.copy", Keys: "c", Title: "copy", Help: "copy the page", Priority: 80, Request: func() tea.Msg {
			return screen.CopyMsg{What: p.copied, Text: p.Text()}
		}},
		ScrollAction("describe.scroll"),
	}
}
