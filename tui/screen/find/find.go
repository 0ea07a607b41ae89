// Package find is the screen that goes to anything by a few letters: records of all kinds
// by name or uuid, and screens by theirs.
package find

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, at place.Find) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot(), at.Text), nil
		}),
	}
}

// Screen finds what is typed. It is made by New.
type Screen struct {
	screen.Outbox

	env    screen.Env
	snap   *cloud.Snapshot
	all    index // nil before the first
	ready  bool
	makes  screen.Task[index]
	prompt *component.Prompt

	best   []int // numbers of the matching ones
	n      int   // how many match
	cursor int
	goes   bool // enter was pressed before the index was read
	rows   int  // that the last view had room for
}

var (
	_ screen.Typist = (*Screen)(nil)
	_ screen.Stater = (*Screen)(nil)
)

// New returns the screen over a Snapshot, which searches for text.
func New(env screen.Env, snap *cloud.Snapshot, text string) *Screen {
	s := &Screen{env: env, snap: snap, prompt: component.NewPrompt(env.Styles, ">")}
	s.prompt.SetValue(text)
	s.makes.Clock = env.Clock
	return s
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.make() }

// make reads the index.
func (s *Screen) make() tea.Cmd {
	snap, views := s.snap, []screen.Named(nil)
	if s.env.Views != nil {
		views = s.env.Views()
	}
	if !s.ready && screen.Small(snap) {
		s.take(indexOf(s.env.Context, snap, views))
		return nil
	}
	return s.makes.Follow(s.env.Context, func(ctx context.Context) index { return indexOf(ctx, snap, views) })
}

// Title implements screen.Screen.
func (s *Screen) Title() string { return "go to" }

// Status implements screen.Stater.
func (s *Screen) Status() string {
	if !s.ready {
		return "reading"
	}
	return fmt.Sprintf("%s of %s", component.Count(s.n), component.Count(len(s.all)))
}

// Typing implements screen.Typist.
func (s *Screen) Typing() bool { return true }

// Actions returns none: all keys are typed.
func (s *Screen) Actions() []action.Action { return nil }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot == s.snap {
			return nil
		}
		s.snap = msg.Snapshot
		return s.make()
	case tea.KeyMsg:
		return s.key(msg)
	}
	got, ok, cmd := s.makes.Take(msg)
	if ok {
		if s.take(got); s.goes {
			return tea.Batch(cmd, screen.Send(s.leave()))
		}
	}
	return cmd
}

// take searches a new index. The cursor stays on its place.
func (s *Screen) take(all index) {
	at := s.current()
	s.all, s.ready = all, true
	s.search()
	for i, n := range s.best {
		if at != nil && s.all[n].to == at {
			s.cursor = i
		}
	}
}

// current returns the place under the cursor, nil if none.
func (s *Screen) current() place.Place {
	if s.cursor < len(s.best) {
		return s.all[s.best[s.cursor]].to
	}
	return nil
}

// search searches for the typed text.
func (s *Screen) search() {
	s.best, s.n = s.all.search(s.prompt.Value())
	s.cursor = 0
}

// leave asks for the place under the cursor; for none as long as that is not known.
func (s *Screen) leave() tea.Msg {
	s.goes = !s.ready
	if to := s.current(); to != nil {
		return screen.Goto{To: to, Replace: true}
	}
	return nil
}

// key handles a key: it moves, goes to a place, or is typed.
func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	s.goes = false
	page := max(s.rows-1, 1)
	move := func(n int) tea.Cmd {
		s.cursor = max(min(s.cursor+n, len(s.best)-1), 0)
		return nil
	}
	if !msg.Paste {
		switch msg.String() {
		case "down", "ctrl+n", "ctrl+j":
			return move(1)
		case "up", "ctrl+p", "ctrl+k":
			return move(-1)
		case "pgdown":
			return move(page)
		case "pgup":
			return move(-page)
		case "enter":
			s.Post(s.leave())
			return nil
		case "tab":
			if s.cursor < len(s.best) {
				s.prompt.SetValue(s.all[s.best[s.cursor]].name)
				s.search()
			}
			return nil
		}
	}
	switch s.prompt.Key(msg) {
	case component.PromptCancel:
		s.Post(screen.PopMsg{})
	case component.PromptChanged:
		s.search()
	case component.PromptNone, component.PromptSubmit:
	}
	return nil
}

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	st := s.env.Styles
	lines := []string{s.prompt.View(w)}
	if h > 3 {
		lines = append(lines, "")
	}
	s.rows = max(h-len(lines)-1, 1)
	switch {
	case !s.ready:
		lines = append(lines, component.NewLine(st, w).Space(1).Add(themes.Dim, "reading what there is").String())
	case len(s.best) == 0:
		lines = append(lines, strings.Split(screen.State(st, w, min(3, h), style.SeverityNone, screen.LabelEmpty, "nothing is called "+s.prompt.Value(), "try: fewer letters, or the start of a uuid"), "\n")...)
	case strings.TrimSpace(s.prompt.Value()) == "":
		lines = append(lines, panel.Facts(st, w, s.all.sorts()...)...)
		lines = append(lines, "")
		lines = append(lines, s.found(w, max(h-len(lines)-1, 1))...)
	default:
		lines = append(lines, s.found(w, s.rows)...)
	}
	for len(lines) < h-1 {
		lines = append(lines, "")
	}
	if h > 2 {
		lines = append(lines[:min(len(lines), h-1)], component.Keys(component.NewLine(st, w).Space(1), "enter", "go", "up down", "choose", "tab", "complete", "esc", "close").String())
	}
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// found draws the results, including the row under the cursor.
func (s *Screen) found(w, h int) []string {
	const what, leastNote, leastName, mostName = 10, 8, 16, 60
	from := max(min(s.cursor-h/2, len(s.best)-h), 0)
	name := leastName
	for _, n := range s.best[from:min(from+h, len(s.best))] {
		name = max(name, component.Width(s.env.Styles, s.all[n].name)+1)
	}
	name = min(name, max(w*3/5, leastName), mostName, w-what-4)
	var lines []string
	for i := from; i < min(from+h, len(s.best)); i++ {
		e := &s.all[s.best[i]]
		l := component.NewLine(s.env.Styles, w)
		if i == s.cursor {
			l.Select(true).Add(themes.Title, s.env.Styles.Glyphs.RowCursor).Space(1)
		} else {
			l.Space(2)
		}
		l.Column(what, themes.Dim, e.what).Space(1)
		l.Cell(name).KeepEnds(true).Add(themes.Strong, e.name).EndCell(component.AlignLeft).KeepEnds(false).Space(1)
		if l.Left() >= leastNote {
			l.Add(themes.Dim, e.note)
		}
		lines = append(lines, l.String())
	}
	return lines
}
