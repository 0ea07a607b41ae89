package form

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

// Place is where something may go, or a host that is not one.
type Place struct {
	ID, Host string
	Number   int                                      // its position among all candidates; 0 if it is not one
	Root     placement.ProviderID                     // of the tree
	Gives    ops.Amounts                              // what each provider would give; nil if the host is no candidate
	Asked    map[placement.ProviderID]placement.Owner // the owner that each card is requested from, if that is known
	Why      []string                                 // why it may not be chosen; none if it may
	Warn     string                                   // what to consider before; "" for nothing
	Place    *ops.Place                               // where an instance would go; nil for others
	Option   *ops.Option                              // where an allocation would be
}

// Fits reports whether the row may be chosen.
func (r *Place) Fits() bool { return len(r.Why) == 0 }

// why says why it may not.
func (r *Place) why() string { return strings.Join(r.Why, "; ") }

// nowhere stands for the host of a row that says why there is no place at all.
const nowhere = "-"

// PlacesOf returns the rows of what find finds, as ops.Move.Places does, followed by places where
// nova-compute could not start the instance, and by all other hosts. Hint says how a place
// that find leaves out may be chosen anyway, "" if it may not; nil if none may.
func PlacesOf(find func(*cloud.Snapshot) (ops.Places, error), hint func(ops.Place) string) func(context.Context, *cloud.Snapshot) []*Place {
	return func(ctx context.Context, snap *cloud.Snapshot) []*Place {
		found, err := find(snap)
		var none *ops.NoValidHostError
		if err != nil && !errors.As(err, &none) {
			return []*Place{{ID: "error", Host: nowhere, Why: []string{err.Error()}}}
		}
		out := make([]*Place, 0, len(found.Places))
		times := map[placement.ProviderID]int{}
		add := func(p ops.Place, why ...string) {
			times[p.Root]++
			id := fmt.Sprintf("%s#%d", p.Root, times[p.Root])
			out = append(out, &Place{ID: id, Host: p.Host, Number: p.Number, Root: p.Root, Gives: p.Allocations, Asked: askedOf(found.Request, p), Why: why, Warn: p.Phantom, Place: &p})
		}
		for _, p := range found.Places {
			if found.Unspawnable(snap, p) == nil {
				add(p)
			}
		}
		for _, p := range found.Places {
			if none := found.Unspawnable(snap, p); none != nil {
				add(p, NoDevice(none))
			}
		}
		for _, p := range found.Left {
			why := []string{p.Why}
			if hint != nil && hint(p) != "" {
				why = append(why, hint(p))
			}
			if times[p.Root] == 0 {
				add(p, why...)
			}
		}
		first := len(out)
		name := func(p *placement.ResourceProvider) string { return panel.ShortName(snap.Placement(), p) }
		for e := range found.Excluded(snap) {
			if ctx.Err() != nil {
				break
			}
			if times[e.Root] == 0 {
				out = append(out, &Place{ID: e.Root.String(), Host: e.Host, Why: []string{e.Why(name)}})
			}
		}
		slices.SortStableFunc(out[first:], func(a, b *Place) int { return strings.Compare(a.Host, b.Host) })
		return out
	}
}

// NoDevice says in a few words why a host cannot start an instance.
func NoDevice(none *ops.UnavailableError) string {
	return fmt.Sprintf("Nova has no device behind %s, owner %s", strings.TrimPrefix(none.Provider, none.Host+"_"), none.Owner)
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
func (r *Place) parts(pl *placement.Snapshot) []GivenPart {
	return GivenParts(pl, r.Root, r.Gives, r.Asked)
}

// wrong reports whether one of the cards does not have the requested owner.
func (r *Place) wrong(pl *placement.Snapshot) bool {
	return slices.ContainsFunc(r.parts(pl), GivenPart.wrong)
}

// gives draws what providers other than the host give, or why there is nothing.
func (r *Place) gives(l *component.Line, at list.At) {
	switch {
	case !r.Fits():
		l.Add(themes.Dim, r.why())
	case r.Warn != "":
		l.Mark(style.SeverityWarn).Space(1).Add(themes.Warn, r.Warn)
	default:
		DrawGiven(l, at.Snap.Placement(), r.Root, r.parts(at.Snap.Placement()))
	}
}

// offers returns the names of those that give something, and what.
func (r *Place) offers(pl *placement.Snapshot) string {
	var words []string
	for _, p := range r.parts(pl) {
		words = append(words, panel.Amounts(p.amounts), p.name)
	}
	return strings.Join(words, " ")
}

// then says how full the scarcest of what it would give is, and would be: "7/8 > 8/8".
func (r *Place) then(pl *placement.Snapshot) string {
	for _, p := range r.parts(pl) {
		class := panel.Ranked(p.amounts)[0]
		now, _ := panel.LoadOf(pl, p.id, class)
		return component.Used(now, panel.Unit(class)) + " > " + component.Used(panel.Then(now, p.amounts[class]), panel.Unit(class))
	}
	return ""
}
