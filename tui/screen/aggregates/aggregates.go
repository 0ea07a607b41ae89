// Package aggregates is the screens of aggregates, of the pools that hosts share through
// them, and of what each host uses of a pool.
package aggregates

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
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
		screen.List[place.Aggregates](New).Called("aggregates", "agg").
			For("Which providers are grouped, and what is free among them."),
		screen.List[place.Pools](NewPools).Called("pools", "sharing").Titled("sharing pools").
			For("Which pools are shared, and with which hosts."),
		screen.List[place.Shares](NewShares).Called("shares").Titled("shares of hosts in pools").
			For("Each host's share of the pools it uses."),
	}
}

// unchanged reports whether two Snapshots have the same aggregates, members and amounts.
func unchanged(old, now *cloud.Snapshot) bool {
	return old.Placement() == now.Placement() && old.Nova() == now.Nova()
}

type aggregate = *kinds.Aggregate

// New returns the list of aggregates over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[aggregate]{
		Name: "aggregates", Thing: "aggregate", Kind: kinds.Aggregates,
		Unchanged: unchanged,
		ID:        func(a aggregate) string { return cmp.Or(a.Name, string(a.ID[:])) }, // Nova gives a new one its own uuid
		Columns:   columns(),
		Orders: []list.Order[aggregate]{
			{Name: "name", Key: func(a aggregate, _ list.At) list.Key { return list.Key{None: a.Name == "", Text: a.Name} }},
			{Name: "members", Desc: true},
			{Name: "vcpu_free", Desc: true},
			{Name: "vgpu_free", Desc: true},
			{Name: "disk_free", Desc: true},
			{Name: "zone"},
		},
		FilterHelp: "name or uuid, zone=az-1 host=cmp-001 pool:ceph vgpu_free>0 reach=0",
		Severity: func(a aggregate, _ list.At) style.Severity {
			if a.Broken() != "" {
				return style.SeverityWarn
			}
			return style.SeverityNone
		},
		Actions: func(h list.Here[aggregate]) []action.Action { return append(actions(h), edits(env, h)...) },
		Title: func(a aggregate, _ list.At) (string, string) {
			return cmp.Or(a.Name, "aggregate without a name"), a.ID.String()
		},
		Detail: detail,
		Side:   true,
		Empty:  []string{"there are no aggregates: no provider is in any, and nova has none", "try: `placetop set aggregate HOST +UUID` puts a host into one"},
	}, env, snap, filter)
}

func columns() []*list.Column[aggregate] {
	shows := list.Shows[aggregate]
	return []*list.Column[aggregate]{
		shows("name", "AGGREGATE", 12, 36, 2, 0).Drawn(func(l *component.Line, a aggregate, _ list.At) {
			if a.Name == "" {
				l.Add(themes.Dim, a.ID.String())
				return
			}
			l.Add(themes.Strong, a.Name)
		}),
		shows("zone", "ZONE", 6, 16, 1, 4),
		shows("members", "MEMBERS", 7, 0, 0, 1),
		shows("vcpu_free", "VCPU FREE", 9, 0, 0, 2),
		shows("vgpu_free", "VGPU FREE", 9, 0, 0, 3),
		shows("disk_free", "DISK FREE", 9, 0, 0, 5),
		shows("pool", "POOL", 11, 36, 2, 0),
		shows("reach", "REACH", 8, 0, 0, 0).Drawn(func(l *component.Line, a aggregate, _ list.At) {
			switch {
			case len(a.Pools) == 0:
				l.Add(themes.Faint, "-")
			case a.Trees == 0:
				component.SeverityMark(l, style.SeverityCritical).Add(themes.Critical, " nobody")
			default:
				component.SeverityMark(l, style.SeverityOK).Add(themes.OK, " "+component.Count(a.Trees))
			}
		}),
		shows("host_count", "HOSTS", 6, 0, 0, 6),
		shows("uuid", "UUID", 36, 36, 0, 9).OnlyWide(),
	}
}

