package places

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// row is a place, or a host that is not one.
type row struct {
	id, host string
	number   int                                      // its position among all candidates; 0 if it is not one
	place    *ops.Place                               // nil if the host is not a candidate
	why      string                                   // why it may not be chosen; "" if it may
	asked    map[placement.ProviderID]placement.Owner // the owner that each card of place is requested from
}

// fits reports whether the row may be chosen.
func (r *row) fits() bool { return r.why == "" }

// rows returns what find finds on snap, followed by places where nova-compute could not
// start the instance, and by all other hosts.
func rows(ctx context.Context, snap *cloud.Snapshot, spec Spec) []*row {
	found, err := spec.Find(snap)
	var none *ops.NoValidHostError
	if err != nil && !errors.As(err, &none) {
		return []*row{{id: "error", host: "-", why: err.Error()}}
	}
	out := make([]*row, 0, len(found.Places))
	times := map[placement.ProviderID]int{}
	add := func(p ops.Place, why string) {
		times[p.Root]++
		id := fmt.Sprintf("%s#%d", p.Root, times[p.Root])
		out = append(out, &row{id: id, host: p.Host, number: p.Number, place: &p, why: why, asked: askedOf(found.Request, p)})
	}
	for _, p := range found.Places {
		if found.Unspawnable(snap, p) == nil {
			add(p, "")
		}
	}
	for _, p := range found.Places {
		if none := found.Unspawnable(snap, p); none != nil {
			add(p, NoDevice(none))
		}
	}
	for _, p := range found.Left {
		if times[p.Root] == 0 {
			hint := ""
			if spec.LeftHint != nil {
				hint = spec.LeftHint(p)
			}
			add(p, join(p.Why, hint))
		}
	}
	first := len(out)
	name := func(p *placement.ResourceProvider) string { return panel.ShortName(snap.Placement(), p) }
	for e := range found.Excluded(snap) {
		if ctx.Err() != nil {
			break
		}
		if times[e.Root] == 0 {
			out = append(out, &row{id: e.Root.String(), host: e.Host, why: e.Why(name)})
		}
	}
	slices.SortStableFunc(out[first:], func(a, b *row) int { return strings.Compare(a.host, b.host) })
	return out
}

// NoDevice says in a few words why a host cannot start an instance.
func NoDevice(none *ops.UnavailableError) string {
	return fmt.Sprintf("Nova has no device behind %s, owner %s", strings.TrimPrefix(none.Provider, none.Host+"_"), none.Owner)
}

// join joins the non-empty texts.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "; ")
}

// askedOf returns the providers that would give accelerators, each with the owner that
// they are requested from: both if two groups with different owners land on one card.
func askedOf(r nova.Request, p ops.Place) map[placement.ProviderID]placement.Owner {
	out := map[placement.ProviderID]placement.Owner{}
	for _, g := range r.Groups {
		for _, id := range p.Mappings[g.Suffix] {
			for class := range p.Allocations[id] {
				if _, ok := g.Amounts[class]; ok && class.IsAccelerator() {
					owner := g.Source.Owner()
					if other, twice := out[id]; twice && other != owner {
						owner = placement.OwnedByBoth
					}
					out[id] = owner
				}
			}
		}
	}
	return out
}

// parts returns what each provider would give.
func (r *row) parts(pl *placement.Snapshot) []Part {
	if r.place == nil {
		return nil
	}
	return Parts(pl, r.place.Root, r.place.Allocations, r.asked)
}

// wrong reports whether one of the cards does not have the requested owner.
func (r *row) wrong(pl *placement.Snapshot) bool { return slices.ContainsFunc(r.parts(pl), Part.wrong) }

// gives draws what providers other than the host give, or why there is nothing.
func (r *row) gives(l *component.Line, at list.At) {
	switch {
	case r.why != "":
		l.Add(themes.Dim, r.why)
	case r.place.Phantom != "":
		l.Mark(style.SeverityWarn).Space(1).Add(themes.Warn, r.place.Phantom)
	default:
		Gives(l, at.Snap.Placement(), r.place.Root, r.parts(at.Snap.Placement()))
	}
}
