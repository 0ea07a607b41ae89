package screen

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// The words for the states of a screen, in capitals at the start of what it says.
const (
	LabelEmpty    = "EMPTY"
	LabelFirstRun = "FIRST RUN"
	LabelLoading  = "LOADING"
	LabelUnread   = "NOT READ"
	LabelStale    = "STALE"
	LabelConflict = "CONFLICT"
	LabelLocked   = "LOCKED"
	LabelDenied   = "DENIED"
	LabelPanic    = "PANIC"
)

// labelWidth is the column of the text after a label, in cells.
const labelWidth = 12

// State returns a block of w x h cells that says in what state a screen is:
//
//	EMPTY      no provider matches  owner=both class=PGPU
//	           try: esc clears the filter (721 without it)
//
// On a narrow terminal the text is below the label. Lines are broken at spaces.
func State(st *style.Styles, w, h int, severity style.Severity, label string, lines ...string) string {
	token := severity.Token()
	if token == themes.Blank {
		token = themes.Title
	}
	indent := max(labelWidth, 1+len(label)+1)
	if w < 60 {
		indent = 1
	}
	var out []string
	l := component.NewLine(st, w)
	l.Space(1).Add(token, label)
	if indent == 1 {
		out = append(out, l.String())
	}
	for _, line := range lines {
		for _, part := range component.Wrap(st, line, w-indent-1) {
			if len(out) > 0 {
				l.Reset(w)
			}
			l.To(indent).Add(themes.Text, part)
			out = append(out, l.String())
		}
	}
	if len(out) == 0 {
		out = append(out, l.String())
	}
	return component.Fit(strings.Join(out, "\n"), w, h)
}

// Choice is an action offered by a Page.
type Choice struct {
	Key   string
	Title string
	// What it does, as in action.Action.
	To      place.Place
	Request func() tea.Msg
	Run     func() tea.Cmd
}

// Page is a screen with a message and choices: the file is locked, there is no cloud
// yet, something crashed.
type Page struct {
	st       *style.Styles
	title    string
	severity style.Severity
	label    string
	lines    []string
	choices  []Choice
}

var _ Screen = (*Page)(nil)

// NewPage returns a page with a title for the crumb line, and lines after the label.
func NewPage(st *style.Styles, title string, severity style.Severity, label string, lines []string, choices ...Choice) *Page {
	return &Page{st: st, title: title, severity: severity, label: label, lines: lines, choices: choices}
}

// NewLocked returns the page for a file that is open elsewhere. Holder says who
// has it: "pid 4211, placetop on pts/3, since 13:20".
func NewLocked(st *style.Styles, file, holder string, choices ...Choice) *Page {
	lines := []string{"the file is open elsewhere"}
	if holder != "" {
		lines[0] += " (" + holder + ")"
	}
	return NewPage(st, "locked", style.SeverityWarn, LabelLocked, append(lines, file), choices...)
}

// NewFirstRun returns the page for a cloud without providers.
func NewFirstRun(st *style.Styles, choices ...Choice) *Page {
	return NewPage(st, "welcome", style.SeverityNone, LabelFirstRun, []string{"this cloud has no providers yet."}, choices...)
}

// Init does nothing.
func (p *Page) Init() tea.Cmd { return nil }

// Update does nothing: choices are actions.
func (p *Page) Update(tea.Msg) tea.Cmd { return nil }

// AddLine adds a line to the page.
func (p *Page) AddLine(line string) { p.lines = append(p.lines, line) }

// View draws the label, the lines, and a line for each choice.
func (p *Page) View(w, h int) string {
	text := State(p.st, w, h, p.severity, p.label, p.lines...)
	rows := strings.Split(text, "\n")
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	rows = append(rows, "")
	for _, c := range p.choices {
		l := component.NewLine(p.st, w)
		if w >= 60 {
			l.To(labelWidth)
		} else {
			l.Space(1)
		}
		l.Add(themes.Key, action.KeyLabel(c.Key)).Space(2).Add(themes.Text, c.Title)
		rows = append(rows, l.String())
	}
	return component.Fit("\n"+strings.Join(rows, "\n"), w, h)
}

// Title returns the page's name.
func (p *Page) Title() string { return p.title }

// Actions returns the choices.
func (p *Page) Actions() []action.Action {
	scope, _, _ := strings.Cut(p.title, " ") // the rest is what the page is about
	actions := make([]action.Action, len(p.choices))
	for i, c := range p.choices {
		actions[i] = action.Action{
			ID:       action.ID(scope + "." + c.Key),
			Keys:     action.Keys(c.Key),
			Title:    c.Title,
			Priority: 100 - i,
			To:       c.To,
			Request:  c.Request,
			Run:      c.Run,
		}
	}
	return actions
}

// NoProviders says that a cloud is empty, and what fills it.
func NoProviders() []string {
	return []string{"this cloud has no providers yet", "try: `placetop probe --register` makes one of this machine, :newprovider one by hand"}
}
