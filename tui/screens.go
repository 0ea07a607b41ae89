package tui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/help"
	"github.com/placetop/placetop/tui/style"
)

// screens opens screens, and knows which there are.
type screens struct {
	all, keyed, named []screen.Declaration // keyed have a key, named only a name
	live              *live
	crashes           *crashes
	messages          *messages
	commands          func() []screen.Named // what the prompt does
	lastID            uint64
	returning         bool // while one is opened by just its key or its name
}

// newScreens separates screens with a key from those with only a name.
func newScreens(all []screen.Declaration, l *live, c *crashes, m *messages) *screens {
	s := &screens{all: all, live: l, crashes: c, messages: m}
	for _, d := range all {
		switch {
		case d.Keys != nil:
			s.keyed = append(s.keyed, d)
		case d.Names != nil:
			s.named = append(s.named, d)
		}
	}
	return s
}

// mains returns the available screens with a key. The result must not be changed.
func (s *screens) mains() []screen.Declaration { return s.reachable(s.keyed) }

// byName returns the available screens that have only a name. The result must not be
// changed.
func (s *screens) byName() []screen.Declaration { return s.reachable(s.named) }

// reachable returns the available ones of some screens.
func (s *screens) reachable(of []screen.Declaration) []screen.Declaration {
	if s.live.Cloud == nil {
		return nil
	}
	barred := func(d screen.Declaration) bool { return len(d.Writes) > 0 && s.live.can(d.Writes...) != nil }
	if !slices.ContainsFunc(of, barred) {
		return of
	}
	return slices.DeleteFunc(slices.Clone(of), barred)
}

// declared returns how the screen of a place is declared, the zero value if there is none.
func (s *screens) declared(to place.Place) (d screen.Declaration) {
	if i := slices.IndexFunc(s.all, func(d screen.Declaration) bool { return to != nil && place.Kind(d.Of) == place.Kind(to) }); i >= 0 {
		d = s.all[i]
	}
	return d
}

// has reports whether a place has a screen.
func (s *screens) has(to place.Place) bool { return s.declared(to).Open != nil }

// views returns what can be gone to by its name, or by other words for it: the screens, what
// they show at places of their own, and the tasks of help.
func (s *screens) views() []screen.Named {
	if s.live.Cloud == nil {
		return nil // no screen can be shown yet
	}
	var out, answers []screen.Named
	for _, d := range slices.Concat(s.mains(), s.byName()) {
		also := strings.Join(append(slices.Clone(d.Names), d.Also), " ")
		out = append(out, screen.Named{Kind: "view", Name: d.Names[0], Title: d.Title, What: d.What, Also: also, To: d.Of})
		answers = append(answers, d.Answers...)
	}
	out = append(out, answers...)
	out = append(out, s.commands()...)
	for _, t := range help.Tasks() {
		if s.has(t.To) {
			out = append(out, screen.Named{Kind: help.OnCall, Name: t.For, Title: t.For, What: strings.ReplaceAll(t.Reads, "`", ""), Also: t.Also, To: t.To})
		}
	}
	return out
}

// open opens the screen of a place, which must have one.
func (s *screens) open(at place.Place) (*entry, tea.Cmd) {
	return s.build(at, func(env screen.Env) (screen.Screen, error) { return s.declared(at).Open(env, at) })
}

// openMade opens a screen that is made already.
func (s *screens) openMade(at place.Place, is screen.Screen) (*entry, tea.Cmd) {
	return s.build(at, func(screen.Env) (screen.Screen, error) { return is, nil })
}

// build makes a screen and sends it its first messages. The entry is nil if there is no such
// thing to show.
func (s *screens) build(at place.Place, build func(screen.Env) (screen.Screen, error)) (*entry, tea.Cmd) {
	env := s.live.env()
	ctx, cancel := context.WithCancel(env.Context)
	env.Context, env.Returning, env.Views, env.Reaches = ctx, s.returning, s.views, s.has
	s.lastID++
	e := &entry{id: s.lastID, place: at, open: true, crashes: s.crashes, cancel: cancel, dirty: true}
	var err error
	crash := try(func() { e.screen, err = build(env) })
	switch {
	case crash != nil:
		return e, s.crashes.crashed(e, crash)
	case err != nil:
		cancel()
		return nil, s.messages.refuse(err.Error(), "")
	}
	return e, tea.Batch(e.call(e.screen.Init), s.feed(e))
}

// blank returns what is shown if no screen can be made.
func (s *screens) blank() *entry {
	page := screen.NewPage(s.messages.styles, "placetop", style.SeverityInfo, screen.LabelEmpty, []string{"there is no screen to show"})
	return &entry{screen: page, open: true, crashes: s.crashes, cancel: func() {}, dirty: true}
}

// feed passes a screen the newest snapshot, unless it has it.
func (s *screens) feed(e *entry) tea.Cmd {
	if e == nil || s.live.snapshot == nil || e.snapshot == s.live.snapshot {
		return nil
	}
	e.snapshot = s.live.snapshot
	return e.update(screen.SnapshotMsg{Snapshot: e.snapshot})
}

// follow passes the top screen the newest snapshot, or the same one again if time has passed.
func (s *screens) follow(e *entry) tea.Cmd {
	if s.live.aged && e != nil {
		e.snapshot = nil
	}
	s.live.aged = false
	return s.feed(e)
}
