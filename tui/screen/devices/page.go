package devices

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Open returns the page of a device.
//
// Errors: placement.ErrNotFound.
func Open(env screen.Env, snap *cloud.Snapshot, id uuid.UUID) (screen.Screen, error) {
	return page.New(page.Spec[*cyborg.Device]{
		Name: "device", Kind: kinds.Devices,
		Find:   func(s *cloud.Snapshot) (*cyborg.Device, bool) { return s.Cyborg().Device(id) },
		Title:  name,
		Status: func(d *cyborg.Device, _ list.At) string { return string(d.Status) },
		Facts:  panel.KindFacts[*cyborg.Device](kinds.Devices),
		Parts: []page.Part[*cyborg.Device]{
			page.Lines("FAULT", func(d *cyborg.Device, a list.Area) []string {
				if fault := kinds.DeviceFault(a.At, d); fault != "" {
					return panel.Fault(a.Styles, a.Width, fault)
				}
				return nil
			}),
			page.Table("DEPLOYABLES", partColumns(), parts, func(p *cyborg.Deployable) string { return p.UUID.String() }, func(p *cyborg.Deployable) place.Place {
				if p.Provider.IsZero() {
					return nil
				}
				return place.Provider{ID: p.Provider}
			}),
			page.Table("ATTACH HANDLES", handleColumns(), handles, func(h *kinds.Handle) string { return h.UUID.String() }, func(h *kinds.Handle) place.Place {
				if h.Instance.IsZero() {
					return nil
				}
				return place.Instance{ID: h.Instance}
			}),
			page.Lines("ATTRIBUTES", attributes).AtSide(),
		},
		Actions: func(d *cyborg.Device, _ list.At) []action.Action {
			return []action.Action{ableAction("device", d, d != nil && maintaining(d))}
		},
	}, env, snap, id.String())
}

// parts returns the parts of the card that can be given out, by name.
func parts(d *cyborg.Device, at list.At) []*cyborg.Deployable {
	return slices.SortedStableFunc(at.Snap.Cyborg().DeployablesOf(d.UUID), func(a, b *cyborg.Deployable) int { return strings.Compare(a.Name, b.Name) })
}

func partColumns() list.Columns {
	return list.Bound(kinds.Of(kinds.Devices).Parts[0].Kind, list.Show("provider:16-50+2~ owner=OWN class:6-30+1 bar=UNITS:8-24+1 units=USED:5> driver_name=DRIVER:6-16+1", "bar class driver_name", list.Cells[*cyborg.Deployable]{
		"bar":   func(l *component.Line, p *cyborg.Deployable, at list.At) { component.Bar(l, l.Left(), partLoad(p, at)) },
		"units": func(l *component.Line, p *cyborg.Deployable, at list.At) { drawUnits(l, partLoad(p, at)) },
	}).In(themes.Dim, "driver_name"))
}

// handles returns the units of the card by part, in order of name.
func handles(d *cyborg.Device, at list.At) []*kinds.Handle {
	kind := kinds.Of(kinds.Devices).Parts[1]
	var out []*kinds.Handle
	for _, row := range kind.Of(at, d) {
		out = append(out, row.(*kinds.Handle)) // the rows of a kind have one type
	}
	part := kind.Field("deployable").Get(at)
	slices.SortStableFunc(out, func(a, b *kinds.Handle) int {
		return cmp.Or(strings.Compare(part(a).String(), part(b).String()), strings.Compare(a.Unit(), b.Unit()))
	})
	return out
}

func handleColumns() list.Columns {
	kind := kinds.Of(kinds.Devices).Parts[1].Kind
	return list.Bound(kind, list.Show[*kinds.Handle]("unit:14-40+2 attach_type=TYPE:5-8 state:6 request:11-30+1 instance_name=INSTANCE:12-40+2", "attach_type request", nil).In(themes.Dim, "attach_type"))
}

// attributes returns what Cyborg knows of the parts, part by part.
func attributes(d *cyborg.Device, a list.Area) []string {
	var lines []string
	for _, p := range parts(d, a.At) {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " "+p.Name))
		all := slices.SortedFunc(a.Snap.Cyborg().AttributesOf(p.UUID), func(x, y *cyborg.Attribute) int { return strings.Compare(x.Key, y.Key) })
		for _, attr := range all {
			lines = append(lines, panel.Facts(a.Styles, a.Width, panel.Fact{Name: "  " + attr.Key, Text: attr.Value})...)
		}
	}
	return lines
}
