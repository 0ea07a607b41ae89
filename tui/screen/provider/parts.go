package provider

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Bounds of lists of lines: what is beyond them is counted.
const (
	mostChildren   = 64
	mostAggregates = 32
	mostPools      = 8
)

// parts draws the sections that are made of lines of w cells.
type parts struct {
	st   *style.Styles
	snap *cloud.Snapshot
	pl   *placement.Snapshot
	p    *provider
	at   list.At
	w    int
}

func (d parts) line() *component.Line { return component.NewLine(d.st, d.w) }

// more is the line that counts what is left out of a list.
func (d parts) more(n int, what string) string {
	return d.line().Space(2).Add(themes.Dim, d.st.Glyphs.More+" "+component.Count(int64(n))+" more "+what).String()
}

// head is who the provider is.
func (d parts) head() []string {
	owner := panel.Owner(d.pl.Owner(d.p))
	l := component.OwnerBadge(d.line().Space(1), owner).Space(1)
	l.Add(owner.Token(), d.pl.Owner(d.p).String())
	l.Add(themes.Dim, "   gen ").Add(themes.Text, component.Count(d.p.Generation()))
	l.Space(3).Add(themes.Text, d.p.ID().String())
	l.Space(3).Add(themes.Faint, "written "+panel.Age(d.at.Now, d.p.Updated())+" ago")
	lines := []string{l.String()}
	if panel.ShortName(d.pl, d.p) != d.p.Name() {
		lines = append(lines, d.line().Space(1).Add(themes.Dim, "name ").Add(themes.Text, d.p.Name()).String())
	}
	return lines
}

// inventory is what there is, and what is wrong with the provider.
func (d parts) inventory(found findings) []string {
	lines := panel.Inventories(d.st, d.pl, d.p, d.w)
	for _, f := range found.here {
		lines = append(lines, panel.Finding(d.st, f, d.w))
	}
	return lines
}

// children is a line for each provider right below.
func (d parts) children() []string {
	kids := d.pl.Children(d.p)
	var lines []string
	for i, k := range kids {
		if i == mostChildren {
			return append(lines, d.more(len(kids)-i, "children, t lists the tree"))
		}
		lines = append(lines, d.child(k))
	}
	return lines
}

// child is a line about a provider below this one: the bar of its first class.
func (d parts) child(k *placement.ResourceProvider) string {
	l := component.OwnerBadge(d.line().Space(2), panel.Owner(d.pl.Owner(k))).Space(1)
	l.Cell(min(30, d.w/3)).Add(themes.Text, panel.ShortName(d.pl, k)).EndCell(component.AlignLeft).Space(1)
	class, load, ok := firstLoad(d.pl, k)
	if !ok {
		return l.Add(themes.Faint, "no inventory").String()
	}
	name := min(24, d.w/4)
	l.Cell(name).Add(themes.Dim, panel.ShortClass(d.st, class, name)).EndCell(component.AlignLeft).Space(1)
	component.Bar(l, max(min(30, l.Left()-16), 4), load)
	t := themes.Text
	if load.Over() {
		t = themes.Critical
	}
	return l.Space(1).Cell(15).Add(t, string(component.AppendUsed(nil, load, panel.Unit(class)))).EndCell(component.AlignRight).String()
}

// firstLoad returns the first class that k or anything below it has, summed over
// the tree below k.
func firstLoad(pl *placement.Snapshot, k *placement.ResourceProvider) (placement.ResourceClass, component.Load, bool) {
	for _, q := range pl.Tree(k) {
		for _, iu := range q.Inventories() {
			load, _ := panel.TreeLoad(pl, k, iu.Class)
			return pl.ClassName(iu.Class), load, true
		}
	}
	return "", component.Load{}, false
}

// member is an aggregate that a provider is in, or its root for it.
type member struct {
	id   placement.AggregateID
	from string // whose it is, "" for the provider's own
}

// memberships returns the aggregates of a provider, and after them those that only
// its root has: what shares with a tree is in an aggregate of the root.
func memberships(pl *placement.Snapshot, p *placement.ResourceProvider) []member {
	var all []member
	for _, a := range p.Aggregates() {
		all = append(all, member{a, ""})
	}
	if root := pl.Root(p); root.ID() != p.ID() {
		for _, a := range root.Aggregates() {
			if !p.InAggregate(a) {
				all = append(all, member{a, "of " + root.Name()})
			}
		}
	}
	return all
}

// aggregatesTitle counts the aggregates of a provider and those of its root.
func aggregatesTitle(pl *placement.Snapshot, p *placement.ResourceProvider) string {
	own := len(p.Aggregates())
	title := "AGGREGATES " + component.Count(int64(own))
	if n := len(memberships(pl, p)) - own; n > 0 {
		title += fmt.Sprintf(" own, %d of its root", n)
	}
	return title
}

// aggregates is those of the provider and of its root, with the pools that it
// reaches through them.
func (d parts) aggregates() []string {
	all := memberships(d.pl, d.p)
	if len(all) == 0 {
		return []string{panel.Text(d.st, d.w, themes.Faint, "  in none: it neither shares nor is shared with")}
	}
	var lines []string
	shares := kinds.NewShares(d.snap).Of(d.p)
	for i, a := range all {
		if i == mostAggregates {
			return append(lines, d.more(len(all)-i, "aggregates"))
		}
		members := d.pl.InAggregate(a.id)
		l := d.line().Space(2).Add(themes.Text, a.id.String())
		l.Add(themes.Dim, "  "+panel.Plural(members.Len(), "member"))
		if a.from != "" {
			l.Space(2).Add(themes.Faint, a.from)
		}
		lines = append(append(lines, l.String()), d.pools(members, shares)...)
	}
	return lines
}

// pools is what of the members of an aggregate shares its inventory. Pools are
// few, members may be all hosts. What the tree of the provider has of each stands beside
// what is used of it in all.
func (d parts) pools(members placement.Set, of []kinds.Share) []string {
	shares, ok := d.pl.TraitID(placement.SharesViaAggregate)
	if !ok {
		return nil
	}
	var lines []string
	n := 0
	for number := range d.pl.WithTrait(shares).All() {
		if !members.Has(number) || number == d.p.Number() {
			continue
		}
		if n++; n > mostPools {
			continue
		}
		q := d.pl.ProviderAt(number)
		l := d.line().Space(4).Add(themes.Dim, "reaches ").Add(themes.Strong, q.Name())
		for _, iu := range q.Inventories() {
			class := d.pl.ClassName(iu.Class)
			l.Add(themes.Dim, "  "+string(class)+" ").Add(themes.Text, string(component.AppendUsed(nil, panel.Load(d.pl, q, iu), panel.Unit(class))))
			for _, t := range of {
				if t.Pool == q.ID() && t.Class == class && t.Here > 0 {
					l.Add(themes.Dim, ", ").Add(themes.Text, component.Amount(t.Here, panel.Unit(class))).Add(themes.Dim, " by this host")
				}
			}
		}
		lines = append(lines, l.String())
	}
	if n > mostPools {
		lines = append(lines, d.more(n-mostPools, "pools"))
	}
	return lines
}
