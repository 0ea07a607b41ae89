package vocabulary

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// highPercent is from which usage a class is nearly used up.
const highPercent = 90

// NewClasses returns the list of resource classes over a Snapshot, narrowed by a filter.
// One that cannot be read is put into the filter line, with what is wrong with it.
func NewClasses(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	type class = *kinds.Class
	return list.New(list.Spec[class]{
		Name: "classes", Thing: "resource class", Kind: kinds.Classes,
		Unchanged: unchanged,
		ID:        func(c class) string { return string(c.Name) },
		Columns:   classColumns(),
		Orders: []list.Order[class]{
			{Name: "id"},
			{Name: "name"},
			{Name: "used%", Column: "used%", Desc: true},
			{Name: "free", Desc: true},
			{Name: "provs", Desc: true},
			{Name: "flavors", Desc: true},
		},
		Also:       usedOrAll(),
		FilterHelp: "name, custom=true used%>80 free<10 owner=cyborg flavor:gpu",
		Severity: func(c class, _ list.At) style.Severity {
			l := load(c)
			switch {
			case l.Over():
				return style.SeverityCritical
			case c.Providers > 0 && l.Percent() >= highPercent:
				return style.SeverityWarn
			case c.Providers == 0 && c.Name.IsCustom():
				return style.SeverityInfo
			}
			return style.SeverityNone
		},
		Actions: func(h list.Here[class]) []action.Action {
			name, holders := "", int64(0)
			if h.Nothing == "" {
				name, holders = string(h.Row.Name), h.Row.Providers
			}
			return append(words("classes", h, name, place.Providers{Filter: "class=" + name}, place.WhatIf{Query: "resources=" + name + ":1"}, place.Flavors{Filter: "class=" + name}),
				edits(env, h, classSort(), func(c class) string { return string(c.Name) }, holders)...)
		},
		Title:  func(c class, _ list.At) (string, string) { return string(c.Name), fmt.Sprintf("class %d", c.ID) },
		Detail: func(c class, a list.Area) []string { return fit(classDetail(c, a), a) },
		Side:   true,
	}, env, snap, filter)
}

func load(c *kinds.Class) component.Load {
	return component.Load{Total: c.Total, Reserved: c.Reserved, Capacity: c.Capacity, Used: c.Used}
}

func classColumns() []*list.Column[*kinds.Class] {
	shows := list.Shows[*kinds.Class]
	return []*list.Column[*kinds.Class]{
		shows("name", "CLASS", 26, 40, 2, 0).ByEnds(),
		shows("provs", "PROVS", 5, 0, 0, 3),
		shows("total", "TOTAL", 7, 0, 0, 6),
		shows("res", "RES", 6, 0, 0, 7),
		shows("cap", "CAPACITY", 8, 0, 0, 4),
		shows("used%", "USED", 10, 24, 1, 2).Drawn(func(l *component.Line, c *kinds.Class, _ list.At) {
			if c.Providers > 0 {
				component.Bar(l, l.Left(), load(c))
			}
		}),
		shows("free", "FREE", 6, 0, 0, 0),
		shows("owner", "MOSTLY", 8, 0, 0, 1).Drawn(func(l *component.Line, c *kinds.Class, _ list.At) {
			if owner, percent := c.Mostly(); c.Providers > 0 {
				component.OwnerBadge(l, panel.Owner(owner)).Add(themes.Dim, fmt.Sprintf("%4d%%", percent))
			}
		}),
		shows("flavors", "FLAVORS", 7, 0, 0, 5),
		shows("device_profiles", "PROFILES", 8, 0, 0, 8),
	}
}

// classDetail shows how much there is, where, and what requests it.
func classDetail(c *kinds.Class, a list.Area) []string {
	unit := panel.Unit(c.Name)
	amount := func(n int64) string { return component.Amount(n, unit) }
	lines := []string{count(a, "it", "has", "have", c.Providers, "provider")}
	if c.Providers > 0 {
		l := a.Line().Space(1)
		component.Bar(l, min(a.Width/2, 40), load(c))
		lines = append(lines,
			l.Space(2).Add(themes.Text, amount(c.Used)+"/"+amount(c.Capacity)).String(),
			panel.Text(a.Styles, a.Width, themes.Dim, fmt.Sprintf(" total %s   reserved %s   free %s", amount(c.Total), amount(c.Reserved), amount(c.Capacity-c.Used))))
		l = a.Line().Space(1)
		for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
			if c.Owned[o] > 0 {
				component.OwnerBadge(l, panel.Owner(o)).Space(1).Add(themes.Text, amount(c.Owned[o])).Space(3)
			}
		}
		lines = append(lines, l.String())
	}
	lines = append(lines, asked(a, c.Flavors(), c.Profiles())...)
	return append(lines, holders(a, a.Snap.Placement().WithClass(c.ID))...)
}
