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
)

// NewClasses returns the list of resource classes over a Snapshot, narrowed by a filter.
// One that cannot be read is put into the filter line, with what is wrong with it.
func NewClasses(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	type class = *kinds.Class
	return list.New(list.Spec[class]{
		Name: "classes", Thing: "resource class", Kind: kinds.Classes,
		ID: func(c class) string { return string(c.Name) },
		Columns: list.Show("name=CLASS:26-40+2~ provs total:7 res:6 cap=CAPACITY used%=USED:10-24+1 free:6 owner=MOSTLY:8 flavors device_profiles=PROFILES", "device_profiles res total flavors cap provs used% owner", list.Cells[class]{
			"used%": func(l *component.Line, c class, _ list.At) {
				if c.Providers > 0 {
					component.Bar(l, l.Left(), component.Load{Total: c.Total, Reserved: c.Reserved, Capacity: c.Capacity, Used: c.Used})
				}
			},
			"owner": func(l *component.Line, c class, _ list.At) {
				if owner, percent := c.Mostly(); c.Providers > 0 {
					panel.OwnerBadge(l, owner).Add(themes.Dim, fmt.Sprintf("%4d%%", percent))
				}
			},
		}),
		Orders:     list.By[class]("id name -used% -free -provs -flavors"),
		Also:       usedOrAll(),
		FilterHelp: "name, custom=true used%>80 free<10 owner=cyborg flavor:gpu",
		Actions: func(h list.Here[class]) []action.Action {
			name, holders := "", int64(0)
			if h.Nothing == "" {
				name, holders = string(h.Row.Name), h.Row.Providers
			}
			return append(words("classes", h, place.Providers{Filter: "class=" + name}, place.WhatIf{Query: "resources=" + name + ":1"}, place.Flavors{Filter: "class=" + name}),
				edits(env, h, classSort(), func(c class) string { return string(c.Name) }, holders)...)
		},
		More: func(c class, a list.Area) []string {
			l := a.Line().Space(1)
			for o, n := range c.Owned {
				if n > 0 {
					panel.OwnerBadge(l, placement.Owner(o)).Space(1).Add(themes.Text, component.Amount(n, panel.Unit(c.Name))).Space(3)
				}
			}
			return []string{l.String()}
		},
		Side: true,
	}, env, snap, filter)
}
