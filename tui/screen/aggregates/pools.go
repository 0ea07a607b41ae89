package aggregates

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

type pool = *kinds.Pool

// free returns the classes of which an aggregate has something free, the most telling
// first.
func free(a aggregate) []placement.ResourceClass {
	classes := slices.Sorted(maps.Keys(a.Free))
	slices.SortStableFunc(classes, func(x, y placement.ResourceClass) int { return panel.Rank(x) - panel.Rank(y) })
	return classes
}

// NewPools returns the list of pools over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func NewPools(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	var parts parts
	return list.New(list.Spec[pool]{
		Name: "pools", Thing: "sharing pool", Kind: kinds.Pools,
		Unchanged: unchanged,
		ID:        func(p pool) string { return p.Provider.ID().String() + string(p.Class) },
		Columns:   poolColumns(),
		Orders: []list.Order[pool]{
			{Name: "name"},
			{Name: "used%", Desc: true},
			{Name: "free", Desc: true},
			{Name: "hosts", Desc: true},
			{Name: "class"},
		},
		FilterHelp: "name, class=DISK_GB hosts=0 used%>80 free<100",
		Severity: func(p pool, at list.At) style.Severity {
			switch {
			case p.Class != "" && panel.Over(at.Snap.Placement(), p.Provider, p.InventoryUsage):
				return style.SeverityCritical
			case p.Hosts == 0:
				return style.SeverityWarn
			}
			return style.SeverityNone
		},
		Actions: func(h list.Here[pool]) []action.Action { return poolActions(env, h) },
		Title:   func(p pool, _ list.At) (string, string) { return p.Provider.Name(), string(p.Class) },
		Detail:  func(p pool, a list.Area) []string { return poolDetail(p, &parts, a) },
		Side:    true,
		Empty: []string{
			"there are no pools: no provider has " + string(placement.SharesViaAggregate),
			"try: `placetop create pool NAME --disk GIB --link AGGREGATE`",
		},
	}, env, snap, filter)
}

func poolLoad(p pool, at list.At) component.Load {
	return panel.Load(at.Snap.Placement(), p.Provider, p.InventoryUsage)
}

func poolColumns() []*list.Column[pool] {
	shows := list.Shows[pool]
	return []*list.Column[pool]{
		shows("name", "POOL", 11, 36, 1, 0).ByEnds(),
		shows("class", "CLASS", 8, 24, 1, 2),
		shows("used%", "FULL", 8, 30, 1, 1).Drawn(func(l *component.Line, p pool, at list.At) {
			if p.Class != "" {
				component.Bar(l, l.Left(), poolLoad(p, at))
			}
		}),
		shows("used", "USED", 5, 0, 0, 3),
		shows("cap", "CAPACITY", 8, 0, 0, 3),
		shows("free", "FREE", 5, 0, 0, 0),
		shows("hosts", "HOSTS", 5, 0, 0, 0).Drawn(func(l *component.Line, p pool, _ list.At) {
			token := themes.Text
			if p.Hosts == 0 {
				token = themes.Critical
			}
			l.Add(token, component.Count(p.Hosts))
		}).Right(),
		shows("aggregate_names", "THROUGH", 16, 40, 2, 4).In(themes.Dim),
		shows("consumers", "CONSUMERS", 9, 0, 0, 6).OnlyWide(),
		shows("uuid", "UUID", 36, 36, 0, 9).OnlyWide(),
	}
}

// mostConsumers is up to how many consumers each host's share of a pool is computed at
// once.
const mostConsumers = 5000

// parts are the hosts' shares of the pool that was last asked about.
type parts struct {
	of   *cloud.Snapshot
	pool placement.ProviderID
	all  []share
}

// get returns each host's share of a class of a pool, largest first; false if computing
// that would hold up keys.
func (k *parts) get(p pool, at list.At) ([]share, bool) {
	if at.Snap.Placement().CountConsumersOf(p.Provider) > mostConsumers {
		return nil, false
	}
	if k.of != at.Snap || k.pool != p.Provider.ID() {
		k.of, k.pool, k.all = at.Snap, p.Provider.ID(), kinds.NewShares(at.Snap).OfPool(p.Provider)
		slices.SortStableFunc(k.all, func(a, b share) int { return cmp.Compare(b.Here, a.Here) })
	}
	return slices.DeleteFunc(slices.Clone(k.all), func(s share) bool { return s.Class != p.Class }), true
}

