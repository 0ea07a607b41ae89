package owners

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// two is an instance with accelerators of both owners.
type two struct{ *nova.Instance }

// twos is the list of instances with accelerators of both owners.
func (p *page) twos() *list.Screen[two] {
	return list.New(list.Spec[two]{
		Name: "owner-instances", Thing: "instance",
		Rows: func(context.Context, *cloud.Snapshot) []two {
			var rows []two
			v := p.data.Load()
			for _, id := range v.owners.Instances {
				i, ok := v.of.Nova().Instance(id)
				if !ok {
					i = &nova.Instance{UUID: id, Name: id.String()} // Nova is not asked
				}
				rows = append(rows, two{i})
			}
			return rows
		},
		ID:   func(t two) string { return t.UUID.String() },
		Text: func(t two) string { return t.Name + " " + t.Host + " " + nova.FlavorName(t.Flavor) },
		Columns: []list.Column[two]{
			{Column: component.Column{Key: "name", Title: "INSTANCE", Min: 10, Flex: 2}, Cell: list.TextCell(themes.Strong, func(t two, _ list.At) string { return t.Name })},
			{Column: component.Column{Key: "held", Title: "HOLDS", Min: 11}, Cell: func(l *component.Line, t two, at list.At) {
				panel.OwnedBy(at.Snap.Placement(), t.UUID).Draw(l)
			}},
			{Column: component.Column{Key: "host", Title: "HOST", Min: 8, Flex: 1, Priority: 1}, Cell: list.TextCell(themes.Text, func(t two, _ list.At) string { return t.Host })},
			{Column: component.Column{Key: "flavor", Title: "FLAVOR", Min: 10, Flex: 1, Priority: 2}, Cell: list.TextCell(themes.Dim, func(t two, _ list.At) string { return nova.FlavorName(t.Flavor) })},
		},
		Orders: []list.Order[two]{
			{Name: "name", Column: "name", Key: func(t two, _ list.At) list.Key { return list.Key{Text: t.Name} }},
			{Name: "host", Column: "host", Key: func(t two, _ list.At) list.Key { return list.Key{Text: t.Host} }},
			{Name: "flavor", Column: "flavor", Key: func(t two, _ list.At) list.Key { return list.Key{Text: nova.FlavorName(t.Flavor)} }},
		},
		Fields: []list.Field[two]{
			list.TextField("flavor", func(t two, _ list.At) string { return nova.FlavorName(t.Flavor) }),
			list.TextField("host", func(t two, _ list.At) string { return t.Host }),
		},
		FilterHelp: "instance, host=cmp-001 flavor=gpu.*",
		Actions: func(h list.Here[two]) []action.Action {
			a := aim{}
			if h.Nothing == "" {
				a.instance = h.Row.UUID
				a.open = screen.Goto{Kind: screen.Instance, Arg: h.Row.UUID.String()}
				if _, ok := h.Snap.Nova().Instance(h.Row.UUID); !ok {
					a.open.Kind = screen.Consumer
				}
			}
			return p.rowActions(h.Snap, a, h.Nothing)
		},
		Empty: []string{"no instance holds accelerators of both owners"},
	}, p.env, p.snap, "")
}
