package devices

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sections"
	"github.com/placetop/placetop/tui/screen"
)

// Open returns the page of the device with a uuid. Errors match
// placement.ErrInvalid where it is none, and placement.ErrNotFound.
func Open(env screen.Env, snap *cloud.Snapshot, which string) (screen.Screen, error) {
	id, err := uuid.Parse(which)
	if err != nil {
		return nil, &placement.InvalidError{Field: "device", Value: which, Why: "must be a uuid"}
	}
	return sections.New(sections.Spec[device]{
		Name: "device",
		Find: func(s *cloud.Snapshot) (device, bool) {
			d, ok := s.Cyborg().Device(id)
			if !ok {
				return device{}, false
			}
			return sum(s, d), true
		},
		Title:  device.name,
		Status: device.status,
		Facts:  facts,
		Parts: []sections.Part[device]{
			sections.Lines("FAULT", func(d device, a list.Area) []string {
				if d.fault == "" {
					return nil
				}
				return []string{panel.Fault(a.Styles, a.Width, d.fault)}
			}),
			sections.Table("DEPLOYABLES", partColumns(), parts, func(p part) string { return p.UUID.String() }, func(p part) tea.Msg {
				if p.Provider.IsZero() {
					return nil
				}
				return screen.Goto{Kind: screen.Provider, Arg: p.Provider.String()}
			}),
			sections.Table("ATTACH HANDLES", handleColumns(), handles, func(h handle) string { return h.UUID.String() }, func(h handle) tea.Msg {
				if h.instance == nil {
					return nil
				}
				return screen.Goto{Kind: screen.Instance, Arg: h.instance.UUID.String()}
			}),
			sections.Lines("ATTRIBUTES", attributes).AtSide(),
		},
		Actions: func(d device, _ list.At) []action.Action {
			return []action.Action{ableAction("device", d.Device), {ID: "device.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid", Run: func() tea.Cmd {
				return screen.Send(screen.CopyMsg{What: "uuid of " + d.name(), Text: d.UUID.String()})
			}}}
		},
	}, env, snap, which)
}

func facts(d device, at list.At) []sections.Fact {
	return []sections.Fact{
		{Name: "host", Text: d.Hostname, Token: themes.Strong},
		{Name: "address", Text: d.address, Token: themes.Strong},
		{Name: "type", Text: string(d.Type)},
		{Name: "model", Text: d.Model},
		{Name: "vendor", Text: d.Vendor},
		{Name: "status", Text: string(d.Status), Token: statusToken(d.Status)},
		{Name: "owner", Text: d.owner.String(), Token: panel.Owner(d.owner).Token()},
		{Name: "known for", Text: panel.Since(at.Now, d.Created)},
		{Name: "uuid", Text: d.UUID.String(), Token: themes.Dim},
	}
}

