package flavors

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// flavorPage is a flavor on its page.
type flavorPage struct {
	*nova.Flavor
	wanted novaRequest
}

// Open returns the page of the flavor with a ref. The error matches
// placement.ErrNotFound.
func Open(env screen.Env, snap *cloud.Snapshot, ref string) (screen.Screen, error) {
	return page.New(page.Spec[*flavorPage]{
		Name: "flavor", Kind: kinds.Flavors, Of: func(f *flavorPage) kinds.Row { return f.Flavor },
		Find: func(s *cloud.Snapshot) (*flavorPage, bool) {
			f, ok := s.Nova().Flavor(ref)
			if !ok {
				return nil, false
			}
			return &flavorPage{f, ask(s, f)}, true
		},
		Title: func(f *flavorPage, _ list.At) string { return f.Ref() },
		Facts: facts,
		Parts: []page.Part[*flavorPage]{
			page.Lines("FAULT", func(f *flavorPage, a list.Area) []string {
				if f.wanted.cannot == "" {
					return nil
				}
				return panel.Fault(a.Styles, a.Width, f.wanted.cannot)
			}),
			page.Lines("EXTRA SPECS", func(f *flavorPage, a list.Area) []string { return specLines(f.Flavor, &f.wanted, a) }),
			page.Lines("ASKS PLACEMENT FOR", func(f *flavorPage, a list.Area) []string {
				return panel.TermLines(a.Styles, a.Width, f.wanted.request.Query)
			}),
			page.Lines("PRE-FILTERS", func(f *flavorPage, a list.Area) []string {
				return append(filterLines(&f.wanted, a), noteLines(f.wanted.unsaid(), a)...)
			}),
			page.Table("INSTANCES", guestColumns(), guests, func(i *nova.Instance) string { return i.UUID.String() }, func(i *nova.Instance) place.Place { return place.Instance{ID: i.UUID} }).AtSide(),
		},
		Actions: func(f *flavorPage, at list.At) []action.Action {
			return slices.Concat(panel.Asking("flavor", place.WhatIf{Flavor: f.Ref()}, f.wanted.trouble()), changes("flavor", f.Flavor, superseded(f, at)))
		},
	}, env, snap, ref)
}

// superseded returns why a flavor can no longer be changed, "" if it can.
func superseded(f *flavorPage, at list.At) string {
	newest, ok := at.Snap.Nova().FlavorNamed(f.Name)
	switch {
	case !ok:
		return f.Name + " is deleted"
	case newest.Revision != f.Revision:
		return "there is a newer one: " + newest.Ref()
	}
	return ""
}

func facts(f *flavorPage, at list.At) []panel.Fact {
	var marks []string
	for _, m := range []struct {
		is   bool
		word string
	}{{f.Deleted, "deleted"}, {f.Disabled, "disabled"}, {f.Private, "private"}} {
		if m.is {
			marks = append(marks, m.word)
		}
	}
	amount := func(n int64, u component.Unit) string {
		if n == 0 {
			return ""
		}
		return component.Amount(n, u)
	}
	return []panel.Fact{
		{Name: "vcpus", Text: component.Count(f.VCPUs)},
		{Name: "memory", Text: component.Amount(f.MemoryMB, component.UnitMB)},
		{Name: "root", Text: amount(f.RootGB, component.UnitGB)},
		{Name: "ephemeral", Text: amount(f.EphemeralGB, component.UnitGB)},
		{Name: "swap", Text: amount(f.SwapMB, component.UnitMB)},
		{Name: "profile", Text: f.DeviceProfile(), Token: themes.Strong},
		{Name: "id", Text: f.FlavorID, Token: themes.Dim},
		{Name: "age", Text: panel.Since(at.Snap.NovasTime(at.Now), f.Created)},
		{Name: "it is", Text: strings.Join(marks, ", "), Token: themes.Warn},
		{Name: "", Text: f.Description, Token: themes.Dim},
	}
}

// mostGuests is how many instances are listed on the page of a flavor.
const mostGuests = 500

// guests returns the live instances with this revision of the flavor.
func guests(f *flavorPage, at list.At) []*nova.Instance {
	var out []*nova.Instance
	for i := range at.Snap.Nova().Instances() {
		if i.Live() && i.Flavor == f.Ref() && len(out) < mostGuests {
			out = append(out, i)
		}
	}
	return out
}

func guestColumns() list.Columns {
	return list.Bound(kinds.Of(kinds.Instances), list.Show("name=INSTANCE:12-38+2 state:8-22+1 host:8-36+1", "", list.Cells[*nova.Instance]{
		"state": list.TextCell(themes.Text, func(i *nova.Instance, _ list.At) string { return panel.InstanceState(i) }),
	}))
}
