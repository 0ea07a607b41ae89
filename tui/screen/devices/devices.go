// Package devices is the screen of the cards that Cyborg manages, and the page of
// one: its parts, their attributes, and who has which unit.
package devices

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[device]{
		Name: "devices", Thing: "device",
		Rows: devices,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Cyborg() == now.Cyborg() && old.Placement() == now.Placement()
		},
		Count:      func(snap *cloud.Snapshot) int { return snap.Cyborg().DeviceCount() },
		ID:         func(d device) string { return string(d.UUID[:]) },
		Text:       device.name,
		Columns:    columns(),
		Orders:     orders(),
		Fields:     fields(),
		FilterHelp: "host:address, type=GPU status=maintaining free>0 model:T4",
		Severity:   device.severity,
		Actions:    actions,
		Title:      func(d device, _ list.At) (string, string) { return d.name(), d.UUID.String() },
		Detail:     detail,
		Empty:      []string{"not connected to cyborg: no devices are known here", "try: `placetop demo` shows a cloud that has some"},
	}, env, snap, filter)
}

func columns() []list.Column[device] {
	text := list.TextColumn[device]
	id := text("uuid", "UUID", 36, 36, 0, 9, themes.Dim, func(d device, _ list.At) string { return d.UUID.String() })
	id.Wide = true
	return []list.Column[device]{
		text("host", "HOST", 8, 36, 2, 0, themes.Strong, device.host),
		text("address", "ADDRESS", 12, 14, 0, 0, themes.Strong, device.where),
		text("type", "TYPE", 6, 6, 0, 4, themes.Text, device.kind),
		text("model", "MODEL", 10, 40, 2, 3, themes.Text, device.model),
		{Column: component.Column{Key: "status", Title: "STATUS", Min: 11, Priority: 2}, Cell: func(l *component.Line, d device, _ list.At) {
			l.Add(statusToken(d.Status), string(d.Status))
		}},
		{Column: component.Column{Key: "owner", Title: "OWN", Min: 3}, Cell: func(l *component.Line, d device, _ list.At) {
			component.OwnerBadge(l, panel.Owner(d.owner))
		}},
		{Column: component.Column{Key: "bar", Title: "UNITS", Min: 8, Max: 24, Flex: 2, Priority: 5}, Cell: func(l *component.Line, d device, _ list.At) {
			component.Bar(l, l.Left(), d.units)
		}},
		{Column: component.Column{Key: "units", Title: "USED", Min: 5, Align: component.AlignRight, Priority: 1}, Cell: func(l *component.Line, d device, _ list.At) {
			drawUnits(l, d.units)
		}},
		id,
	}
}

func orders() []list.Order[device] {
	by := func(name, column string, get func(device, list.At) string) list.Order[device] {
		return list.Order[device]{Name: name, Column: column, Key: func(d device, at list.At) list.Key { return list.Key{Text: get(d, at)} }}
	}
	return []list.Order[device]{
		by("host", "host", func(d device, _ list.At) string { return d.name() }),
		by("type", "type", device.kind),
		by("model", "model", device.model),
		by("status", "status", device.status),
		by("owner", "owner", device.ownerOf),
		{Name: "used", Column: "units", Desc: true, Key: func(d device, _ list.At) list.Key {
			return list.Key{Number: float64(d.units.Percent()), None: d.units.Total == 0}
		}},
	}
}

func fields() []list.Field[device] {
	return list.Fields(kinds.Devices, func(d device) kinds.Row { return d.Device })
}

func actions(h list.Here[device]) []action.Action {
	able := ableAction("devices", h.Row.Device)
	able.Disabled = h.Nothing
	return []action.Action{
		h.About(action.Action{ID: "devices.open", Keys: []string{"enter"}, Title: "open", Help: "open the page of the device", Priority: 90}, func(d device) tea.Msg {
			return screen.Goto{Kind: screen.Device, Arg: d.UUID.String()}
		}),
		h.About(action.Action{ID: "devices.arqs", Keys: []string{"i"}, Title: "requests", Help: "list the accelerator requests on the host", Priority: 50}, func(d device) tea.Msg {
			return screen.Goto{Kind: screen.ARQs, Arg: "host=" + d.Hostname}
		}),
		h.About(action.Action{ID: "devices.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid"}, func(d device) tea.Msg {
			return screen.CopyMsg{What: "uuid of " + d.name(), Text: d.UUID.String()}
		}),
		able,
	}
}

// ableAction is the key that takes a device out of service, or puts it back; d is
// nil where there is none.
func ableAction(scope string, d *cyborg.Device) action.Action {
	a := action.Action{ID: action.ID(scope + ".disable"), Keys: []string{"e"}, Title: "disable", Help: "reserve all of it, so that nothing new lands there", Priority: 55, Writes: true}
	if d == nil {
		return a
	}
	if d.Status == cyborg.Maintaining {
		a.ID, a.Title, a.Help = action.ID(scope+".enable"), "enable", "let new requests land there again"
	}
	arg := a.Title + " " + d.UUID.String()
	a.Run = func() tea.Cmd { return screen.Send(screen.Goto{Kind: screen.SetDevice, Arg: arg}) }
	return a
}