// lines lists them, as many as fit.
func (k *parts) lines(p pool, a list.Area, room int) []string {
	if room < 2 || p.Hosts == 0 || p.Class == "" {
		return nil
	}
	all, ok := k.get(p, a.At)
	if !ok {
		return nil
	}
	unit := panel.Unit(p.Class)
	held := func(s share) string {
		if s.Held == 0 {
			return ""
		}
		return "  " + component.Amount(s.Held, unit) + " by moves"
	}
	names, helds := 0, 0
	for _, s := range all {
		names, helds = max(names, component.Width(a.Styles, s.Host.Name())), max(helds, len(held(s)))
	}
	names = min(names, max(a.Width/3, 10))
	const indent, amount = 3, 7
	bar := min(max(a.Width-indent-names-amount-2-helds, 4), 20)
	lines := []string{panel.Text(a.Styles, a.Width, themes.Dim, " of which the consumers of each host use")}
	for i, s := range all {
		if len(lines) == room-1 && i < len(all)-1 {
			return append(lines, a.More(len(all)-i, "host"))
		}
		l := a.Line().Space(indent).Cell(names).Add(themes.Text, s.Host.Name()).EndCell(component.AlignLeft).Space(1)
		component.Bar(l, bar, component.Load{Total: s.Capacity, Capacity: s.Capacity, Used: s.Here})
		l.Space(1).Cell(amount).Add(themes.Strong, component.Amount(s.Here, unit)).EndCell(component.AlignRight)
		lines = append(lines, l.Add(themes.Dim, held(s)).String())
	}
	return lines
}

// poolDetail shows the size of the pool, which aggregate shares it, whom it serves, and
// the share of each.
func poolDetail(p pool, hosts *parts, a list.Area) []string {
	var lines []string
	if p.Hosts == 0 {
		lines = append(lines, panel.Fault(a.Styles, a.Width, "no host shares an aggregate with it: nobody can use it"))
	}
	if p.Class != "" {
		load, unit := poolLoad(p, a.At), panel.Unit(p.Class)
		l := a.Line().Space(1)
		component.Bar(l, min(a.Width/2, 50), load)
		text := fmt.Sprintf("%s of %s, %s free", component.Amount(load.Used, unit), component.Amount(load.Capacity, unit), component.Amount(load.Free(), unit))
		lines = append(lines, l.Space(2).Add(themes.Text, text).String())
	}
	fact := list.Facts(kinds.Of(kinds.Pools), a.At, p)
	lines = append(lines, a.Line().Space(1).Add(themes.Dim, "through ").Add(themes.Text, strings.ReplaceAll(fact("aggregate_names"), ",", " ")).
		String())
	lines = append(lines, a.Line().Space(1).Add(themes.Dim, "serves ").Add(themes.Text, component.Plural(int(p.Hosts), "host")).
		Add(themes.Dim, "   used by ").Add(themes.Text, fact("consumers")+" consumers").String())
	lines = append(lines, hosts.lines(p, a, a.Height-len(lines))...)
	return lines[:min(len(lines), max(a.Height, 0))]
}

func poolActions(env screen.Env, h list.Here[pool]) []action.Action {
	edit := panel.Editing("pools")
	edit.Disabled = env.NoScreen(place.Pool{})
	return []action.Action{
		h.About(action.Action{ID: "pools.open", Keys: []string{"enter"}, Title: "hosts", Help: "which hosts it serves, and each one's share", Priority: 90}, func(p pool) tea.Msg {
			return screen.Goto{To: place.Shares{Filter: filter.Is("pool", p.Provider.Name())}}
		}),
		h.About(action.Action{ID: "pools.provider", Keys: []string{"i"}, Title: "provider", Help: "open the page of the provider", Priority: 70}, func(p pool) tea.Msg {
			return screen.Goto{To: place.Provider{ID: p.Provider.ID()}}
		}),
		h.About(edit, func(p pool) tea.Msg { return screen.Goto{To: place.Pool{ID: p.Provider.ID()}} }),
		{ID: "pools.new", Keys: []string{"n"}, Title: "new", Help: "create a pool that hosts share", Priority: 54, Disabled: env.NoScreen(place.Pool{}), To: place.Pool{}},
		h.Copying("uuid", func(p pool) (what, text string) { return "uuid of " + p.Provider.Name(), p.Provider.ID().String() }),
	}
}

