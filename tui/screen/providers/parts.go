package providers

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// mostPools is how many pools are listed below an aggregate.
const mostPools = 8

// parts draws the sections that consist of lines of w cells.
type parts struct {
	st   *style.Styles
	snap *cloud.Snapshot
	pl   *placement.Snapshot
	p    *provider
	at   list.At
	w    int
}

func (d parts) line() *component.Line { return component.NewLine(d.st, d.w) }

// head shows what the provider is.
func (d parts) head() []string {
	owner := panel.Owner(d.pl.Owner(d.p))
	l := d.line().Space(1).Owner(owner).Space(1)
	l.Add(owner.Token(), d.pl.Owner(d.p).String())
	l.Add(themes.Dim, "   gen ").Add(themes.Text, component.Count(d.p.Generation()))
	l.Space(3).Add(themes.Text, d.p.ID().String())
	if at := d.p.Updated(); !at.IsZero() { // the API of a live cloud does not report it
		l.Space(3).Add(themes.Faint, "written "+panel.Age(d.at.Now, at)+" ago")
	}
	lines := []string{l.String()}
	if panel.ShortName(d.pl, d.p) != d.p.Name() {
		lines = append(lines, d.line().Space(1).Add(themes.Dim, "name ").Add(themes.Text, d.p.Name()).String())
	}
	return append(lines, panel.HostLines(d.st, d.snap, d.p, d.at.Now, d.w)...)
}

// inventory shows the inventory, and the problems of the provider.
func (d parts) inventory(found []audit.Finding) []string {
	lines := append(panel.Inventories(d.st, d.pl, d.p, d.w, ""), d.shared()...)
	for _, f := range found {
		lines = append(lines, panel.FindingOn(d.st, d.snap, d.p, f, d.w)...)
	}
	return lines
}

// shared shows a host's share of the pools that serve it, which are not its own
// inventory: the bar is its share, and not the usage of the pool.
func (d parts) shared() []string {
	if !d.p.IsRoot() {
		return nil
	}
	var lines []string
	for _, s := range kinds.NewShares(d.snap).Of(d.p) {
		unit := panel.Unit(s.Class)
		l := d.line().Space(2).Column(min(max(len(s.Class), 9), 24), themes.Text, string(s.Class)).Space(1)
		component.Bar(l, min(max(d.w/4, 8), 24), component.Load{Total: s.Capacity, Capacity: s.Capacity, Used: s.Here})
		l.Space(1).Add(themes.Text, component.Amount(s.Here, unit)+" here").Add(themes.Dim, ", of ").Add(themes.Text, s.Name)
		lines = append(lines, l.Add(themes.Dim, fmt.Sprintf(" %s/%s, shared", component.Amount(s.Used, unit), component.Amount(s.Capacity, unit))).String())
	}
	return lines
}

// traits shows the traits of the provider.
func (d parts) traits() []string { return panel.Traits(d.st, d.pl, d.p, d.w) }

// children returns the direct children.
func children(p *provider, at list.At) []*provider { return at.Snap.Placement().Children(p) }

// childColumns are the columns of the children: the bar is that of the first class.
func childColumns() list.Columns {
	load := func(k *provider, at list.At) (placement.ResourceClass, component.Load, bool) {
		now, ok := at.Snap.Placement().Provider(k.ID())
		if !ok {
			return "", component.Load{}, false
		}
		return firstLoad(at.Snap.Placement(), now)
	}
	return list.Show("owner=:3 name=:12-30+2 class=:8-24+1 bar=:6-30+2 used=:9-15+1>", "class bar", list.Cells[*provider]{
		"owner": func(l *component.Line, k *provider, at list.At) {
			panel.OwnerBadge(l, at.Snap.Placement().Owner(k))
		},
		"name": list.TextCell(themes.Text, func(k *provider, at list.At) string { return panel.ShortName(at.Snap.Placement(), k) }),
		"class": func(l *component.Line, k *provider, at list.At) {
			class, _, ok := load(k, at)
			if !ok {
				l.Add(themes.Faint, "no inventory")
				return
			}
			l.Add(themes.Dim, string(class))
		},
		"bar": func(l *component.Line, k *provider, at list.At) {
			if _, full, ok := load(k, at); ok {
				component.Bar(l, l.Left(), full)
			}
		},
		"used": func(l *component.Line, k *provider, at list.At) {
			class, full, ok := load(k, at)
			if !ok {
				return
			}
			t := themes.Text
			if full.Over() {
				t = themes.Critical
			}
			l.Add(t, component.Used(full, panel.Unit(class)))
		},
	})
}

