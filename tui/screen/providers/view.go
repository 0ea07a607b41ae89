package providers

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// summaryRows is how many lines are below the list.
const summaryRows = 6

func (s *Screen) columns() list.Columns {
	columns := list.Show("name:24-44+3~ owner=OWN used%=:8-28+2 used=used/cap:9-15+1> free:6> gen:5 traits | aggregates=AGGS consumers=CONS:6 uuid:36", "uuid consumers aggregates traits free gen owner", list.Cells[*provider]{
		"name": func(l *component.Line, p *provider, at list.At) {
			switch {
			case !at.Nested:
				l.Add(themes.Text, p.Name())
			case p.IsRoot():
				l.Add(themes.Strong, p.Name())
				if trouble := panel.HostTrouble(at.Snap, p, at.Now); trouble != "" {
					l.KeepEnds(false).Space(2).Add(themes.Warn, trouble)
				}
			default:
				l.Add(themes.Text, panel.ShortName(at.Snap.Placement(), p))
			}
		},
		"used%": func(l *component.Line, p *provider, at list.At) {
			if c := s.loads.of(at, p); c.has {
				component.Bar(l, l.Left(), c.Load)
			}
		},
		"used": func(l *component.Line, p *provider, at list.At) {
			c := s.loads.of(at, p)
			t := themes.Text
			switch {
			case !c.has:
				l.Add(themes.Faint, "-")
				return
			case c.Over():
				t = themes.Critical
			}
			l.Add(t, component.Used(c.Load, panel.Unit(at.Class)))
		},
		"free": func(l *component.Line, p *provider, at list.At) {
			c := s.loads.of(at, p)
			t := themes.Text
			if c.Free() < 0 {
				t = themes.Critical
			}
			if c.has {
				l.Add(t, component.Amount(c.Free(), panel.Unit(at.Class)))
			}
		},
	}).In(themes.Faint, "uuid")
	for key, least := range map[string]int{"name": 10, "owner": 3, "used%": 5, "used": 7} {
		columns.Of(key).Tight = least
	}
	columns.Of("used%").OfClass = true
	return columns
}

func (s *Screen) actions(h list.Here[*provider]) []action.Action {
	var id placement.ProviderID
	if h.Nothing == "" {
		id = h.Row.ID()
	}
	return slices.Concat([]action.Action{
		h.Leads(action.Action{ID: "providers.open", Keys: "enter", Title: "open", Help: "open the provider", Priority: 90}, func(p *provider) place.Place { return place.Provider{ID: p.ID()} }),
		{ID: "providers.class", Keys: ">", Title: "class", Help: "show the bars of the next class", Priority: 75, Run: func() tea.Cmd { return nextClass(h) }},
		h.Leads(action.Action{ID: "providers.allocate", Keys: "n", Title: "new allocation", Help: "allocate on this provider's tree", Priority: 70, Writes: []intent.Op{placement.ReplaceAllocations{}}}, func(p *provider) place.Place { return place.Allocate{Provider: p.ID()} }),
		panel.FixingProvider("providers", s.env, s.snap, id, h.Nothing),
		list.Each(h, panel.Editing("providers"), func(n string) string { return "edit " + n }, func(all []*provider) tea.Msg {
			to := place.SetProvider{ID: all[0].ID(), Others: others(all)}
			if len(all) > 1 {
				to.Class = h.Class
			} else if h.Snap.Placement().Shares(now(h.At, all[0])) {
				return screen.Goto{To: place.Pool{ID: all[0].ID()}}
			}
			return screen.Goto{To: to}
		}),
		list.Each(h, action.Action{ID: "providers.delete", Keys: "D", Title: "delete...", Help: "delete the provider and all below it, or all marked ones, with a preview", Priority: 35, Writes: []intent.Op{placement.DeleteProvider{}}},
			func(n string) string { return "delete " + n + "..." }, func(all []*provider) tea.Msg {
				return screen.Goto{To: place.DelProvider{ID: all[0].ID(), Others: others(all)}}
			}),
	}, panel.Asking("providers", place.WhatIf{Provider: id}, h.Nothing)[:1]) // W is on that screen
}

