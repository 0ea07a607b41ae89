// Package devices is the screens of what Cyborg manages: its cards and the page of
// one, device profiles, and accelerator requests.
package devices

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.List[place.Devices](New).Called("devices", "dev").AsDetail().FoundBy("accelerator accelerators fpga gpu cyborg device profile mdev passthrough repair rma broken").
			For("The cards that Cyborg knows, and how much of each is in use."),
		screen.Declare(OpenDevice),
		screen.Declare(func(env screen.Env, at place.Device) (screen.Screen, error) {
			return Open(env, env.Cloud.Snapshot(), at.ID)
		}),
		screen.List[place.ARQs](NewARQs).Called("arqs", "arq").AsDetail().FoundBy("accelerator request requests bind").
			For("Which accelerator each instance was given, and which requests failed."),
		screen.List[place.Profiles](NewProfiles).Called("profiles", "dp").FoundBy("device profile cyborg accelerator").
			For("What each device profile asks Cyborg for, and which flavors use it."),
		screen.Declare(OpenProfile),
		screen.Declare(OpenDeleteProfile),
	}
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[*cyborg.Device]{
		Name: "devices", Thing: "device", Kind: kinds.Devices,
		ID: func(d *cyborg.Device) string { return string(d.UUID[:]) },
		Columns: list.Show("host:8-36+1~ address:12-14 type:6-6 model:12-40+4 status:11 owner=OWN bar=UNITS:7-24+1 units=USED:5> | uuid:36-36", "bar type model status units", list.Cells[*cyborg.Device]{
			"units": func(l *component.Line, d *cyborg.Device, at list.At) { drawUnits(l, unitsOf(d, at)) },
			"bar":   func(l *component.Line, d *cyborg.Device, at list.At) { component.Bar(l, l.Left(), unitsOf(d, at)) },
		}),
		Orders:     list.By[*cyborg.Device]("host type model status owner -used%=units"),
		Also:       list.Owners(true),
		Found:      func(d *cyborg.Device) []audit.Finding { return found(env, d) },
		FilterHelp: "host:address, type=GPU status=maintaining free>0 model:T4",
		Actions:    func(h list.Here[*cyborg.Device]) []action.Action { return actions(env, h) },
		More:       more,
		Empty:      []string{"not connected to cyborg: no devices are known here", "try: `placetop demo` shows a cloud that has some"},
	}, env, snap, filter)
}

// found returns what the last pass found wrong with the providers of a card.
func found(env screen.Env, d *cyborg.Device) (out []audit.Finding) {
	pass := env.Kept().Last()
	if pass == nil {
		return nil
	}
	for dep := range pass.Of.Cyborg().DeployablesOf(d.UUID) {
		out = append(out, pass.OfProvider(dep.Provider)...)
	}
	return out
}

// more says what it means that a card is out of service.
func more(d *cyborg.Device, a list.Area) []string {
	if d.Status != cyborg.Maintaining {
		return nil
	}
	return []string{panel.Text(a.Styles, a.Width, themes.Warn, " in maintenance: nothing new lands here, what is here stays")}
}

func actions(env screen.Env, h list.Here[*cyborg.Device]) []action.Action {
	able := ableAction("devices", h.Row, list.All(h, maintaining))
	verb, disable := able.Title, able.Title == "disable"
	able = list.Each(h, able, func(n string) string { return verb + " " + n + "..." }, func(all []*cyborg.Device) tea.Msg {
		if len(all) == 1 {
			return screen.Goto{To: place.SetDevice{ID: all[0].UUID, Disable: disable}}
		}
		return screen.PushMsg{Screen: confirm.WriteAll(env, verb, "device", all, func(s *cloud.Snapshot, d *cyborg.Device) (ops.Plan, error) {
			return ops.PlanDeviceStatus(s, d.UUID, disable)
		})}
	})
	return []action.Action{
		h.Leads(action.Action{ID: "devices.open", Keys: "enter", Title: "open", Help: "open the page of the device", Priority: 90}, func(d *cyborg.Device) place.Place { return place.Device{ID: d.UUID} }),
		h.Leads(action.Action{ID: "devices.arqs", Keys: "i", Title: "requests", Help: "list the accelerator requests on the host", Priority: 50}, func(d *cyborg.Device) place.Place { return place.ARQs{Filter: filter.Is("host", d.Hostname)} }),
		able,
	}
}

func maintaining(d *cyborg.Device) bool { return d.Status == cyborg.Maintaining }

// ableAction is the key that takes a device out of service, or puts it back if it is out
// of service; d is nil if there is none.
func ableAction(scope string, d *cyborg.Device, out bool) action.Action {
	a := action.Action{ID: action.ID(scope + ".disable"), Keys: "e", Title: "disable", Help: "reserve all of it, so that nothing new lands there", Priority: 55, Writes: []intent.Op{cyborg.DisableDevice{}, cyborg.EnableDevice{}}}
	if d == nil {
		return a
	}
	if out {
		a.ID, a.Title, a.Help = action.ID(scope+".enable"), "enable", "let new requests land there again"
	}
	to := place.SetDevice{ID: d.UUID, Disable: !out}
	a.To = to
	return a
}