// firstLoad returns the first class in the subtree of k, summed over that.
func firstLoad(pl *placement.Snapshot, k *placement.ResourceProvider) (placement.ResourceClass, component.Load, bool) {
	for _, q := range pl.Tree(k) {
		for _, iu := range q.Inventories() {
			load, _ := panel.TreeLoad(pl, k, iu.Class)
			return pl.ClassName(iu.Class), load, true
		}
	}
	return "", component.Load{}, false
}

// member is an aggregate of a provider, or of its root.
type member struct {
	id   placement.AggregateID
	from string // the root whose it is, "" for the provider itself

	count int       // of its members
	pool  *provider // the pool reached through it, if this row is about one; nil for the aggregate itself
	gives string    // the inventory of the pool
}

// memberships returns the aggregates of a provider, followed by those that only its root
// has: what shares with a tree is in an aggregate of the root.
func memberships(pl *placement.Snapshot, p *placement.ResourceProvider) []*member {
	var all []*member
	for _, a := range p.Aggregates() {
		all = append(all, &member{id: a})
	}
	if root := pl.Root(p); root.ID() != p.ID() {
		for _, a := range root.Aggregates() {
			if !p.InAggregate(a) {
				all = append(all, &member{id: a, from: "of " + root.Name()})
			}
		}
	}
	return all
}

// aggregatesTitle counts the aggregates of a provider and those of its root.
func aggregatesTitle(pl *placement.Snapshot, p *placement.ResourceProvider) string {
	own := len(p.Aggregates())
	title := "AGGREGATES " + component.Count(own)
	if n := len(memberships(pl, p)) - own; n > 0 {
		title += fmt.Sprintf(" own, %d of its root", n)
	}
	return title
}

// members returns the aggregates of the provider and of its root, each with the pools
// that it reaches through them.
func members(p *provider, at list.At) []*member {
	pl := at.Snap.Placement()
	var out []*member
	shares := kinds.NewShares(at.Snap).Of(p)
	for _, m := range memberships(pl, p) {
		in := pl.InAggregate(m.id)
		m.count = in.Len()
		out = append(append(out, m), poolsIn(pl, m.id, p, in, shares)...)
	}
	return out
}

// poolsIn returns the members of an aggregate that share inventory. Pools are few;
// members may be all hosts. The tree's own share is shown beside the total usage.
func poolsIn(pl *placement.Snapshot, id placement.AggregateID, p *provider, in placement.Set, of []kinds.Share) []*member {
	shares, ok := pl.TraitID(placement.SharesViaAggregate)
	if !ok {
		return nil
	}
	var out []*member
	for number := range pl.WithTrait(shares).All() {
		if !in.Has(number) || number == p.Number() || len(out) == mostPools {
			continue
		}
		q := pl.ProviderAt(number)
		m := &member{id: id, pool: q}
		for _, iu := range q.Inventories() {
			class := pl.ClassName(iu.Class)
			m.gives += "  " + string(class) + " " + component.Used(panel.Load(pl, q, iu), panel.Unit(class))
			for _, t := range of {
				if t.Pool == q.ID() && t.Class == class && t.Here > 0 {
					m.gives += ", " + component.Amount(t.Here, panel.Unit(class)) + " by this host"
				}
			}
		}
		out = append(out, m)
	}
	return out
}

// key identifies a row for good.
func (m *member) key() string {
	if m.pool != nil {
		return m.id.String() + m.pool.ID().String()
	}
	return m.id.String()
}

// open goes to the pool, or to all members of the aggregate.
func (m *member) open() place.Place {
	if m.pool != nil {
		return place.Provider{ID: m.pool.ID()}
	}
	return place.Providers{Filter: "agg=" + m.id.String()}
}

// memberColumns are the columns of aggregates, and of pools below them.
func memberColumns() list.Columns {
	return list.Show("name=:12-40+1 about=:20+8", "", list.Cells[*member]{
		"name": func(l *component.Line, m *member, at list.At) {
			if m.pool != nil {
				l.Add(themes.Dim, "  reaches ").Add(themes.Strong, m.pool.Name())
				return
			}
			name := m.id.String()
			if a, ok := at.Snap.Nova().Aggregate(m.id); ok {
				name = a.Name
			}
			l.Add(themes.Text, name)
		},
		"about": func(l *component.Line, m *member, at list.At) {
			if m.pool != nil {
				l.Add(themes.Text, strings.TrimSpace(m.gives))
				return
			}
			l.Add(themes.Dim, component.Plural(m.count, "member"))
			if m.from != "" {
				l.Space(2).Add(themes.Faint, m.from)
			}
			if _, ok := at.Snap.Nova().Aggregate(m.id); ok {
				l.Space(2).Add(themes.Faint, m.id.String())
			}
		},
	})
}
