// Package find is the screen that goes to anything by a few letters: records of all kinds
// by name or uuid, and screens by theirs.
package find

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
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
	*list.Menu
	env   screen.Env
	snap  *cloud.Snapshot
	all   index
	ready bool // all was read
	makes screen.Task[index]
	n     int  // how many match
	goes  bool // enter was pressed before that
}

var (
	_ screen.Typist = (*Screen)(nil)
	_ screen.Stater = (*Screen)(nil)
)

// New returns the screen over a Snapshot, which searches for text.
func New(env screen.Env, snap *cloud.Snapshot, text string) *Screen {
	s := &Screen{env: env, snap: snap}
	s.makes.Clock = env.Clock
	s.Menu = list.NewMenu(env.Styles, list.MenuSpec{
		Name: "find", Title: "go to", Verb: "go", Typed: true, Search: s.search, Text: text,
		Empty: "nothing is called that; try fewer letters, or the start of a uuid",
	})
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
		return s.take(indexOf(s.env.Context, snap, views))
	}
	return s.makes.Follow(s.env.Context, func(ctx context.Context) index { return indexOf(ctx, snap, views) })
}

// Status implements screen.Stater.
func (s *Screen) Status() string {
	if !s.ready {
		return "reading"
	}
	status := fmt.Sprintf("%s of %s", component.Count(s.n), component.Count(len(s.all)))
	if s.n > most { // the others are not below the last line either
		status += fmt.Sprintf(", the best %d listed", most)
	}
	return status
}

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
		if s.goes = !s.ready && msg.String() == "enter"; s.goes {
			return nil
		}
		return s.Menu.Update(msg)
	}
	got, ok, cmd := s.makes.Take(msg)
	if ok {
		cmd = tea.Batch(cmd, s.take(got))
	}
	return cmd
}

// take searches a new index, and goes where that leads if enter was pressed meanwhile.
func (s *Screen) take(all index) tea.Cmd {
	s.all, s.ready = all, true
	s.Menu.Update(nil)
	if s.goes {
		return screen.Send(s.Choose())
	}
	return nil
}

// search returns the places that match a text, or says that they are not known yet.
func (s *Screen) search(text string) (items []list.Item) {
	if !s.ready {
		return []list.Item{{Name: "reading what there is", Tone: themes.Dim}}
	}
	var best []int
	best, s.n = s.all.search(text)
	for _, n := range best {
		e := &s.all[n]
		items = append(items, list.Item{
			ID: fmt.Sprint(e.what, " ", e.name, " ", e.id), Kind: e.what, Name: e.name, Note: e.note,
			Request: func() tea.Msg { return screen.Goto{To: e.to} },
		})
	}
	return items
}
