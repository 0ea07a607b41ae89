package devices

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sections"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Open returns the page of a device.
//
// Errors: placement.ErrNotFound.
func Open(env screen.Env, snap *cloud.Snapshot, id uuid.UUID) (screen.Screen, error) {
	return sections.New(sections.Spec[*cyborg.Device]{
		Name: "device", Kind: kinds.Devices,
		Find:   func(s *cloud.Snapshot) (*cyborg.Device, bool) { return s.Cyborg().Device(id) },
		Title:  name,
		Status: func(d *cyborg.Device, _ list.At) string { return string(d.Status) },
		Facts:  facts,
		Parts: []sections.Part[*cyborg.Device]{
			sections.Lines("FAULT", func(d *cyborg.Device, a list.Area) []string {
				if fault := kinds.DeviceFault(a.At, d); fault != "" {
					return []string{panel.Fault(a.Styles, a.Width, fault)}
				}
				return nil
			}),
			sections.Table("DEPLOYABLES", partColumns(), parts, func(p *cyborg.Deployable) string { return p.UUID.String() }, func(p *cyborg.Deployable) tea.Msg {
				if p.Provider.IsZero() {
					return nil
				}
				return screen.Goto{To: place.Provider{ID: p.Provider}}
			}),
			sections.Table("ATTACH HANDLES", handleColumns(), handles, func(h *kinds.Handle) string { return h.UUID.String() }, func(h *kinds.Handle) tea.Msg {
				if h.Instance.IsZero() {
					return nil
				}
				return screen.Goto{To: place.Instance{ID: h.Instance}}
			}),
			sections.Lines("ATTRIBUTES", attributes).AtSide(),
		},
		Actions: func(d *cyborg.Device, at list.At) []action.Action {
			return []action.Action{ableAction("device", d, d != nil && maintaining(d)), {ID: "device.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid", Request: func() tea.Msg {
				return screen.CopyMsg{What: "uuid of " + name(d, at), Text: d.UUID.String()}
			}}}
		},
	}, env, snap, id.String())
}

func facts(d *cyborg.Device, at list.At) []sections.Fact {
	fact := list.Facts(kinds.Of(kinds.Devices), at, d)
	status := themes.Text
	if d.Status == cyborg.Maintaining {
		status = themes.Warn
	}
	return []sections.Fact{
		{Name: "host", Text: d.Hostname, Token: themes.Strong},
		{Name: "address", Text: fact("address"), Token: themes.Strong},
		{Name: "type", Text: string(d.Type)},
		{Name: "model", Text: d.Model},
		{Name: "vendor", Text: d.Vendor},
		{Name: "status", Text: string(d.Status), Token: status},
		{Name: "owner", Text: fact("owner"), Token: panel.Owner(kinds.DeviceOwner(at, d)).Token()},
		{Name: "known for", Text: panel.Since(at.Now, d.Created)},
		{Name: "uuid", Text: d.UUID.String(), Token: themes.Dim},
	}
}

// parts returns the parts of the card that can be given out, by name.
func parts(d *cyborg.Device, at list.At) []*cyborg.Deployable {
	return slices.SortedStableFunc(at.Snap.Cyborg().DeployablesOf(d.UUID), func(a, b *cyborg.Deployable) int { return strings.Compare(a.Name, b.Name) })
}

func partColumns() []*list.Column[*cyborg.Deployable] {
	shows := list.Shows[*cyborg.Deployable]
	return list.Bound(kinds.Of(kinds.Devices).Parts[0].Kind,
		shows("provider", "PROVIDER", 16, 50, 2, 0).ByEnds(),
		shows("owner", "OWN", 3, 0, 0, 0),
		shows("class", "CLASS", 6, 30, 1, 2),
		shows("bar", "UNITS", 8, 24, 1, 3).Drawn(func(l *component.Line, p *cyborg.Deployable, at list.At) {
			component.Bar(l, l.Left(), partLoad(p, at))
		}),
		shows("units", "USED", 5, 0, 0, 0).Right().Drawn(func(l *component.Line, p *cyborg.Deployable, at list.At) { drawUnits(l, partLoad(p, at)) }),
		shows("driver_name", "DRIVER", 6, 16, 1, 1).In(themes.Dim),
	)
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

func handleColumns() []*list.Column[*kinds.Handle] {
	shows := list.Shows[*kinds.Handle]
	return list.Bound(kinds.Of(kinds.Devices).Parts[1].Kind,
		shows("unit", "UNIT", 14, 40, 2, 0),
		shows("attach_type", "TYPE", 5, 8, 0, 2).In(themes.Dim),
		shows("state", "STATE", 6, 0, 0, 0).Colour(func(h *kinds.Handle, _ list.At) themes.Token {
			if h.InUse {
				return themes.Text
			}
			return themes.Faint
		}),
		shows("request", "REQUEST", 11, 30, 1, 1).Colour(func(h *kinds.Handle, _ list.At) themes.Token {
			if h.ARQ == nil {
				return themes.Critical
			}
			return panel.ARQToken(h.ARQ)
		}),
		shows("instance_name", "INSTANCE", 12, 40, 2, 0),
	)
}

// attributes returns what Cyborg knows of the parts, part by part.
func attributes(d *cyborg.Device, a list.Area) []string {
	var lines []string
	for _, p := range parts(d, a.At) {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " "+p.Name))
		var all []*cyborg.Attribute
		all = slices.AppendSeq(all, a.Snap.Cyborg().AttributesOf(p.UUID))
		slices.SortStableFunc(all, func(x, y *cyborg.Attribute) int { return strings.Compare(x.Key, y.Key) })
		for _, attr := range all {
			l := a.Line().Space(3).Cell(10).Add(themes.Dim, attr.Key).EndCell(component.AlignLeft).Space(1)
			lines = append(lines, l.Add(themes.Text, attr.Value).String())
		}
	}
	return lines
}
