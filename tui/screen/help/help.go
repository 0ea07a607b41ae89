// Package help is the page that lists what every key does here, made from the
// actions that the keys run, so that it cannot be wrong.
package help

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screen lists actions in columns by group and finds them as the user types.
type Screen struct {
	screen.Outbox

	st      *style.Styles
	about   About
	actions []action.Action
	search  *component.Prompt
	begun   bool     // by "/": a q is typed
	held    *heldMsg // of a q that may close the page, or be typed; nil for none
	cursor  int      // among the tasks that are shown
	top     int      // the first visible row, if not all fit
	most    int      // the largest possible top, known once drawn
	room    int      // how many rows fit, known once drawn
}

var (
	_ screen.Screen = (*Screen)(nil)
	_ screen.Typist = (*Screen)(nil)
	_ screen.Stater = (*Screen)(nil)
)

// New returns the help about a screen, whose actions are lists,
// asked in order. An action that an earlier one hides because it has all of its
// keys is left out.
func New(st *style.Styles, about About, lists ...[]action.Action) *Screen {
	s := &Screen{st: st, about: about, search: component.NewPrompt(st, "/")}
	taken := map[string]bool{}
	for _, list := range lists {
		for _, a := range list {
			hidden := a.Keys != "" && !slices.ContainsFunc(a.Keys.Names(), func(k string) bool { return !taken[k] })
			if !hidden {
				s.actions = append(s.actions, a)
			}
		}
		for _, a := range list {
			for key := range a.Keys.All() {
				taken[key] = true
			}
		}
	}
	return s
}

// Init does nothing.
func (s *Screen) Init() tea.Cmd { return nil }

// Title says what the help is about.
func (s *Screen) Title() string { return "help: " + s.about.Title }

// holdTime is how long a q that nothing was typed before waits for another letter: alone it
// closes the page, and "quota" is searched for.
const holdTime = 400 * time.Millisecond

// heldMsg says that nothing followed a q in time.
type heldMsg struct{ _ byte } // each has an address of its own

// Status says how to search and leave.
func (s *Screen) Status() string {
	switch {
	case s.search.Value() != "":
		return "esc clears the search"
	case s.most > 0:
		return "type to search   up down scroll   esc close"
	}
	return "type to search   esc close"
}

// Typing is true: keys are what to search for.
func (s *Screen) Typing() bool { return true }

// Actions returns none: all keys are typed.
func (s *Screen) Actions() []action.Action { return nil }

// Update searches, scrolls and closes.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(*heldMsg); ok && msg == s.held {
		return screen.Send(screen.PopMsg{})
	}
	key, ok := msg.(tea.KeyMsg)
	if !ok {
		return nil
	}
	if s.held != nil {
		if s.held = nil; key.Type == tea.KeyRunes {
			s.search.SetValue("q")
		}
	}
	if !key.Paste {
		switch name := key.String(); {
		case name == "down" || name == "ctrl+n":
			s.down()
			return nil
		case name == "up" || name == "ctrl+p":
			s.up()
			return nil
		case name == "pgdown":
			for range 10 {
				s.down()
			}
			return nil
		case name == "pgup":
			for range 10 {
				s.up()
			}
			return nil
		case name == "enter":
			s.Post(s.enter())
			return nil
		case name == "/" && s.search.Value() == "":
			s.begun = true
			return nil
		case name == "?" && s.search.Value() == "" && !s.begun:
			s.Post(screen.PopMsg{})
			return nil
		case name == "q" && s.search.Value() == "" && !s.begun:
			held := new(heldMsg)
			s.held = held
			return tea.Tick(holdTime, func(time.Time) tea.Msg { return held })
		case name == "esc" && s.search.Value() != "":
			s.search.Reset()
			s.top, s.cursor = 0, 0
			return nil
		}
	}
	if s.search.Key(key) == component.PromptCancel {
		s.Post(screen.PopMsg{})
		return nil
	}
	s.top, s.cursor = 0, 0
	return nil
}

// briefBelow is the column width, in cells, below which actions are listed by title:
// complete sentences would be cut or take a page each.
const briefBelow = 36

