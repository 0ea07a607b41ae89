package providers

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Page is one provider. It is made by New.
type Page struct {
	*page.Screen[*provider]
	env    screen.Env
	snap   *cloud.Snapshot // the newest
	id     placement.ProviderID
	found  *keeper.Pass
	audits screen.Task[*keeper.Pass]
}

// The indexes of the parts of the page.
const (
	partInventory = iota + 1
	partChildren
	partAggregates
	partTraits
	partHolders
)

// Open returns the screen of a provider.
//
// Errors: placement.ErrNotFound.
func Open(env screen.Env, snap *cloud.Snapshot, id placement.ProviderID) (*Page, error) {
	if _, err := snap.Placement().FindProvider(id); err != nil {
		return nil, err
	}
	s := &Page{env: env, snap: snap, id: id}
	s.audits.Clock = env.Clock
	lines := func(title string, draw func(parts) []string) page.Part[*provider] {
		return page.Lines(title, func(p *provider, a list.Area) []string {
			return draw(parts{st: a.Styles, snap: a.Snap, pl: a.Snap.Placement(), p: p, w: a.Width, at: a.At})
		})
	}
	var err error
	s.Screen, err = page.New(page.Spec[*provider]{
		Name: "provider", Kind: kinds.Providers,
		Find: func(s *cloud.Snapshot) (*provider, bool) { return s.Placement().Provider(id) },
		Title: func(p *provider, at list.At) string {
			return strings.Join(panel.Path(at.Snap.Placement(), p), " > ")
		},
		Short: func(p *provider, at list.At) string { return panel.ShortName(at.Snap.Placement(), p) },
		Status: func(p *provider, at list.At) string {
			pl := at.Snap.Placement()
			return component.Plural(len(p.TraitIDs()), "trait") + "   " + component.Plural(len(memberships(pl, p)), "aggregate") + "   " + component.Plural(pl.CountConsumersOf(p), "consumer")
		},
		Parts: []page.Part[*provider]{
			lines("PROVIDER", parts.head).Bare(),
			lines("INVENTORY", func(d parts) []string { return d.inventory(s.found.OfProvider(s.id)) }),
			page.Table("", childColumns(), children, func(k *provider) string { return k.ID().String() }, func(k *provider) place.Place { return place.Provider{ID: k.ID()} }).Titled(func(p *provider, at list.At) string {
				return "CHILDREN " + component.Count(len(at.Snap.Placement().Children(p)))
			}).Plain().With("", "none"),
			page.Table("", memberColumns(), members, (*member).key, (*member).open).
				Titled(func(p *provider, at list.At) string { return aggregatesTitle(at.Snap.Placement(), p) }).Plain().
				With("", "in none: it neither shares nor is shared with"),
			lines("", parts.traits).Titled(func(p *provider, _ list.At) string {
				return fmt.Sprintf("TRAITS %d", len(p.TraitIDs()))
			}),
			page.Table("", s.columns(), consumers, func(c *consumer) string { id := c.ID(); return string(id[:]) }, func(c *consumer) place.Place { return place.Consumers{Filter: "uuid=" + c.ID().String()} }, s.severity).
				Titled(consumersTitle).AtSide().First().With("enter consumer   n allocate   D release", "nobody holds anything here"),
		},
		Actions: s.actions,
	}, env, snap, id.String())
	return s, err
}

// Looking implements screen.Looker.
func (s *Page) Looking() []placement.ProviderID { return []placement.ProviderID{s.id} }

// Init implements screen.Screen.
func (s *Page) Init() tea.Cmd { return tea.Batch(s.Screen.Init(), s.audit()) }

