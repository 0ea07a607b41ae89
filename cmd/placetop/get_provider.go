package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
)

// providerRow is a resource provider as it is printed.
type providerRow struct {
	UUID        placement.ProviderID                        `json:"uuid"`
	Name        string                                      `json:"name"`
	Generation  int64                                       `json:"generation"`
	Parent      *placement.ProviderID                       `json:"parent_provider_uuid"`
	Root        placement.ProviderID                        `json:"root_provider_uuid"`
	Owner       string                                      `json:"owner"`
	Sharing     bool                                        `json:"sharing"`
	Inventories map[placement.ResourceClass]inventoryFields `json:"inventories"`
	Traits      []placement.Trait                           `json:"traits"`
	Aggregates  []placement.AggregateID                     `json:"aggregates"`
	Consumers   int                                         `json:"consumers"`
	Created     *time.Time                                  `json:"created_at,omitempty"`
	Updated     *time.Time                                  `json:"updated_at,omitempty"`
	Shared      []shareRow                                  `json:"shared,omitempty"` // what it has of pools, for a host

	owner placement.Owner
	tree  string // what is drawn before the name
	usage string
}

// inventoryFields is an inventory with what is derived from it.
type inventoryFields struct {
	placement.Inventory
	Capacity int64 `json:"capacity"`
	Used     int64 `json:"used"`
}

func fieldsOf(iu placement.InventoryUsage) inventoryFields {
	return inventoryFields{Inventory: iu.Inventory, Capacity: iu.Capacity(), Used: iu.Used}
}

func providersKind() kind {
	return kind{
		name: "providers", aliases: []string{"provider", "rp", "p"},
		short:   "Resource providers, as trees",
		what:    "the name or the uuid of a provider",
		filters: append(providerFilters(), byLimit),
		names:   providerNames,
		print:   printProviders,
	}
}

func printProviders(q query) error {
	picked, err := q.by.providers(q.finder)
	if err != nil {
		return err
	}
	var rows []providerRow
	if q.name == "" {
		rows = forest(q, picked)
	} else {
		p, err := q.provider(q.name)
		if err != nil {
			return err
		}
		if picked(p) {
			rows = append(rows, newProviderRow(q.finder, insight.NewShares(q.Snapshot), p))
		}
	}
	name := text("name", func(r providerRow) string { return r.Name })
	name.shown = func(r providerRow) string { return r.tree + r.Name }
	owner := text("owner", func(r providerRow) string { return r.Owner })
	owner.token = func(r providerRow) themes.Token { return ownerToken(r.owner) }
	return list(q, "providers", []column[providerRow]{
		name,
		owner,
		number("generation", func(r providerRow) int64 { return r.Generation }),
		number("consumers", func(r providerRow) int64 { return int64(r.Consumers) }),
		dim(text("uuid", func(r providerRow) string { return r.UUID.String() })),
		wide(text("usage", func(r providerRow) string { return r.usage })),
		wide(number("traits", func(r providerRow) int64 { return int64(len(r.Traits)) })),
		wide(number("aggregates", func(r providerRow) int64 { return int64(len(r.Aggregates)) })),
		wide(text("sharing", func(r providerRow) string { return strconv.FormatBool(r.Sharing) })),
		wide(dim(text("parent_provider_uuid", func(r providerRow) string {
			if r.Parent == nil {
				return ""
			}
			return r.Parent.String()
		}))),
		sharedColumn(func(r providerRow) []shareRow { return r.Shared }),
	}, rows)
}

// forest returns the picked providers, tree by tree, parents first. A provider
// whose parent is not picked is drawn below the nearest one that is.
func forest(q query, picked func(*placement.ResourceProvider) bool) []providerRow {
	var rows []providerRow
	p := q.Placement()
	shares := insight.NewShares(q.Snapshot)
	for root := range p.Roots() {
		// above are the depths of the picked providers on the way to here.
		var above []int
		first := len(rows)
		var levels []int
		for depth, rp := range p.Tree(root) {
			for len(above) > 0 && above[len(above)-1] >= depth {
				above = above[:len(above)-1]
			}
			if !picked(rp) {
				continue
			}
			rows = append(rows, newProviderRow(q.finder, shares, rp))
			levels = append(levels, len(above))
			above = append(above, depth)
		}
		q.drawTree(rows[first:], levels)
	}
	return rows
}

// drawTree fills in the tree signs of rows that are at the given levels.
func (q query) drawTree(rows []providerRow, levels []int) {
	g := q.out.styles.Glyphs
	// more[l] says whether a row of level l comes before the next of a lower one.
	more := make([]bool, 0, 8)
	for i := len(rows) - 1; i >= 0; i-- {
		level := levels[i]
		for len(more) <= level {
			more = append(more, false)
		}
		var b strings.Builder
		for l := 1; l < level; l++ {
			if more[l] {
				b.WriteString(g.TreePipe)
			} else {
				b.WriteString(g.TreeBlank)
			}
		}
		if level > 0 {
			if more[level] {
				b.WriteString(g.TreeBranch)
			} else {
				b.WriteString(g.TreeLast)
			}
		}
		rows[i].tree = b.String()
		more[level] = true
		clear(more[level+1:])
	}
}

func newProviderRow(f finder, shares insight.Shares, rp *placement.ResourceProvider) providerRow {
	p := f.Placement()
	r := providerRow{
		UUID: rp.ID(), Name: rp.Name(), Generation: rp.Generation(), Root: p.Root(rp).ID(),
		owner: p.Owner(rp), Sharing: p.Shares(rp),
		Inventories: map[placement.ResourceClass]inventoryFields{},
		Traits:      p.TraitsOf(rp), Aggregates: append([]placement.AggregateID{}, rp.Aggregates()...),
		Created: known(rp.Created()), Updated: known(rp.Updated()), Shared: sharesOf(shares, rp),
	}
	r.Owner = r.owner.String()
	if parent, ok := p.Parent(rp); ok {
		id := parent.ID()
		r.Parent = &id
	}
	var usage []string
	for _, iu := range rp.Inventories() {
		name := p.ClassName(iu.Class)
		r.Inventories[name] = fieldsOf(iu)
		usage = append(usage, fmt.Sprintf("%s=%d/%d", name, iu.Used, iu.Capacity()))
	}
	r.usage = strings.Join(usage, " ")
	for range p.ConsumersOf(rp) {
		r.Consumers++
	}
	return r
}
