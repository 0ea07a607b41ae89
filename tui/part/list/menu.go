package list

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Mark says whether a line is switched on.
type Mark uint8

// The marks.
const (
	Plain Mark = iota // not a switch
	Off
	On
)

// Item is a line.
type Item struct {
	ID   string // what it is about, "" for its Name; no two have the same
	Kind string // before the name, "" for nothing
	Name string
	Note string // explanation after the name
	Mark Mark
	Tone themes.Token // of the name, Blank for the usual one
	// Run is what enter does with the line, nil for nothing: first it closes the menu, unless
	// that Stays. Request, in place of Run, returns what the root model is to do then.
	Run     func() tea.Cmd
	Request func() tea.Msg
}

// MenuSpec declares a menu. Name, Title, and Items or Search must be set.
type MenuSpec struct {
	Name  string // in the ids of its keys
	Title string // in the crumb line
	// Intro are paragraphs at the top: the purpose of the page.
	Intro []string
	// Items returns the current lines.
	Items func() []Item
	// Search returns the lines for what is typed, the best first, in place of Items; Text is
	// what is typed already.
	Search func(text string) []Item
	Text   string
	// At is the id of the line that has the cursor initially.
	At string
	// Verb is what enter does; "" where there is nothing to choose.
	Verb string
	// Unnumbered is set where lines are read, and digits lead to screens as ever.
	Unnumbered bool
	// Typed is set if what is typed narrows the lines at once, and enter chooses.
	Typed bool
	// Stays is set if the page stays after a choice.
	Stays bool
	// Moved is called with the new line under the cursor; Left when the page is left
	// without a choice.
	Moved func(Item) tea.Cmd
	Left  func()
	// Actions are more keys about the line under the cursor.
	Actions func(Item) []action.Action
	// Empty says that there are no lines.
	Empty string
}

// Menu is a menu on the screen.
type Menu struct {
	screen.Outbox

	spec   MenuSpec
	st     *style.Styles
	grid   *component.Grid
	items  []Item            // those that match
	search *component.Prompt // nil without a search
	expr   string
	chosen bool
	intro  int // lines of it at the last View, with the blank one below
}

var (
	_ screen.Screen  = (*Menu)(nil)
	_ screen.Stater  = (*Menu)(nil)
	_ screen.Backer  = (*Menu)(nil)
	_ screen.Typist  = (*Menu)(nil)
	_ screen.Leaver  = (*Menu)(nil)
	_ screen.Clicker = (*Menu)(nil)
)

// NewMenu returns a menu.
func NewMenu(st *style.Styles, spec MenuSpec) *Menu {
	s := &Menu{spec: spec, st: st}
	s.grid = component.NewGrid(st, []component.Column{
		{Key: "name"}, {Key: "note"},
	})
	s.grid.NoHeader = true
	if spec.Empty != "" {
		s.grid.Empty = component.Seg{Token: themes.Dim, Text: spec.Empty}
	}
	if spec.Typed {
		s.grid.Empty = component.Seg{Token: themes.Dim, Text: cmp.Or(spec.Empty, "nothing matches")}
		s.search = component.NewPrompt(st, "/")
		s.search.SetValue(spec.Text)
		s.expr = spec.Text
	}
	s.fill()
	s.grid.MoveTo(spec.At)
	return s
}

// fill fetches the lines.
func (s *Menu) fill() {
	var items, all []Item
	words := strings.Fields(strings.ToLower(s.expr))
	if s.spec.Search != nil {
		all, words = s.spec.Search(s.expr), nil
	} else {
		all = s.spec.Items()
	}
	name := 0
	for _, i := range all {
		i.ID = cmp.Or(i.ID, i.Name)
		text := strings.ToLower(i.Name + " " + i.Note)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			items = append(items, i)
			name = max(name, s.width(i)+2)
		}
	}
	s.items = items
	if name = min(max(name, 12), 40); s.grid.Columns()[0].Min != name {
		s.grid.SetColumns([]component.Column{
			{Key: "name", Min: name}, {Key: "note", Min: 10, Flex: 1, Priority: 1},
		})
	}
	s.grid.Show(component.Rows{
		N: len(items), Name: func(row int) string { return items[row].ID }, Draw: func(l *component.Line, row, col int) {
			switch {
			case !s.numbered() || col > 0:
			case row < len(numbers()):
				l.Add(themes.Key, numbers()[row]).Space(1)
			default:
				l.Space(2)
			}
			items[row].draw(l, col)
		},
	})
}