// Update implements screen.Screen.
func (s *Page) Update(msg tea.Msg) tea.Cmd {
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

// audit looks for problems.
func (s *Page) audit() tea.Cmd {
	env, snap := s.env, s.snap
	return s.audits.Follow(env.Context, func(context.Context) *keeper.Pass { return env.Inspect(snap) })
}

func (s *Page) actions(p *provider, _ list.At) []action.Action {
	alone := ""
	up, hasUp := s.snap.Placement().Parent(p)
	if !hasUp {
		alone = "the provider is a root"
	}
	own := []action.Action{
		s.making(p), s.removing(p), s.editing(p), s.reshaping(p),
		{ID: "provider.tree", Keys: "`", Title: "tree", Help: "list the whole tree of the provider", Priority: 55, Disabled: s.treeless(p), To: place.Providers{Filter: `root="` + s.snap.Placement().Root(p).Name() + `"`}},
		{ID: "provider.parent", Keys: "h", Title: "parent", Help: "go to the parent", Priority: 40, Disabled: alone, Request: func() tea.Msg {
			return screen.Goto{To: place.Provider{ID: up.ID()}, Replace: true}
		}},
	}
	own = append(own, panel.FixingProvider("provider", s.env, s.snap, p.ID(), ""))
	return append(own, panel.Asking("provider", place.WhatIf{Provider: p.ID()}, "")...)
}

// making is the key that creates something: a child if the children have the focus, else
// an allocation.
func (s *Page) making(p *provider) action.Action {
	if s.Part() == partChildren {
		return action.Action{
			ID: "provider.child", Keys: "n", Title: "new child", Help: "create a provider below this one", Priority: 85, Writes: []intent.Op{placement.CreateProvider{}},
			To: place.NewProvider{Parent: p.ID()},
		}
	}
	return action.Action{
		ID: "provider.allocate", Keys: "n", Title: "new allocation", Help: "allocate on this provider's tree; on the children, create one", Priority: 85, Writes: []intent.Op{placement.ReplaceAllocations{}},
		To: place.Allocate{Provider: p.ID()},
	}
}

// removing is the key that removes what has the focus: what a consumer holds here, a
// child, or else the provider itself.
func (s *Page) removing(p *provider) action.Action {
	if rows := s.Chosen(); s.Part() == partHolders && len(rows) > 0 {
		a := action.Action{ID: "provider.release", Keys: "D", Title: "release...", Help: "release what the consumer holds here, with a preview; elsewhere on the page, delete the provider", Priority: 80, Writes: []intent.Op{placement.ReplaceAllocations{}}}
		to := place.Release{Consumer: rows[0].(*consumer).ID(), From: p.ID()} // the rows of the part
		var others []placement.ConsumerID
		for _, row := range rows[1:] {
			others = append(others, row.(*consumer).ID()) // as above
		}
		if to.Others = place.JoinIDs(others...); len(others) > 0 {
			a.Title = "release " + component.Count(len(rows)) + " marked..."
		}
		a.To = to
		return a
	}
	gone := p
	if k, ok := s.Row(partChildren).(*provider); ok && s.Part() == partChildren {
		gone = k
	}
	return action.Action{
		ID: "provider.delete", Keys: "D", Title: "delete " + panel.ShortName(s.snap.Placement(), gone) + "...", Help: "delete the provider and all below it, with a preview; on the children, the one under the cursor", Priority: 35,
		Writes: []intent.Op{placement.DeleteProvider{}},
		To:     place.DelProvider{ID: gone.ID()},
	}
}

// editing is the key that edits what has the focus.
func (s *Page) editing(p *provider) action.Action {
	a := panel.Editing("provider")
	to := place.SetProvider{ID: p.ID()}
	switch s.Part() {
	case partTraits:
		to.Part, a.Title = place.PartTraits, "edit traits"
	case partAggregates:
		to.Part, a.Title = place.PartAggregates, "edit aggregates"
	}
	if a.To = to; to.Part == place.PartInventory && s.snap.Placement().Shares(p) {
		a.To = place.Pool{ID: p.ID()}
	}
	return a
}

// reshaping is the key that moves inventories of the provider elsewhere in its tree.
func (s *Page) reshaping(p *provider) action.Action {
	a := panel.Reshaping("provider")
	a.To = place.Reshape{From: p.ID()}
	return a
}

// treeless is why the tree cannot be listed by a filter, "" if it can.
func (s *Page) treeless(p *provider) string {
	if name := s.snap.Placement().Root(p).Name(); strings.ContainsAny(name, `"*?|`) {
		return "the name of the root has a character that filters use"
	}
	return ""
}