// parts returns what of the card can be handed out.
func parts(d device, at list.At) []part {
	var out []part
	for dep := range at.Snap.Cyborg().DeployablesOf(d.UUID) {
		out = append(out, newPart(at.Snap, d.Device, dep))
	}
	slices.SortFunc(out, func(a, b part) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func partColumns() []list.Column[part] {
	return []list.Column[part]{
		{Column: component.Column{Key: "provider", Title: "PROVIDER", Min: 16, Max: 50, Flex: 2}, Cell: list.TextCell(themes.Strong, func(p part, _ list.At) string { return p.provider })},
		{Column: component.Column{Key: "owner", Title: "OWN", Min: 3}, Cell: func(l *component.Line, p part, _ list.At) {
			component.OwnerBadge(l, panel.Owner(p.owner))
		}},
		{Column: component.Column{Key: "class", Title: "CLASS", Min: 6, Max: 30, Flex: 1, Priority: 2}, Cell: list.TextCell(themes.Text, func(p part, _ list.At) string { return p.class })},
		{Column: component.Column{Key: "bar", Title: "UNITS", Min: 8, Max: 24, Flex: 1, Priority: 3}, Cell: func(l *component.Line, p part, _ list.At) {
			component.Bar(l, l.Left(), p.units)
		}},
		{Column: component.Column{Key: "units", Title: "USED", Min: 5, Align: component.AlignRight}, Cell: func(l *component.Line, p part, _ list.At) {
			drawUnits(l, p.units)
		}},
		{Column: component.Column{Key: "driver", Title: "DRIVER", Min: 6, Max: 16, Flex: 1, Priority: 1}, Cell: list.TextCell(themes.Dim, func(p part, _ list.At) string { return p.Driver })},
	}
}

// handle is one unit of a card, and who has it.
type handle struct {
	*cyborg.AttachHandle
	part     string
	request  *cyborg.ARQ    // nil for none
	instance *nova.Instance // nil for none
}

// handles returns the units of the card by part, in the order of their names.
func handles(d device, at list.At) []handle {
	var out []handle
	for dep := range at.Snap.Cyborg().DeployablesOf(d.UUID) {
		held := map[uuid.UUID]*cyborg.ARQ{}
		for a := range at.Snap.Cyborg().ARQsAt(dep.Provider) {
			if a.AttachHandle != uuid.Nil {
				held[a.AttachHandle] = a
			}
		}
		for h := range at.Snap.Cyborg().AttachHandlesOf(dep.UUID) {
			one := handle{AttachHandle: h, part: dep.Name, request: held[h.UUID]}
			if one.request != nil {
				one.instance = panel.ARQInstance(at.Snap, one.request)
			}
			out = append(out, one)
		}
	}
	slices.SortStableFunc(out, func(a, b handle) int {
		return cmp.Or(strings.Compare(a.part, b.part), strings.Compare(a.Unit(), b.Unit()))
	})
	return out
}

func handleColumns() []list.Column[handle] {
	return []list.Column[handle]{
		{Column: component.Column{Key: "unit", Title: "UNIT", Min: 14, Max: 40, Flex: 2}, Cell: list.TextCell(themes.Strong, func(h handle, _ list.At) string {
			return cmp.Or(h.Unit(), h.UUID.String())
		})},
		{Column: component.Column{Key: "type", Title: "TYPE", Min: 5, Max: 8, Priority: 2}, Cell: list.TextCell(themes.Dim, func(h handle, _ list.At) string { return string(h.Type) })},
		{Column: component.Column{Key: "state", Title: "STATE", Min: 6}, Cell: func(l *component.Line, h handle, _ list.At) {
			if h.InUse {
				l.Add(themes.Text, "in use")
			} else {
				l.Add(themes.Faint, "free")
			}
		}},
		{Column: component.Column{Key: "arq", Title: "REQUEST", Min: 11, Max: 30, Flex: 1, Priority: 1}, Cell: func(l *component.Line, h handle, _ list.At) {
			switch {
			case h.request != nil:
				l.Add(panel.ARQToken(h.request), string(h.request.State))
			case h.InUse:
				l.Add(themes.Critical, "nobody's")
			}
		}},
		{Column: component.Column{Key: "instance", Title: "INSTANCE", Min: 12, Max: 40, Flex: 2}, Cell: list.TextCell(themes.Text, func(h handle, _ list.At) string {
			if h.instance == nil {
				return ""
			}
			return h.instance.Name
		})},
	}
}

// attributes returns what Cyborg knows of the parts, part by part.
func attributes(d device, a list.Area) []string {
	var lines []string
	for _, p := range parts(d, a.At) {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " "+p.Name))
		var all []*cyborg.Attribute
		for attr := range a.Snap.Cyborg().AttributesOf(p.UUID) {
			all = append(all, attr)
		}
		slices.SortFunc(all, func(x, y *cyborg.Attribute) int { return strings.Compare(x.Key, y.Key) })
		for _, attr := range all {
			l := a.Line().Space(3).Cell(10).Add(themes.Dim, attr.Key).EndCell(component.AlignLeft).Space(1)
			lines = append(lines, l.Add(themes.Text, attr.Value).String())
		}
	}
	return lines
}