// width returns how many cells the name of a line takes, with what is before it.
func (s *Menu) width(i Item) int {
	w := component.Width(s.st, i.Name)
	if s.numbered() {
		w += 2
	}
	if i.Mark != Plain {
		w += 4
	}
	if i.Kind != "" {
		w += kindWidth + 1
	}
	return w
}

// numbered reports whether the first nine lines can be chosen by number: where there is something
// to choose, and digits are not typed.
func (s *Menu) numbered() bool {
	return s.spec.Verb != "" && !s.spec.Typed && !s.spec.Unnumbered
}

// current returns the line under the cursor.
func (s *Menu) current() (Item, bool) {
	r, _ := s.grid.Cursor()
	if r < 0 {
		return Item{}, false
	}
	return s.items[r], true
}

// Current returns the id of the line under the cursor, or "" if there is none.
func (s *Menu) Current() string {
	i, _ := s.current()
	return i.ID
}

// MoveTo puts the cursor on a line.
func (s *Menu) MoveTo(id string) {
	s.fill()
	s.grid.MoveTo(id)
}

// Init implements screen.Screen.
func (s *Menu) Init() tea.Cmd { return nil }

// Title implements screen.Screen.
func (s *Menu) Title() string { return s.spec.Title }

// Status implements screen.Stater.
func (s *Menu) Status() string {
	if s.expr != "" {
		return "/" + s.expr + screen.StatusGap + component.Count(len(s.items))
	}
	return component.Count(len(s.items))
}

// Typing implements screen.Typist.
func (s *Menu) Typing() bool { return s.search != nil }

// Back implements screen.Backer: esc first shows all lines again.
func (s *Menu) Back() (bool, tea.Cmd) {
	if s.expr == "" {
		return false, nil
	}
	s.expr = ""
	s.fill()
	return true, nil
}

// Leave implements screen.Leaver.
func (s *Menu) Leave() {
	if s.spec.Left != nil && !s.chosen {
		s.spec.Left()
	}
}

// Update implements screen.Screen.
func (s *Menu) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		s.fill()
		return nil
	case s.search != nil && s.spec.Typed && component.ListKey(key) != "":
		return s.moved(func() { s.grid.Key(component.ListKey(key)) })
	case s.search != nil:
		s.typed(key)
		return nil
	case key.Paste:
		return nil
	}
	if n := slices.Index(numbers(), key.String()); s.numbered() && n >= 0 && n < len(s.items) {
		cmd := s.moved(func() { s.grid.MoveToRow(n) })
		if s.spec.Stays {
			return tea.Batch(cmd, s.chooseAndStay())
		}
		s.Post(s.Choose())
		return cmd
	}
	return s.moved(func() { s.grid.Key(key.String()) })
}

// numbers are the keys of the first lines.
func numbers() []string { return []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} }

// moved runs what may move the cursor, and reports where it went.
func (s *Menu) moved(move func()) tea.Cmd {
	before := s.Current()
	move()
	if i, ok := s.current(); ok && i.ID != before && s.spec.Moved != nil {
		return s.spec.Moved(i)
	}
	return nil
}

// typed handles a key for the search.
func (s *Menu) typed(key tea.KeyMsg) {
	switch did := s.search.Key(key); {
	case s.spec.Typed && did == component.PromptCancel:
		s.Post(screen.PopMsg{})
	case s.spec.Typed && did == component.PromptSubmit:
		s.Post(s.Choose())
		return
	case did == component.PromptCancel:
		s.search, s.expr = nil, ""
	case did == component.PromptSubmit:
		s.expr, s.search = s.search.Value(), nil
	case did == component.PromptChanged:
		if s.expr = s.search.Value(); s.spec.Search != nil {
			s.fill()
			s.grid.MoveToRow(0)
			return
		}
	default:
		return
	}
	s.fill()
}

// Click implements screen.Clicker.
func (s *Menu) Click(_, y int) tea.Cmd {
	r := s.grid.RowAt(y - s.intro)
	if r < 0 {
		return nil
	}
	return s.moved(func() { s.grid.MoveToRow(r) })
}

