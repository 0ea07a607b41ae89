package owners

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
)

// twos is the list of instances with accelerators of both owners.
func (s *Screen) twos() *list.Screen {
	return list.New(list.Spec[*nova.Instance]{
		Name: "owner-instances", Thing: "instance", Kind: kinds.Instances,
		Rows: func(context.Context, *cloud.Snapshot) []*nova.Instance {
			var rows []*nova.Instance
			v := s.data.Load()
			for _, id := range v.owners.Instances {
				i, ok := v.of.Nova().Instance(id)
				if !ok {
					i = &nova.Instance{UUID: id, Name: id.String()} // unknown, without Nova
				}
				rows = append(rows, i)
			}
			return rows
		},
		ID:   func(t *nova.Instance) string { return t.UUID.String() },
		Text: func(t *nova.Instance) string { return t.Name + " " + t.Host + " " + nova.FlavorName(t.Flavor) },
		Columns: list.Show("name=INSTANCE:10+2 held=HOLDS:11 host:8+1 flavor:10+1", "flavor host", list.Cells[*nova.Instance]{
			"held": func(l *component.Line, t *nova.Instance, at list.At) {
				panel.OwnedBy(at.Snap.Placement(), t.UUID).Draw(l)
			},
		}).In(themes.Dim, "flavor"),
		Orders:     list.By[*nova.Instance]("name host flavor"),
		FilterHelp: "instance, host=cmp-001 flavor=gpu.*",
		Actions: func(h list.Here[*nova.Instance]) []action.Action {
			a := aim{}
			if h.Nothing == "" {
				a.instance = h.Row.UUID
				a.open = place.Instance{ID: h.Row.UUID}
				if _, ok := h.Snap.Nova().Instance(h.Row.UUID); !ok {
					a.open = place.Consumer{ID: h.Row.UUID}
				}
			}
			return s.rowActions(h.Snap, a, h.Nothing)
		},
		Empty: []string{"no instance holds accelerators of both owners"},
	}, s.env, s.snap, "")
}
