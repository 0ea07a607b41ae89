package panel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

const (
	mostWrote  = 3   // how many writes are listed
	wroteAsked = 100 // how many are searched
	mostNamed  = 2   // how many things changed by one write are named
)

// WritersText says who wrote to what p affects after one revision and up to another, newest
// first: it is nil if the journal does not have it.
func WritersText(ctx context.Context, journal cloud.Historian, p ops.Preview, after, until cloud.Revision) []string {
	if until <= after {
		return nil
	}
	events, err := journal.Events(ctx, cloud.EventQuery{After: after, Until: until, Limit: wroteAsked})
	if err != nil {
		return nil // the page is right without it
	}
	of := touchedBy(p)
	var out []string
	for _, ev := range events {
		names := of.names(ev)
		if len(names) == 0 {
			continue
		}
		if len(out) == mostWrote {
			return append(out, "and others before that")
		}
		if more := len(names) - mostNamed; more > 0 {
			names = append(names[:mostNamed], fmt.Sprintf("%d more", more))
		}
		out = append(out, fmt.Sprintf("%s wrote to %s, rev %d: %s", who(ev), strings.Join(names, ", "), ev.Revision, ev.Note))
	}
	return out
}

func who(ev cloud.Event) string {
	if ev.Actor == "" {
		return "someone"
	}
	return ev.Actor
}

// affectedNames are the names of what a preview affects.
type affectedNames struct {
	providers map[placement.ProviderID]string
	consumers map[placement.ConsumerID]string
}

func touchedBy(p ops.Preview) affectedNames {
	of := affectedNames{map[placement.ProviderID]string{}, map[placement.ConsumerID]string{}}
	for _, d := range p.Providers {
		of.providers[d.Provider] = d.Name
	}
	for _, d := range p.Consumers {
		if d.Name != "" {
			of.consumers[d.Consumer] = d.Name
		}
	}
	return of
}

// names returns which affected things an event wrote to: cards and other children before
// hosts, as their names are longer, then instances.
func (of affectedNames) names(ev cloud.Event) []string {
	var providers, consumers []string
	add := func(to *[]string, name string) {
		if name != "" && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	for _, c := range ev.Changes {
		switch c.Kind() {
		case placement.KindProvider, placement.KindProviderTraits:
			add(&providers, of.providers[placement.ProviderID(c.Key())])
		case placement.KindConsumer:
			add(&consumers, of.consumers[placement.ConsumerID(c.Key())])
			for _, r := range []any{c.Before, c.After} {
				if r, ok := r.(*placement.ConsumerRecord); ok && r != nil {
					for id := range r.Allocations {
						add(&providers, of.providers[id])
					}
				}
			}
		case nova.KindInstance:
			add(&consumers, of.consumers[placement.ConsumerID(c.Key())])
		}
	}
	slices.SortStableFunc(providers, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return append(providers, consumers...)
}
