// Package providers is the screen of all resource providers, as a tree or flat:
// how full each is, whose it is, what is wrong with it; and the page of one: its inventories,
// children, aggregates, pools, traits and consumers.
//
// While only claims change, the rows are kept and drawn from the newest Snapshot.
// Problems are looked for off the event loop, for each Snapshot.
package providers

import (
	"context"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, at place.Providers) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot(), at.Filter), nil
		}).On("2").Called("providers", "rp", "hosts", "hypervisors").FoundBy("hypervisor compute computes usage resource provider inventory inventories total max_unit min_unit step_size allocation_ratio reserved cores ram memory decommission remove node nodes delete subtree osc-placement osc host free room most least empty pci passthrough sriov numa ironic baremetal bare metal").
			For("Find any provider; see how full whole trees are, and who owns them.").
			Answering(
				screen.Named{Kind: "key", Name: "2 m", What: "Move inventory, with its allocations, to another provider of the tree.", Also: "reshape", To: place.Providers{}},
				screen.Named{Kind: "key", Name: "2 d", What: "How the APIs are asked about it; in a preview y shows the requests, and o copies commands.", Also: "raw api curl http rest request requests json body cli", To: place.Providers{}},
			),
		screen.Declare(OpenPool).Called("pool").AsDetail().Titled("new pool").Writing(placement.CreateProvider{}).
			For("Create or change a shared disk pool."),
		screen.Declare(func(env screen.Env, at place.Provider) (screen.Screen, error) {
			return Open(env, env.Cloud.Snapshot(), at.ID)
		}),
	}
}

// provider is a row, in its state when rows were made; now returns its current state.
type provider = placement.ResourceProvider

// Screen is the list of providers. It is made by New.
type Screen struct {
	list.Screen
	env    screen.Env
	snap   *cloud.Snapshot // the newest
	found  atomic.Pointer[keeper.Pass]
	loads  loads
	audits screen.Task[*keeper.Pass]
}

// bigList is from how many providers lists are made off the event loop. Up to it a list
// takes less than a fifth of a frame.
const bigList = 10_000

// New returns the screen over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) *Screen {
	s := &Screen{env: env, snap: snap}
	s.audits.Clock = env.Clock
	list.Make(&s.Screen, list.Spec[*provider]{
		Name: "providers", Thing: "provider", Kind: kinds.Providers,
		Rows: rows, Common: true,
		Place: placeOf,
		Of: func(at list.At) func(*provider) kinds.Row {
			pl := at.Snap.Placement()
			return func(p *provider) kinds.Row { return pl.ProviderAt(p.Number()) }
		},
		Unchanged: func(old, now *cloud.Snapshot) bool { return old.Placement().Shape() == now.Placement().Shape() },
		Live:      []string{"used", "used%", "free", "gen", "consumers", "cap", "updated", "reserved", "ratio", "total"},
		Count:     func(snap *cloud.Snapshot) int { return snap.Placement().ProviderCount() },
		AtOnce:    bigList,
		TopFirst:  true,
		ID:        func(p *provider) string { id := p.ID(); return string(id[:]) },
		Provider:  func(id string) placement.ProviderID { return placement.ProviderID([]byte(id)) },
		Text:      (*provider).Name,
		Flat:      true,
		Open:      true,
		Class:     func(snap *cloud.Snapshot) placement.ResourceClass { return panel.MainClass(snap.Placement()) },
		Also:      list.Owners(false),
		Sorted:    true,
		Columns:   s.columns(),
		Orders: []list.Order[*provider]{
			{Name: "name"}, {Name: "used%", Desc: true, Key: byUse}, {Name: "free", Desc: true}, {Name: "owner", Key: byOwner}, {Name: "gen", Desc: true},
		},
		Fields:     []*kinds.Field{list.ProblemField(func(p *provider) []audit.Finding { return s.found.Load().OfProvider(p.ID()) })},
		Notable:    "problem:?",
		Says:       []string{"class"},
		FilterHelp: "text, regex, !term, owner=both free>2 trait:VULKAN",
		Severity:   func(p *provider, _ list.At) style.Severity { return panel.Worst(s.found.Load().OfProvider(p.ID())) },
		Actions:    s.actions,
		Sum:        sum,
		Title: func(p *provider, at list.At) (string, string) {
			return panel.ShortName(at.Snap.Placement(), now(at, p)), p.ID().String()
		},
		Detail: s.detail,
		Side:   true,
		Lines:  summaryRows,
		Empty:  screen.NoProviders(),
	}, env, snap, filter)
	return s
}