// View draws the columns that the width has room for. What a search found is in
// one column, in full.
func (s *Screen) View(w, h int) string {
	columns := s.columns()
	rows := append(s.onCall(w), s.intro(w, h)...)
	if w >= 78 && len(columns) > 1 && s.search.Value() == "" {
		rows = append(rows, s.beside(columns, w)...)
	} else {
		for _, c := range columns {
			rows = append(rows, component.Titled(s.st, w, c.title, ""))
			for _, a := range c.actions {
				rows = append(rows, s.row(a, w, columns)...)
			}
		}
	}
	if len(rows) == 0 {
		rows = append(rows, component.NewLine(s.st, w).Space(1).Add(themes.Dim, "no key, screen or problem is called that").String())
	}
	room := max(h-1, 1)
	if room < s.room && s.line() >= s.top { // the cursor stays in view in a smaller window
		s.top = max(s.top, s.line()-room+2)
	}
	s.most, s.room = max(len(rows)-room, 0), room
	s.top = min(s.top, s.most)
	shown := slices.Clone(rows[s.top:min(len(rows), s.top+room)])
	if more := len(rows) - s.top - room; more > 0 && len(shown) > 1 {
		// The line itself hides one more.
		shown[len(shown)-1] = component.NewLine(s.st, w).Space(1).Glyphs(themes.Dim, s.st.Glyphs.More, 1).
			Add(themes.Dim, fmt.Sprintf(" %d more lines   down, pgdown", more+1)).String()
	}
	body := component.Fit(strings.Join(shown, "\n"), w, room)
	if h < 2 {
		return component.Fit(body, w, h)
	}
	return body + "\n" + component.Fit(s.search.View(w), w, 1)
}

// column is one group of actions.
type column struct {
	title   string
	actions []action.Action
}

// columns returns the groups with the actions that match the search. Those without a key
// are only there for who searches.
func (s *Screen) columns() []column {
	titles := []struct {
		group action.Group
		title string
	}{{action.Here, "HERE"}, {action.Move, "MOVE"}, {action.Everywhere, "EVERYWHERE"}}
	var out []column
	for _, t := range titles {
		c := column{title: t.title}
		for _, a := range s.actions {
			if a.Group == t.group && s.matches(a) && (a.Keys != "" || s.search.Value() != "") {
				c.actions = append(c.actions, a)
			}
		}
		if len(c.actions) > 0 {
			out = append(out, c)
		}
	}
	return out
}

func (s *Screen) matches(a action.Action) bool {
	text := strings.ToLower(a.Labels() + " " + a.Title + " " + a.Help + " " + string(a.ID))
	return !slices.ContainsFunc(filter.Asked(s.search.Value()), func(word string) bool { return !strings.Contains(text, word) })
}

// beside draws the columns side by side.
func (s *Screen) beside(columns []column, w int) []string {
	each := w / len(columns)
	blocks := make([][]string, len(columns))
	widths := make([]int, len(columns))
	tallest := 0
	for i, c := range columns {
		widths[i] = each
		if i == len(columns)-1 {
			widths[i] = w - each*(len(columns)-1)
		}
		blocks[i] = []string{component.Titled(s.st, widths[i], c.title, "")}
		for _, a := range c.actions {
			blocks[i] = append(blocks[i], s.row(a, widths[i], columns[i:i+1])...)
		}
		tallest = max(tallest, len(blocks[i]))
	}
	fitted := make([]string, len(columns))
	for i := range columns {
		fitted[i] = component.Fit(strings.Join(blocks[i], "\n"), widths[i], tallest)
	}
	return strings.Split(component.Beside(0, fitted...), "\n")
}

// keysOf returns the keys of an action, or the command of one that has none.
func keysOf(a action.Action) string { return cmp.Or(a.Labels(), a.Command()) }

// row draws an action; its text is in one column with that of the others, on as many
// lines as it takes.
func (s *Screen) row(a action.Action, w int, among []column) []string {
	keys := 6
	for _, c := range among {
		for _, b := range c.actions {
			keys = max(keys, min(component.Width(s.st, keysOf(b)), w/2))
		}
	}
	key, tone := themes.Key, themes.KeyHint
	if a.Disabled != "" {
		key, tone = themes.KeyOff, themes.Faint
	}
	text := a.HelpText()
	if w < briefBelow {
		text = a.Title
	} else if a.Disabled != "" {
		text += " (" + a.Disabled + ")"
	}
	var rows []string
	l := component.NewLine(s.st, w)
	for i, part := range component.Wrap(s.st, text, w-keys-4) {
		if i > 0 {
			l.Reset(w)
		}
		l.Space(1).Cell(keys)
		if i == 0 {
			l.Add(key, keysOf(a))
		}
		l.EndCell(component.AlignLeft).Space(2)
		l.Column(max(w-l.Pos(), 0), tone, part)
		rows = append(rows, l.String())
	}
	return rows
}