// nextClass shows the bars of the next class in use, the first after the last.
func nextClass(h list.Here[*provider]) tea.Cmd {
	classes := panel.ClassesInUse(h.Snap.Placement())
	if len(classes) == 0 {
		return nil
	}
	return h.List.Choose(classes[(slices.Index(classes, h.List.Wished())+1)%len(classes)])
}

// detail shows what a provider has, its owner, and its consumers.
func (s *Screen) detail(row *provider, a list.Area) []string {
	snap, p := a.Snap, now(a.At, row)
	found := s.found.Load().OfProvider(p.ID())
	if !a.Beside {
		host := panel.HostLines(a.Styles, snap, p, a.Now, a.Width)
		return append(host, panel.Summary(a.Styles, snap, p, found, a.Width, a.Height-len(host))...)
	}
	st, pl, iw, ih := a.Styles, snap.Placement(), a.Width, a.Height
	l := component.NewLine(st, iw)
	lines := make([]string, 0, ih+8)
	add := func(more ...string) { lines = append(lines, more...) }
	section := func(title string) { add(l.Reset(iw).String(), a.Head(title)) }

	owner := panel.Owner(pl.Owner(p))
	l.Owner(owner).Space(1).Add(owner.Token(), pl.Owner(p).String())
	l.Add(themes.Dim, "   gen ").Add(themes.Text, component.Count(p.Generation()))
	l.Add(themes.Dim, "   aggs ").Add(themes.Text, component.Count(len(p.Aggregates())))
	if at := p.Updated(); !at.IsZero() { // the API of a live cloud does not report it
		l.Add(themes.Faint, "   written "+panel.Age(a.Now, at)+" ago")
	}
	add(l.String())
	if path := panel.Path(pl, p); len(path) > 1 {
		add(l.Reset(iw).Add(themes.Dim, "in ").Add(themes.Text, strings.Join(path[:len(path)-1], " > ")).String())
	}
	add(panel.HostLines(st, snap, p, a.Now, iw)...)
	for _, f := range found {
		add(panel.FindingOn(st, snap, p, f, iw)...)
	}
	if add(l.Reset(iw).String()); len(p.Inventories()) == 0 {
		add(a.Head("INVENTORY"))
	}
	add(panel.Inventories(st, pl, p, iw, "INVENTORY")...)
	section(fmt.Sprintf("TRAITS %d", len(p.TraitIDs())))
	traits := panel.Traits(st, pl, p, iw)
	consumers := pl.CountConsumersOf(p)
	// Traits leave a third of the remaining room to the consumers.
	if room := max((ih-len(lines)-2)*2/3, 1); consumers > 0 && len(traits) > room {
		add(traits[:room-1]...)
		add(l.Reset(iw).Add(themes.Dim, fmt.Sprintf("  %s %d more lines", st.Glyphs.More, len(traits)-room+1)).String())
	} else {
		add(traits...)
	}
	section("CONSUMERS " + component.Count(consumers))
	for c := range pl.ConsumersOf(p) {
		if len(lines) >= ih {
			break
		}
		add(panel.ConsumerLine(l.Reset(iw), snap, c, p, a.Now).String())
	}
	return lines
}

// sum says how much of the shown class providers have in all, each counted once.
func sum(all []*provider, at list.At) string {
	class := panel.ClassID(at.Snap.Placement(), at.Class)
	var total component.Load
	seen := map[int]bool{}
	add := func(p *provider) {
		if iu, ok := p.Inventory(class); ok && !seen[p.Number()] {
			seen[p.Number()] = true
			total = panel.Sum(total, panel.Load(at.Snap.Placement(), p, iu))
		}
	}
	for _, row := range all {
		p := now(at, row)
		add(p)
		if at.Nested {
			for below := range at.Snap.Placement().Within(p) {
				add(below)
			}
		}
	}
	if len(seen) == 0 {
		return ""
	}
	return string(at.Class) + " " + component.Used(total, panel.Unit(at.Class))
}

// others returns the ids of all providers except the first.
func others(all []*provider) string {
	var ids []placement.ProviderID
	for _, p := range all[1:] {
		ids = append(ids, p.ID())
	}
	return place.JoinIDs(ids...)
}