// rows returns all providers by name.
func rows(ctx context.Context, snap *cloud.Snapshot) []*provider {
	all := make([]*provider, 0, snap.Placement().ProviderCount())
	for p := range snap.Placement().Providers() {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			break
		}
		all = append(all, p)
	}
	return all
}

// placeOf returns the number of a provider, and that of its parent.
func placeOf(p *provider) (own, under int) {
	if up, ok := p.ParentNumber(); ok {
		return p.Number(), up
	}
	return p.Number(), -1
}

// now returns a provider in its state at some moment. Its number is not reused while rows
// stay.
func now(at list.At, p *provider) *provider { return at.Snap.Placement().ProviderAt(p.Number()) }

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return tea.Batch(s.Screen.Init(), s.audit()) }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if found, ok, next := s.audits.Take(msg); ok {
		s.found.Store(found)
		return tea.Batch(next, s.Learn("problem"))
	} else if next != nil {
		return next
	}
	cmd := s.Screen.Update(msg)
	if m, ok := msg.(screen.SnapshotMsg); ok && m.Snapshot != s.snap {
		s.snap = m.Snapshot
		return tea.Batch(cmd, s.audit())
	}
	return cmd
}

// audit looks for problems.
func (s *Screen) audit() tea.Cmd {
	env, snap := s.env, s.snap
	return s.audits.Follow(env.Context, func(context.Context) *keeper.Pass { return env.Inspect(snap) })
}

// byUse sorts by how much of the class is used: over-full ones come first.
func byUse(p *provider, at list.At) list.Key {
	l, has := loadOf(at, now(at, p))
	switch {
	case !has:
		return list.Key{None: true}
	case l.Over():
		return list.Key{Number: 2}
	case l.Capacity <= 0:
		return list.Key{}
	}
	return list.Key{Number: float64(l.Used) / float64(l.Capacity)}
}

// byOwner sorts by owner, those without one first.
func byOwner(p *provider, at list.At) list.Key {
	return list.Key{Number: float64(at.Snap.Placement().Owner(now(at, p)))}
}

// loadOf returns how much of the class a provider has, in a tree with its subtree, and
// whether there is any.
func loadOf(at list.At, p *provider) (component.Load, bool) {
	pl := at.Snap.Placement()
	class := panel.ClassID(pl, at.Class)
	if at.Nested {
		l, n := panel.TreeLoad(pl, p, class)
		return l, n > 0
	}
	iu, ok := p.Inventory(class)
	if !ok {
		return component.Load{}, false
	}
	return panel.Load(pl, p, iu), true
}

// withHeld adds what moves hold to the load of a row, in a tree with its subtree.
func withHeld(at list.At, p *provider, l component.Load) component.Load {
	pl := at.Snap.Placement()
	class := panel.ClassID(pl, at.Class)
	if !at.Nested {
		return panel.WithHeld(pl, p, class, l)
	}
	for q := range pl.Within(p) {
		if _, ok := q.Inventory(class); ok {
			l = panel.WithHeld(pl, q, class, l)
		}
	}
	return l
}

// loads caches what takes a walk over a tree, for rows drawn at one moment.
type loads struct {
	at    list.At
	known map[int]load
}

type load struct {
	component.Load
	has bool
}

// mostLoads limits the cache: far more than fit on a screen.
const mostLoads = 4096

// of returns the load of a row.
func (c *loads) of(at list.At, p *provider) load {
	if at.Snap != c.at.Snap || at.Class != c.at.Class || at.Nested != c.at.Nested || len(c.known) >= mostLoads {
		*c = loads{at, map[int]load{}}
	}
	l, ok := c.known[p.Number()]
	if !ok {
		l.Load, l.has = loadOf(at, now(at, p))
		if l.has {
			l.Load = withHeld(at, now(at, p), l.Load)
		}
		c.known[p.Number()] = l
	}
	return l
}
