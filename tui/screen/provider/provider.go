// Package provider is the screen of one resource provider: its inventories, its
// children, its aggregates and what it can reach through them, its traits, and
// who holds what of it.
package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sections"
	"github.com/placetop/placetop/tui/screen"
)

// Screen is one provider. It is made by New.
type Screen struct {
	env  screen.Env
	snap *cloud.Snapshot
	id   placement.ProviderID

	p     *placement.ResourceProvider // of snap; nil when it is gone
	title string                      // names from the root down, when it was last there
	lost  string                      // since when it is gone
	found findings

	grid    *component.Grid
	src     *consumers
	version uint64

	page sections.Page

	audits screen.Task[findings]
}

// findings is what an audit found about the provider and about consumers.
type findings struct {
	here      []audit.Finding
	consumers map[placement.ConsumerID][]audit.Finding
}

// New returns the screen of the provider with the given uuid or name. It returns
// an error that matches placement.ErrNotFound where there is none.
func New(env screen.Env, snap *cloud.Snapshot, which string) (*Screen, error) {
	pl := snap.Placement()
	p, ok := pl.ProviderByName(which)
	if !ok {
		if id, err := placement.ParseProviderID(which); err == nil {
			p, ok = pl.Provider(id)
		}
	}
	if !ok {
		return nil, &placement.NotFoundError{What: "resource provider", Name: which}
	}
	s := &Screen{env: env, id: p.ID()}
	s.audits.Clock = env.Clock
	s.grid = component.NewGrid(env.Styles, nil, columns())
	s.grid.Empty = []component.Seg{{Token: themes.Faint, Text: "nobody holds anything here"}}
	s.page = sections.Page{Styles: env.Styles, Sections: s.sections(), Focus: sectionCount - 1}
	s.follow(snap)
	return s, nil
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.audit() }

// Title implements screen.Screen.
func (s *Screen) Title() string { return s.title }

// Status implements screen.Stater.
func (s *Screen) Status() string {
	if s.p == nil {
		return "deleted"
	}
	return panel.Plural(len(s.p.TraitIDs()), "trait") + "   " + panel.Plural(len(memberships(s.snap.Placement(), s.p)), "aggregate") + "   " + panel.Plural(s.src.total, "consumer")
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot == s.snap {
			return nil
		}
		s.follow(msg.Snapshot)
		return s.audit()
	case tea.KeyMsg:
		if !msg.Paste {
			s.page.Key(msg.String())
		}
		return nil
	}
	found, ok, cmd := s.audits.Take(msg)
	if ok {
		s.found = found
		s.page.Invalidate()
		s.show()
	}
	return cmd
}

// follow takes a newer Snapshot. Consumers are listed anew only where the
// provider, which knows what is used of it, or names have changed.
func (s *Screen) follow(snap *cloud.Snapshot) {
	p, ok := snap.Placement().Provider(s.id)
	switch {
	case !ok && s.p != nil:
		s.lost = fmt.Sprintf("between revisions %s and %s", component.Count(int64(s.snap.Revision())), component.Count(int64(snap.Revision())))
		p = nil
	case !ok:
		p = nil
	default:
		if s.p != p || s.src == nil || s.src.snap.Nova() != snap.Nova() {
			s.src = newConsumers(snap, p, s.env.Clock)
			s.show()
		}
		s.title = strings.Join(panel.Path(snap.Placement(), p), " > ")
	}
	s.snap, s.p = snap, p
	if p != nil {
		s.retitle()
	}
}

// show puts the consumers on the grid.
func (s *Screen) show() {
	s.version++
	s.src.version, s.src.found = s.version, s.found.consumers
	s.grid.SetSource(s.src)
}

// audit looks for what is wrong.
func (s *Screen) audit() tea.Cmd {
	env, snap, id := s.env, s.snap, s.id
	return s.audits.Follow(s.env.Context, func(context.Context) findings {
		found := env.Inspect(snap).Open()
		f := findings{here: panel.Findings(found)[id], consumers: map[placement.ConsumerID][]audit.Finding{}}
		for _, one := range found {
			if !one.Consumer.IsZero() {
				f.consumers[one.Consumer] = append(f.consumers[one.Consumer], one)
			}
		}
		return f
	})
}

// current returns the uuid of the consumer under the cursor.
func (s *Screen) current() (placement.ConsumerID, bool) {
	r, id := s.grid.Cursor()
	if id == "" {
		return placement.ConsumerID{}, false
	}
	return s.src.all[r].ID(), true
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []action.Action {
	p := s.p
	if p == nil {
		return nil
	}
	consumer, ok := s.current()
	nobody, alone := "", ""
	if !ok {
		nobody = "nobody holds anything here"
	}
	up, hasUp := s.snap.Placement().Parent(p)
	if !hasUp {
		alone = "the provider is a root"
	}
	open := func(to screen.Goto) func() tea.Cmd { return func() tea.Cmd { return screen.Send(to) } }
	uuid := p.ID().String()
	list := []action.Action{
		{ID: "provider.consumer", Keys: []string{"enter"}, Title: "consumer", Help: "show all that the consumer holds", Priority: 90, Disabled: nobody, Run: open(screen.Goto{Kind: screen.Consumers, Arg: "uuid=" + consumer.String()})},
		{ID: "provider.allocate", Keys: []string{"n"}, Title: "new allocation", Help: "allocate on this provider's tree", Priority: 85, Writes: true, Run: open(screen.Goto{Kind: screen.Allocate, Arg: uuid})},
		{ID: "provider.release", Keys: []string{"D"}, Title: "release...", Help: "release what the consumer holds here, with a preview", Priority: 80, Writes: true, Disabled: nobody, Run: open(screen.Goto{Kind: screen.Release, Arg: consumer.String() + "@" + uuid})},
		{ID: "provider.tree", Keys: []string{"t"}, Title: "tree", Help: "list the whole tree of the provider", Priority: 55, Disabled: s.treeless(), Run: open(screen.Goto{Kind: screen.Providers, Arg: `root="` + s.snap.Placement().Root(p).Name() + `"`})},
		{ID: "provider.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid", Priority: 50, Run: func() tea.Cmd {
			return screen.Send(screen.CopyMsg{What: "uuid of " + p.Name(), Text: uuid})
		}},
		{ID: "provider.copyas", Keys: []string{"C"}, Title: "copy command", Help: "copy the openstack command that shows it", Run: func() tea.Cmd {
			return screen.Send(screen.CopyMsg{What: "openstack command", Text: "openstack --os-placement-api-version 1.39 resource provider show --allocations " + uuid})
		}},
		{ID: "provider.parent", Keys: []string{"u"}, Title: "parent", Help: "go to the parent", Priority: 40, Disabled: alone, Run: func() tea.Cmd {
			return screen.Send(screen.Goto{Kind: screen.Provider, Arg: up.ID().String(), Replace: true})
		}},
	}
	list = append(list, panel.FixingProvider("provider", s.env, s.snap, p.ID(), ""), panel.EditingPool("provider", s.env, s.snap.Placement(), p, ""))
	return slices.Concat(list, s.page.Actions("provider"), panel.Asking("provider", "provider:"+uuid, ""), panel.GridMoves())
}

// treeless is why the tree cannot be listed by a filter, "" where it can.
func (s *Screen) treeless() string {
	if name := s.snap.Placement().Root(s.p).Name(); strings.ContainsAny(name, `"*?|`) {
		return "the name of the root has a sign that means something in a filter"
	}
	return ""
}
