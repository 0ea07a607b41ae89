// Package provider is the screen of one resource provider: its inventories, its
// children, its aggregates and what it can reach through them, its traits, and
// who holds what of it.
package provider

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sections"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, at place.Provider) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot(), at.ID)
		}),
	}
}

// Screen is one provider. It is made by New.
type Screen struct {
	*sections.Screen[*provider]
	env    screen.Env
	snap   *cloud.Snapshot // the newest
	id     placement.ProviderID
	found  findings
	audits screen.Task[findings]
}

// findings is what an audit found about the provider and about consumers.
type findings struct {
	here      []audit.Finding
	consumers map[placement.ConsumerID][]audit.Finding
}

// holders is which part of the page the consumers are.
const holders = 5

// New returns the screen of a provider.
//
// Errors: placement.ErrNotFound.
func New(env screen.Env, snap *cloud.Snapshot, id placement.ProviderID) (*Screen, error) {
	if _, err := snap.Placement().FindProvider(id); err != nil {
		return nil, err
	}
	s := &Screen{env: env, snap: snap, id: id}
	s.audits.Clock = env.Clock
	lines := func(title string, draw func(parts) []string) sections.Part[*provider] {
		return sections.Lines(title, func(p *provider, a list.Area) []string {
			return draw(parts{st: a.Styles, snap: a.Snap, pl: a.Snap.Placement(), p: p, w: a.Width, at: a.At})
		})
	}
	var err error
	s.Screen, err = sections.New(sections.Spec[*provider]{
		Name: "provider", Kind: kinds.Providers,
		Find:  func(s *cloud.Snapshot) (*provider, bool) { return s.Placement().Provider(id) },
		Title: func(p *provider, at list.At) string { return strings.Join(panel.Path(at.Snap.Placement(), p), " > ") },
		Short: func(p *provider, at list.At) string { return panel.ShortName(at.Snap.Placement(), p) },
		Status: func(p *provider, at list.At) string {
			pl := at.Snap.Placement()
			return panel.Plural(len(p.TraitIDs()), "trait") + "   " + panel.Plural(len(memberships(pl, p)), "aggregate") + "   " + panel.Plural(pl.CountConsumersOf(p), "consumer")
		},
		Parts: []sections.Part[*provider]{
			lines("PROVIDER", parts.head).Bare(),
			lines("INVENTORY", func(d parts) []string { return d.inventory(s.found) }),
			lines("", parts.children).Titled(func(p *provider, at list.At) string {
				return "CHILDREN " + component.Count(int64(len(at.Snap.Placement().Children(p))))
			}),
			lines("", parts.aggregates).Titled(func(p *provider, at list.At) string { return aggregatesTitle(at.Snap.Placement(), p) }),
			lines("", func(d parts) []string { return panel.Traits(d.st, d.pl, d.p, d.w) }).Titled(func(p *provider, _ list.At) string {
				return fmt.Sprintf("TRAITS %d", len(p.TraitIDs()))
			}),
			sections.Table("", s.columns(), consumers, func(c *consumer) string { id := c.ID(); return string(id[:]) }, nil, s.severity).
				Titled(consumersTitle).AtSide().With("enter consumer   n allocate   D release", "nobody holds anything here"),
		},
		Actions: s.actions,
	}, env, snap, id.String())
	return s, err
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.audit() }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	found, ok, next := s.audits.Take(msg)
	if ok {
		s.found = found
		s.Refresh()
	}
	cmd := s.Screen.Update(msg)
	if m, ok := msg.(screen.SnapshotMsg); ok && m.Snapshot != s.snap {
		s.snap = m.Snapshot
		return tea.Batch(cmd, s.audit())
	}
	return tea.Batch(cmd, next)
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

func (s *Screen) actions(p *provider, _ list.At) []action.Action {
	var consumer placement.ConsumerID
	nobody, alone := "nobody holds anything here", ""
	if c, ok := s.Row(holders).(*placement.Consumer); ok {
		consumer, nobody = c.ID(), ""
	}
	up, hasUp := s.snap.Placement().Parent(p)
	if !hasUp {
		alone = "the provider is a root"
	}
	open := func(to place.Place) func() tea.Cmd { return func() tea.Cmd { return screen.Send(screen.Goto{To: to}) } }
	uuid := p.ID().String()
	own := []action.Action{
		{ID: "provider.consumer", Keys: []string{"enter"}, Title: "consumer", Help: "show all that the consumer holds", Priority: 90, Disabled: nobody, Run: open(place.Consumers{Filter: "uuid=" + consumer.String()})},
		{ID: "provider.allocate", Keys: []string{"n"}, Title: "new allocation", Help: "allocate on this provider's tree", Priority: 85, Writes: []intent.Op{placement.ReplaceAllocations{}}, Run: open(place.Allocate{Provider: p.ID()})},
		{ID: "provider.release", Keys: []string{"D"}, Title: "release...", Help: "release what the consumer holds here, with a preview", Priority: 80, Writes: []intent.Op{placement.ReplaceAllocations{}}, Disabled: nobody, Run: open(place.Release{Consumer: consumer, From: p.ID()})},
		{ID: "provider.tree", Keys: []string{"t"}, Title: "tree", Help: "list the whole tree of the provider", Priority: 55, Disabled: s.treeless(p), Run: open(place.Providers{Filter: `root="` + s.snap.Placement().Root(p).Name() + `"`})},
		{ID: "provider.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid", Priority: 50, Run: func() tea.Cmd {
			return screen.Send(screen.CopyMsg{What: "uuid of " + p.Name(), Text: uuid})
		}},
		{ID: "provider.parent", Keys: []string{"u"}, Title: "parent", Help: "go to the parent", Priority: 40, Disabled: alone, Run: func() tea.Cmd {
			return screen.Send(screen.Goto{To: place.Provider{ID: up.ID()}, Replace: true})
		}},
	}
	own = append(own, panel.FixingProvider("provider", s.env, s.snap, p.ID(), ""), panel.EditingPool("provider", s.env, s.snap.Placement(), p, ""))
	return append(own, panel.Asking("provider", place.WhatIf{Provider: p.ID()}, "")...)
}

// treeless is why the tree cannot be listed by a filter, "" where it can.
func (s *Screen) treeless(p *provider) string {
	if name := s.snap.Placement().Root(p).Name(); strings.ContainsAny(name, `"*?|`) {
		return "the name of the root has a sign that means something in a filter"
	}
	return ""
}
