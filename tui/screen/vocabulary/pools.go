package vocabulary

import (
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
)

type pool = *kinds.Pool

// NewPools returns the list of pools over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func NewPools(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[pool]{
		Name: "pools", Thing: "sharing pool", Kind: kinds.Pools,
		ID: func(p pool) string { return p.Provider.ID().String() + string(p.Class) },
		Columns: list.Show("name=POOL:11-36+1~ class:8-24+1 used%=FULL:8-30+1 used:5 cap=CAPACITY free:5 hosts aggregate_names=THROUGH:16-40+2 | consumers uuid:36-36", "aggregate_names cap used class used%", list.Cells[pool]{
			"used%": func(l *component.Line, p pool, at list.At) {
				if p.Class != "" {
					component.Bar(l, l.Left(), panel.Load(at.Snap.Placement(), p.Provider, p.InventoryUsage))
				}
			},
		}),
		Orders:     list.By[pool]("name -used% -free -hosts class"),
		FilterHelp: "name, class=DISK_GB hosts=0 used%>80 free<100",
		Actions:    func(h list.Here[pool]) []action.Action { return poolActions(env, h) },
		More:       through,
		Side:       true,
		Empty: []string{
			"there are no pools: no provider has " + string(placement.SharesViaAggregate),
			"try: `placetop create pool NAME --disk GIB --link AGGREGATE`",
		},
	}, env, snap, filter)
}

// through lists the aggregates that a pool is shared through, a line each.
func through(p pool, a list.Area) []string {
	var lines []string
	for _, id := range p.Provider.Aggregates() {
		l := a.Line().Space(1).Add(themes.Dim, "through ")
		if name := (kinds.Finder{Snapshot: a.Snap}).AggregateName(id); name != "" {
			l.Add(themes.Text, name).Space(3)
		}
		lines = append(lines, l.Add(themes.Dim, id.String()).String())
	}
	return lines
}

func poolActions(env screen.Env, h list.Here[pool]) []action.Action {
	edit := panel.Editing("pools")
	edit.Disabled = env.NoScreen(place.Pool{})
	return []action.Action{
		h.Leads(action.Action{ID: "pools.open", Keys: "enter", Title: "hosts", Help: "which hosts it serves, and each one's share", Priority: 90}, func(p pool) place.Place { return place.Shares{Filter: filter.Is("pool", p.Provider.Name())} }),
		h.Leads(action.Action{ID: "pools.provider", Keys: "i", Title: "provider", Help: "open the page of the provider", Priority: 70}, func(p pool) place.Place { return place.Provider{ID: p.Provider.ID()} }),
		h.Leads(edit, func(p pool) place.Place { return place.Pool{ID: p.Provider.ID()} }),
		{ID: "pools.new", Keys: "n", Title: "new", Help: "create a pool that hosts share", Priority: 54, Disabled: env.NoScreen(place.Pool{}), To: place.Pool{}},
	}
}

type share = *kinds.PoolShare

// NewShares returns the list of what hosts have of pools, over a Snapshot, narrowed by a
// filter. One that cannot be read is put into the filter line, with what is wrong with it.
func NewShares(env screen.Env, snap *cloud.Snapshot, expr string) screen.Screen {
	return list.New(list.Spec[share]{
		Name: "shares", Thing: "host that a pool serves", Kind: kinds.PoolShares,
		ID: func(s share) string { return s.Host.ID().String() + s.Pool.String() + string(s.Class) },
		Columns: list.Show("host:10-36+2 pool:10-36+2 class:8-24+1 share%=SHARE_OF_THE_POOL:17-30+2 here:7 held:6 pool_used pool_capacity=POOL_HAS pool_free", "pool_free held pool_capacity pool_used class share% pool", list.Cells[share]{
			"share%": func(l *component.Line, s share, _ list.At) {
				component.Bar(l, l.Left(), component.Load{Total: s.Capacity, Capacity: s.Capacity, Used: s.Here})
			},
		}),
		Orders:     list.By[share]("-here host pool -held"),
		FilterHelp: "host or pool, pool=ceph-ssd-01 here>100 share%>10 class=DISK_GB",
		Actions: func(h list.Here[share]) []action.Action {
			return []action.Action{
				h.Leads(action.Action{ID: "shares.open", Keys: "enter", Title: "host", Help: "open the page of the host", Priority: 90}, func(s share) place.Place { return place.Provider{ID: s.Host.ID()} }),
				h.Leads(action.Action{ID: "shares.consumers", Keys: "i", Title: "consumers", Help: "list the consumers on the host", Priority: 70}, func(s share) place.Place { return place.Consumers{Filter: filter.Is("where", s.Host.Name())} }),
				h.About(action.Action{ID: "shares.copy", Keys: "c", Title: "copy", Help: "copy the line"}, func(s share) tea.Msg {
					return screen.CopyMsg{What: "the share of " + s.Host.Name(), Text: s.Host.Name() + ": " + s.String()}
				}),
			}
		},
		Title: func(s share, _ list.At) (string, string) { return s.Host.Name() + " of " + s.Name, string(s.Class) },
		Empty: []string{"no pool serves any host", "try: :pools, or `placetop create pool NAME --disk GIB --link AGGREGATE`"},
	}, env, snap, expr)
}
