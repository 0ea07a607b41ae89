package consumers

import (
	"context"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// consumer is a row: a consumer, its name, and its problems.
type consumer struct {
	*placement.Consumer
	name  string
	found []audit.Finding
}

// consumers returns all consumers of a Snapshot, by uuid.
func consumers(ctx context.Context, env screen.Env, snap *cloud.Snapshot) []*consumer {
	pass := env.Inspect(snap)
	// Both ledgers list by uuid, so one pass over each finds all names.
	instances := make([]*nova.Instance, 0, snap.Nova().InstanceCount())
	instances = slices.AppendSeq(instances, snap.Nova().Instances())
	all := make([]*consumer, 0, snap.Placement().ConsumerCount())
	at := 0
	for c := range snap.Placement().Consumers() {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			return all
		}
		id := c.ID()
		for at < len(instances) && instances[at].UUID.Compare(id) < 0 {
			at++
		}
		one := &consumer{Consumer: c, found: pass.OfConsumer(id)}
		if at < len(instances) && instances[at].UUID == id {
			one.name = instances[at].Name
		}
		if one.name == "" {
			one.name = panel.ConsumerName(snap, id)
		}
		all = append(all, one)
	}
	return all
}

func (c *consumer) called(list.At) string { return c.name }

// mostHosts is how many hosts of a consumer are named; nearly all have one, and those
// that move two.
const mostHosts = 3

// where returns where a consumer is: host and card, or all hosts.
func (c *consumer) where(at list.At) string {
	pl := at.Snap.Placement()
	var roots []string
	var card *placement.ResourceProvider
	for a := range pl.Allocations(c.Consumer) {
		if pl.Shares(a.Provider) {
			continue
		}
		if root := pl.Root(a.Provider).Name(); !slices.Contains(roots, root) {
			if len(roots) == mostHosts {
				return strings.Join(roots, " + ") + " + more"
			}
			roots = append(roots, root)
		}
		if !a.Provider.IsRoot() && (card == nil || pl.Owner(card) == placement.OwnedByNone) {
			card = a.Provider
		}
	}
	switch {
	case len(roots) == 0:
		return "-"
	case len(roots) > 1:
		return strings.Join(roots, " + ")
	case card != nil:
		return roots[0] + "/" + panel.ShortName(pl, card)
	}
	return roots[0]
}

// home returns the main provider of a consumer: the deepest one, which for a GPU instance
// is the card.
func (c *consumer) home(at list.At) placement.ProviderID {
	pl := at.Snap.Placement()
	best, depth := placement.ProviderID{}, -1
	for a := range pl.Allocations(c.Consumer) {
		d := 1
		for p, ok := pl.Parent(a.Provider); ok; p, ok = pl.Parent(p) {
			d++
		}
		if pl.Shares(a.Provider) {
			d = 0
		}
		if d > depth {
			best, depth = a.Provider.ID(), d
		}
	}
	return best
}
