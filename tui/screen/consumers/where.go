package consumers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// where returns the second step of an allocation: the trees on which a wish fits, and the
// others with the reasons; pick returns the one after it.
func where(env screen.Env, snap *cloud.Snapshot, indexer *candidates.Indexer, wish ops.Wish, pick func(*cloud.Snapshot, ops.Option) form.Step) form.Step {
	return form.List(env.Styles, steps, 1, nil, form.NewPlaces(env, snap, form.Places{
		Thing: "tree",
		Rows: func(_ context.Context, snap *cloud.Snapshot) (rows []*form.Place) {
			options, _ := ops.Fits(snap, indexer.Index(snap.Placement()), wish) // refused only for what the fields refuse
			for _, o := range list.Pointers(options) {
				rows = append(rows, rowOf(o, wish))
			}
			return rows
		},
		Pick: func(s *cloud.Snapshot, r *form.Place) form.Step { return pick(s, *r.Option) },
		Top:  func(all []*form.Place, _ int, a list.Area) []string { return asks(wish, all, a) },
	}))
}

// rowOf returns an option as a row.
func rowOf(o *ops.Option, wish ops.Wish) *form.Place {
	row := &form.Place{ID: o.Anchor.ID().String(), Host: o.Anchor.Name(), Root: o.Anchor.ID(), Warn: o.Phantom, Option: o}
	for _, r := range o.Reasons {
		row.Why = append(row.Why, whyNot(o, r))
	}
	if !o.Fits() {
		if !wish.Provider.IsZero() {
			row.Why = append(row.Why, "only this provider was asked: esc and clear its field for any")
		}
		return row
	}
	if row.Warn == "" && o.Disabled {
		row.Warn = "the compute service is disabled: the scheduler skips it"
	}
	row.Gives = ops.Amounts{}
	for _, p := range o.Parts {
		of := row.Gives[p.Provider.ID()]
		if of == nil {
			of = map[placement.ResourceClass]int64{}
			row.Gives[p.Provider.ID()] = of
		}
		of[p.Class] += p.Amount
	}
	return row
}

// scarcest returns the class of a wish that matters most for where it fits: an accelerator, if
// it has any.
func scarcest(w ops.Wish) placement.ResourceClass {
	all := slices.SortedFunc(maps.Keys(w.Resources), kinds.CompareClasses)
	return all[max(slices.IndexFunc(all, placement.ResourceClass.IsAccelerator), 0)]
}

// asks draws what is asked for, and on how many trees it fits.
func asks(wish ops.Wish, all []*form.Place, a list.Area) []string {
	l := a.Line().Space(1).Add(themes.Strong, strings.ReplaceAll(api.Resources(wish.Resources), ",", "  "))
	if terms := (candidates.Query{Groups: []candidates.Group{wish.Terms}}).URL(); terms != "" {
		l.Add(themes.Dim, "   with ").Add(themes.Text, terms)
	}
	if p, ok := a.Snap.Placement().Provider(wish.Provider); ok {
		l.Add(themes.Dim, "   from ").Add(themes.Text, p.Name())
	}
	fits := 0
	for _, r := range all {
		if r.Fits() {
			fits++
		}
	}
	return []string{l.Add(themes.Dim, fmt.Sprintf("   fits %s of %s", component.Count(fits), component.Count(len(all)))).String()}
}

// whyNot returns why an option does not fit, and which provider is the reason if it is
// not the root.
func whyNot(o *ops.Option, r candidates.Reason) string {
	if r.Provider == nil || r.Provider == o.Anchor || !r.Condition.OfGroup() {
		return r.Words()
	}
	return shortOf(o, r.Provider) + " " + r.Words()
}

// shortOf returns the name of a provider without that of the root in front.
func shortOf(o *ops.Option, p *placement.ResourceProvider) string {
	if rest, ok := strings.CutPrefix(p.Name(), o.Anchor.Name()+"_"); ok && rest != "" {
		return rest
	}
	return p.Name()
}

// roomFor searches for room for a wish, and returns what draws the result:
// "11 trees   VGPU of ⬢ N 6 ⬡ C 5".
func roomFor(snap *cloud.Snapshot, indexer *candidates.Indexer, wish ops.Wish) func(*component.Line) {
	options, err := ops.Fits(snap, indexer.Index(snap.Placement()), wish)
	if err != nil {
		return nil
	}
	trees, of := 0, scarcest(wish)
	var owned panel.AcceleratorCounts // by the owner of the accelerator that each tree gives
	for _, o := range options {
		if !o.Fits() {
			continue
		}
		trees++
		for _, p := range o.Parts {
			if p.Class == of {
				owned[snap.Placement().Owner(p.Provider)]++
				break
			}
		}
	}
	return func(l *component.Line) {
		if trees == 0 {
			l.Add(themes.Warn, "nowhere now").Add(themes.Dim, "; the next step says why not, tree by tree")
			return
		}
		l.Add(themes.Text, component.Plural(trees, "tree"))
		if of.IsAccelerator() {
			l.Add(themes.Dim, "   "+string(of)+" of ")
			owned.Draw(l)
		}
	}
}