// Actions implements screen.Screen.
func (s *Menu) Actions() []action.Action {
	id := func(name string) action.ID { return action.ID(s.spec.Name + "." + name) }
	i, ok := s.current()
	var list []action.Action
	if s.spec.Verb != "" {
		choose := action.Action{ID: id("choose"), Keys: "enter", Title: s.spec.Verb, Priority: 95, Request: s.Choose}
		if s.spec.Stays {
			choose.Request, choose.Run = nil, s.chooseAndStay
		}
		if !ok {
			choose.Disabled = "nothing to choose"
		}
		list = append(list, choose)
		if s.numbered() {
			list = append(list, action.Digits(s.spec.Name, len(s.items))...)
		}
	}
	if s.spec.Actions != nil {
		for _, a := range s.spec.Actions(i) {
			if run := a.Run; run != nil {
				a.Run = func() tea.Cmd {
					cmd := run()
					s.fill()
					return cmd
				}
			}
			if !ok && a.Disabled == "" {
				a.Disabled = "there is nothing under the cursor"
			}
			list = append(list, a)
		}
	}
	if s.spec.Typed {
		return append(list, action.Action{ID: id("cancel"), Keys: "esc", Title: "cancel"})
	}
	list = append(list, action.Action{ID: id("filter"), Keys: "/", Title: "find", Help: "show only lines with these words", Priority: 40, Run: func() tea.Cmd {
		s.search = component.NewPrompt(s.st, "/")
		s.search.SetValue(s.expr)
		return nil
	}})
	for _, m := range panel.GridMoves() {
		switch m.ID {
		case "grid.down", "grid.up", "grid.first", "grid.last", "grid.half", "grid.halfup", "grid.page", "grid.pageup":
			list = append(list, m)
		}
	}
	return list
}

// Choose closes the menu and runs the action of the line under the cursor.
func (s *Menu) Choose() tea.Msg {
	i, ok := s.current()
	if !ok {
		return nil
	}
	s.chosen = true
	return screen.DoneMsg{Request: i.Request, Then: i.Run}
}

// chooseAndStay runs the action of the line under the cursor.
func (s *Menu) chooseAndStay() tea.Cmd {
	i, ok := s.current()
	if !ok || i.Run == nil {
		return nil
	}
	cmd := i.Run()
	s.fill()
	return cmd
}

// View implements screen.Screen.
func (s *Menu) View(w, h int) string {
	foot := ""
	if s.search != nil {
		foot = s.search.View(w)
	}
	if s.spec.Typed {
		foot = component.Stack(foot, panel.Hints(s.st, w, "type", "to search", "enter", s.spec.Verb, "esc", "cancel"))
	}
	return panel.Sheet(w, h, "", foot, s.body)
}

// body draws the lines.
func (s *Menu) body(w, h int) string {
	var lines []string
	for _, text := range s.spec.Intro {
		lines = append(lines, component.Paragraph(s.st, w, 1, themes.Dim, text)...)
	}
	if len(lines) > 0 {
		lines = append(lines, component.NewLine(s.st, w).String())
	}
	lines = lines[:min(len(lines), max(h-3, 0))]
	s.intro = len(lines)
	whole := s.whole(w, (h-len(lines))/3)
	lines = append(lines, s.grid.View(w, h-len(lines)-len(whole)))
	return strings.Join(append(lines, whole...), "\n")
}

// whole returns the name and the note of the line under the cursor in at most h lines, none if
// no line is cut at this width.
func (s *Menu) whole(w, h int) []string {
	name, need := s.grid.Columns()[0].Min, 0
	for _, i := range s.items {
		if s.width(i) > name || component.Width(s.st, i.Note) > w-name-noteAt {
			need = max(need, len(component.Wrap(s.st, i.Note, w-1)), 1)
		}
	}
	if need = min(need+1, h); need < 2 {
		return nil
	}
	at, _ := s.current()
	lines := append([]string{component.Titled(s.st, w, at.Name, "")}, component.Paragraph(s.st, w, 1, themes.Text, at.Note)...)
	for len(lines) < need {
		lines = append(lines, component.NewLine(s.st, w).String())
	}
	return lines[:need]
}

// noteAt is how many cells precede the name, and separate it from the note.
const noteAt = 4

// kindWidth is the width of the kind, in cells.
const kindWidth = 10

// draw draws a cell of a line.
func (i Item) draw(l *component.Line, col int) {
	if col == 1 {
		l.Add(themes.Dim, i.Note)
		return
	}
	switch i.Mark {
	case On:
		l.Add(themes.Marked, "[x] ")
	case Off:
		l.Add(themes.Faint, "[ ] ")
	case Plain:
	}
	if i.Kind != "" {
		l.Add(themes.Dim, fmt.Sprintf("%-*s ", kindWidth, i.Kind))
	}
	l.KeepEnds(true).Add(cmp.Or(i.Tone, themes.Strong), i.Name).KeepEnds(false)
}