type share = *kinds.PoolShare

// NewShares returns the list of what hosts have of pools, over a Snapshot, narrowed by a
// filter. One that cannot be read is put into the filter line, with what is wrong with it.
func NewShares(env screen.Env, snap *cloud.Snapshot, expr string) screen.Screen {
	shows := list.Shows[share]
	return list.New(list.Spec[share]{
		Name: "shares", Thing: "host that a pool serves", Kind: kinds.PoolShares,
		Unchanged: unchanged,
		ID:        func(s share) string { return s.Host.ID().String() + s.Pool.String() + string(s.Class) },
		Columns: []*list.Column[share]{
			shows("host", "HOST", 10, 36, 2, 0),
			shows("pool", "POOL", 10, 36, 2, 1),
			shows("class", "CLASS", 8, 24, 1, 3),
			shows("share%", "SHARE OF THE POOL", 17, 30, 2, 2).Drawn(func(l *component.Line, s share, _ list.At) {
				component.Bar(l, l.Left(), component.Load{Total: s.Capacity, Capacity: s.Capacity, Used: s.Here})
			}),
			shows("here", "HERE", 7, 0, 0, 0),
			shows("held", "HELD", 6, 0, 0, 5),
			shows("pool_used", "POOL USED", 9, 0, 0, 4),
			shows("pool_capacity", "POOL HAS", 8, 0, 0, 4),
			shows("pool_free", "POOL FREE", 9, 0, 0, 6),
		},
		Orders: []list.Order[share]{
			{Name: "here", Desc: true},
			{Name: "host"},
			{Name: "pool"},
			{Name: "held", Desc: true},
		},
		FilterHelp: "host or pool, pool=ceph-ssd-01 here>100 share%>10 class=DISK_GB",
		Actions: func(h list.Here[share]) []action.Action {
			return []action.Action{
				h.About(action.Action{ID: "shares.open", Keys: []string{"enter"}, Title: "host", Help: "open the page of the host", Priority: 90}, func(s share) tea.Msg {
					return screen.Goto{To: place.Provider{ID: s.Host.ID()}}
				}),
				h.About(action.Action{ID: "shares.consumers", Keys: []string{"i"}, Title: "consumers", Help: "list the consumers on the host", Priority: 70}, func(s share) tea.Msg {
					return screen.Goto{To: place.Consumers{Filter: filter.Is("where", s.Host.Name())}}
				}),
				h.About(action.Action{ID: "shares.copy", Keys: []string{"c"}, Title: "copy", Help: "copy the line"}, func(s share) tea.Msg {
					return screen.CopyMsg{What: "the share of " + s.Host.Name(), Text: s.Host.Name() + ": " + s.String()}
				}),
			}
		},
		Title: func(s share, _ list.At) (string, string) { return s.Host.Name() + " of " + s.Name, string(s.Class) },
		Detail: func(s share, a list.Area) []string {
			unit := panel.Unit(s.Class)
			text := fmt.Sprintf(" %s of the %s in use belong to consumers here", component.Amount(s.Here, unit), component.Amount(s.Used, unit))
			if s.Held > 0 {
				text += fmt.Sprintf(", %s of it to moves", component.Amount(s.Held, unit))
			}
			return []string{panel.Text(a.Styles, a.Width, themes.Text, text)}[:min(1, max(a.Height, 0))]
		},
		Lines: 2,
		Empty: []string{"no pool serves any host", "try: :pools, or `placetop create pool NAME --disk GIB --link AGGREGATE`"},
	}, env, snap, expr)
}
