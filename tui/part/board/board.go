// Package board lays several lists out on one screen.
//
// On large terminals all of them are in boxes side by side. On smaller ones the first few
// are one above the other, with one of the others below them and the names of the rest in
// its title. On the smallest the focused one has the whole body. Tab moves the focus, and
// a list keeps its own keys: filter, order, marks.
//
// A Board is not a screen by itself: the screen that contains it feeds it, and adds
// actions on all of its panes.
package board

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Panel is what a pane shows: a list.Screen.
type Panel interface {
	screen.Screen
	screen.Typist
	screen.Backer
	screen.AfterBacker
	// Blur says whether keys go elsewhere.
	Blur(on bool)
	// Counts returns how many rows pass the filter, and how many there are.
	Counts() (shown, all int)
	// Expr returns the filter as typed.
	Expr() string
	// SortedBy says what the rows are sorted by, "" if they have only one order.
	SortedBy() string
	// CursorID returns the id of the row under the cursor, or "" if there is none.
	CursorID() string
	// HasRow reports whether there is a row with that id.
	HasRow(id string) bool
}

// Pane is a part of a Board.
type Pane struct {
	Title string // in capitals
	Panel Panel
	// Note returns a text for the end of its title; it may be nil.
	Note func() string
	// Heads is how many lines the panel needs besides its rows.
	Heads int
	// Keys are at the bottom of its box.
	Keys string
	// Short is how many lines are enough if others need room; 0 for all of them.
	Short int
	// Uncounted is set if the number of rows means nothing.
	Uncounted bool
	// About returns the complete text about the row under the cursor, nil if there is
	// none.
	About func() (title string, words []Words)
}

// Words is a paragraph in one colour. Without text it is an empty line.
type Words struct {
	Token themes.Token
	Text  string
}

// About as the Pane of a Slot means the words about the row under the cursor.
const About = -1

// Slot is a box in a row of boxes.
type Slot struct {
	Pane  int // number of the pane, or About
	Share int // of the width of the row
}

// Row is a row of boxes on a large terminal.
type Row struct {
	Slots []Slot
	// Fits is set for a row that is only as high as its tallest pane needs; the others
	// share the rest.
	Fits bool
}

// Board is several lists on one screen. Its fields are set before the first View.
type Board struct {
	Styles *style.Styles
	Scope  string // of the ids of its actions
	Panes  []Pane
	// Fixed is how many of the first panes are above the others.
	Fixed int
	// Rows are the boxes on a large terminal.
	Rows []Row

	focus int
	below int // the pane below the fixed ones that last had the focus
	words bool
	text  sheet.Scroll // the words in view
	buf   []byte
}

// Init starts all panes.
func (b *Board) Init() tea.Cmd {
	b.below = min(b.Fixed, len(b.Panes)-1)
	b.Show(b.below)
	return b.all(Panel.Init)
}

// all calls do for every panel.
func (b *Board) all(do func(Panel) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range b.Panes {
		cmds = append(cmds, do(p.Panel))
	}
	return tea.Batch(cmds...)
}

// Focus returns the number of the pane that gets the keys.
func (b *Board) Focus() int { return b.focus }

// Panel returns the panel that gets the keys.
func (b *Board) Panel() Panel { return b.Panes[b.focus].Panel }

// Show gives the focus to a pane.
func (b *Board) Show(pane int) {
	b.focus = pane
	if pane >= b.Fixed {
		b.below = pane
	}
	for i, p := range b.Panes {
		p.Panel.Blur(i != pane)
	}
	b.text.Home()
}

// next gives the focus to the next pane, or with a negative by to the previous one.
func (b *Board) next(by int) {
	n := len(b.Panes)
	b.Show(((b.focus+by)%n + n) % n)
}

// Update passes a key to the focused pane, and any other message to all.
func (b *Board) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return b.all(func(p Panel) tea.Cmd { return p.Update(msg) })
	case b.words && !b.Typing() && sheet.ScrollAction("").Keys.Has(key.String()):
		b.text.Key(key.String())
		return nil
	}
	return b.Panel().Update(msg)
}

// Typing implements screen.Typist.
func (b *Board) Typing() bool { return b.Panel().Typing() }

// Back closes the words, or what is open in the focused pane.
func (b *Board) Back() bool {
	if b.words {
		b.words = false
		return true
	}
	return b.Panel().Back()
}

// AfterBack returns the work that Back left for the panes.
func (b *Board) AfterBack() tea.Cmd { return b.all(Panel.AfterBack) }

// CursorID returns the id of the row under the cursor, with its pane.
func (b *Board) CursorID() string {
	if id := b.Panel().CursorID(); id != "" {
		return b.Panes[b.focus].Title + "\x00" + id
	}
	return ""
}

// HasRow reports whether the pane that an id of CursorID names has its row.
func (b *Board) HasRow(id string) bool {
	pane, row, _ := strings.Cut(id, "\x00")
	i := slices.IndexFunc(b.Panes, func(p Pane) bool { return p.Title == pane })
	return i >= 0 && b.Panes[i].Panel.HasRow(row)
}

// about returns the words about the row under the cursor.
func (b *Board) about() (title string, words []Words) {
	if f := b.Panes[b.focus].About; f != nil {
		return f()
	}
	return "", nil
}

// Actions returns the keys of the pane with the focus, and those that move the
// focus. While the words fill the body only those about the row are left.
func (b *Board) Actions() []action.Action {
	id := func(name string) action.ID { return action.ID(b.Scope + "." + name) }
	step := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			b.next(by)
			return nil
		}
	}
	nothing := ""
	if _, words := b.about(); words == nil {
		nothing = "nothing under the cursor"
	}
	return append(b.Panel().Actions(),
		action.Action{ID: id("panel"), Keys: "tab", Title: "next panel", Help: "go to the next panel", Priority: 86, Group: action.Move, Run: step(1)},
		action.Action{ID: id("panel.back"), Keys: "shift+tab", Title: "previous panel", Help: "go to the previous panel", Group: action.Move, Run: step(-1)},
		action.Action{ID: id("explain"), Keys: "W", Title: "explain", Help: "what the row means, and what you can do about it", Priority: 72, Disabled: nothing, Run: func() tea.Cmd {
			b.words = !b.words
			b.text.Home()
			return nil
		}},
	)
}

// Status says how the focused list is filtered and sorted, for the crumb line.
func (b *Board) Status() string {
	p := b.Panel()
	text := p.SortedBy()
	if expr := p.Expr(); expr != "" {
		text = strings.TrimSpace("/" + expr + "   " + text)
	}
	return text
}

// note returns the text at the end of a pane's title.
func (p Pane) note() string {
	if p.Note == nil {
		return ""
	}
	return p.Note()
}

// title returns the title of a pane with the number of its rows.
func (p Pane) title() string {
	shown, all := p.Panel.Counts()
	switch {
	case p.Uncounted:
		return p.Title
	case p.Panel.Expr() != "":
		return p.Title + " " + component.Count(shown) + " of " + component.Count(all)
	}
	return p.Title + " " + component.Count(all)
}