// detail lists the members of an aggregate, and what is free there.
func detail(a aggregate, area list.Area) []string {
	var lines []string
	if why := a.Broken(); why != "" {
		lines = append(lines, panel.Fault(area.Styles, area.Width, why))
	}
	if a.Zone != "" {
		lines = append(lines, area.Line().Space(1).Add(themes.Dim, "zone ").Add(themes.Text, a.Zone).String())
	}
	for _, p := range a.Pools {
		lines = append(lines, area.Line().Space(1).Add(themes.Dim, "pool ").Add(themes.Strong, p.Name()).Add(themes.Dim, "   serves "+component.Plural(int(a.Trees), "host")).String())
	}
	classes := free(a)
	name, amount := 0, 0
	for _, class := range classes {
		name = max(name, len(class))
		amount = max(amount, len(component.Amount(a.Free[class], panel.Unit(class))))
	}
	name = min(name, max(area.Width-len("  "+" free")-amount, 0))
	for _, iu := range classes {
		l := area.Line().Space(1).Cell(name).Add(themes.Dim, string(iu)).EndCell(component.AlignLeft)
		lines = append(lines, l.Space(1).Cell(amount).Add(themes.Text, component.Amount(a.Free[iu], panel.Unit(iu))).EndCell(component.AlignRight).Add(themes.Dim, " free").String())
	}
	in := members(a, area)
	if slices.Equal(in, a.Hosts) {
		lines = append(lines, names(area, "members, all of them nova's hosts", in)...)
	} else {
		lines = append(lines, names(area, "members", in)...)
		lines = append(lines, names(area, "nova's hosts", a.Hosts)...)
	}
	return lines[:min(len(lines), max(area.Height, 0))]
}

// most is how many names are listed.
const most = 60

// members returns the names of the providers in an aggregate, at most some of many.
func members(a aggregate, area list.Area) []string {
	var out []string
	for n := range a.Members.All() {
		if len(out) == most {
			break
		}
		out = append(out, area.Snap.Placement().ProviderAt(n).Name())
	}
	return out
}

// names lists names under a title; nothing if there are none.
func names(a list.Area, what string, all []string) []string {
	if len(all) == 0 {
		return nil
	}
	const rows = 6
	lines := component.Wrap(a.Styles, strings.Join(all[:min(len(all), most)], "  "), a.Width-4)
	lines = lines[:min(len(lines), rows)]
	for i, text := range lines {
		lines[i] = panel.Text(a.Styles, a.Width, themes.Text, "   "+text)
	}
	return append([]string{panel.Text(a.Styles, a.Width, themes.Dim, " "+what)}, lines...)
}

func actions(h list.Here[aggregate]) []action.Action {
	name := ""
	if h.Nothing == "" {
		name = cmp.Or(h.Row.Name, h.Row.ID.String())
	}
	pools := h.About(action.Action{ID: "aggregates.pools", Keys: []string{"i"}, Title: "shares", Help: "what each host has of its pools", Priority: 70}, func(a aggregate) tea.Msg {
		var terms []string
		for _, p := range a.Pools {
			terms = append(terms, filter.Is("pool", p.Name()))
		}
		return screen.Goto{To: place.Shares{Filter: strings.Join(terms, " | ")}}
	})
	if pools.Disabled == "" && len(h.Row.Pools) == 0 {
		pools.Disabled = name + " has no pool"
	}
	return []action.Action{
		h.About(action.Action{ID: "aggregates.open", Keys: []string{"enter"}, Title: "members", Help: "list its providers", Priority: 90}, func(aggregate) tea.Msg {
			return screen.Goto{To: place.Providers{Filter: filter.Is("agg", name)}}
		}),
		pools,
		h.About(action.Action{ID: "aggregates.whatif", Keys: []string{"w"}, Title: "what-if", Help: "ask for allocation candidates in it", Priority: 58}, func(a aggregate) tea.Msg {
			return screen.Goto{To: place.WhatIf{Query: "resources=VCPU:1,MEMORY_MB:1024&member_of=" + a.ID.String()}}
		}),
		h.Copying("uuid", func(a aggregate) (what, text string) { return "uuid of " + name, a.ID.String() }),
	}
}
