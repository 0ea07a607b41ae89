// Package services is the screen of Nova's services, with the gate that old
// nova-computes hold closed: while any is left, no request requires OWNER_NOVA.
package services

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, at place.Services) (screen.Screen, error) {
			s := New(env, env.Cloud.Snapshot(), at.Filter)
			if at.Host != "" {
				list.Seek(s, func(s *service) bool { return s.Host == at.Host })
			}
			return s, nil
		}).Called("services", "svc").FoundBy("nova-compute disable enable drain force-down forced_down down maintenance cordon decommission retire cell cells host hosts dead offline").
			For("Which services are up, disabled or too old, and hold the owner gate."),
		screen.Declare(OpenService),
	}
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) *list.Screen {
	return list.New(list.Spec[*service]{
		Name: "services", Thing: "service", Kind: kinds.Services,
		Of:        func(list.At) func(*service) kinds.Row { return func(s *service) kinds.Row { return s.Service } },
		Rows:      services,
		Common:    true,
		Unchanged: kinds.Of(kinds.Services).Unchanged,
		Count:     func(snap *cloud.Snapshot) int { return snap.Nova().ServiceCount() },
		ID:        func(s *service) string { return s.Host + "\x00" + s.Binary },
		Columns: list.Show("host:8-36+2~ binary:12-16+1 cell:5-20+1 version> release:10-30+1 state:12-22+1 seen gate:9-40+2 | reason=DISABLED_BECAUSE:16-60+2", "release seen gate cell binary version", list.Cells[*service]{
			"state": func(l *component.Line, s *service, at list.At) {
				word, token := s.standing(at)
				l.Add(token, word)
			},
			"release": drawRelease,
			"gate":    func(l *component.Line, s *service, at list.At) { s.drawGate(l, at) },
		}),
		Orders: append(list.By[*service]("host version binary cell -seen"), // the longest silent first
			// Services that hold the gate, dead ones first.
			list.Order[*service]{Name: "gate", Key: func(s *service, at list.At) list.Key {
				_, text := s.gate(at)
				return list.Key{Text: text, Number: -float64(s.severity(at)), None: s.hold == nil}
			}}),
		Notable:    "(!state=up | gate=holds)",
		FilterHelp: "host or binary, gate=holds version<73 state:down cell=cell1",
		Severity:   (*service).severity,
		Actions: func(h list.Here[*service]) []action.Action {
			host := ""
			if h.Nothing == "" {
				host = h.Row.Host
			}
			return append(actions(env, h), panel.FixingService("services", env, h.Snap, host, h.Nothing))
		},
		Top: top,
		Title: func(s *service, _ list.At) (string, string) {
			return s.Binary + " on " + s.Host, s.Release()
		},
		More:  more,
		Empty: []string{"not connected to nova: no services are known here, and the owner gate stays closed", "try: `placetop agent` reports this machine as a compute"},
	}, env, snap, filter)
}

// narrow is the width below which the gate is described in few words, in cells.
const narrow = 60

// top shows the state of the gate, and then what each cell adds to it.
func top(all []*service, _ int, a list.Area) []string {
	if len(all) == 0 {
		return nil
	}
	g := all[0].all
	token := themes.Warn
	if g.Open {
		token = themes.OK
	}
	words := g.Words()
	if a.Width < narrow && !g.Open {
		words = g.Brief()
	}
	lines := []string{a.Line().Space(1).Add(themes.Dim, "gate ").Add(token, words).String()}
	if len(g.Cells) < 2 || a.Width < narrow {
		return lines
	}
	l := a.Line().Space(1)
	for i, c := range g.Cells {
		if i > 0 {
			l.Space(3)
		}
		drawCell(l, c)
	}
	return append(lines, l.String())
}

func actions(env screen.Env, h list.Here[*service]) []action.Action {
	open := h.Leads(action.Action{ID: "services.open", Keys: "enter", Title: "provider", Help: "open the provider of the compute node", Priority: 90}, func(s *service) place.Place { return place.Provider{ID: node(h.Snap, s.Host)} })
	if open.Disabled == "" && node(h.Snap, h.Row.Host).IsZero() {
		open.Disabled = h.Row.Host + " has no compute node"
	}
	holds := action.Action{ID: "services.holds", Keys: "b", Title: "holders", Help: "only what holds the gate; once more: all", Priority: 60, Run: func() tea.Cmd {
		if h.List.Expr() == holders {
			return h.List.Filter("")
		}
		return h.List.Filter(holders)
	}}
	return append([]action.Action{
		open, holds,
		h.Leads(action.Action{ID: "services.instances", Keys: "i", Title: "instances", Help: "list the instances on the host", Priority: 50}, func(s *service) place.Place { return place.Instances{Filter: filter.Is("host", s.Host)} }),
		h.About(action.Action{ID: "services.copy", Keys: "c", Title: "copy host", Help: "copy the name of the host"}, func(s *service) tea.Msg {
			return screen.CopyMsg{What: "host", Text: s.Host}
		}),
	}, changes(env, h)...)
}

// changes are the keys that change a service, or all marked ones, each with a preview.
func changes(env screen.Env, h list.Here[*service]) []action.Action {
	change := func(key string, do place.ServiceVerb, title, help string, writes intent.Op) action.Action {
		a := action.Action{ID: action.ID("services." + do), Keys: action.Keys(key), Title: title, Help: help, Writes: []intent.Op{writes}}
		return list.Each(h, a, func(n string) string { return title + " " + n }, func(rows []*service) tea.Msg {
			if len(rows) == 1 {
				return screen.Goto{To: place.SetService{Do: do, Binary: rows[0].Binary, Host: rows[0].Host}}
			}
			of := make([]serviceKey, len(rows))
			for i, s := range rows {
				of[i] = serviceKey{s.Binary, s.Host}
			}
			page, err := open(env, do, of...)
			if err != nil {
				return screen.Warning(err.Error())
			}
			return screen.PushMsg{Screen: page}
		})
	}
	able := change("e", "disable", "disable", "let nothing new land there, with the reason", nova.DisableService{})
	down := change("X", "down", "force down", "mark it as down, so that its instances can be evacuated", nova.ForceDownService{})
	if list.All(h, func(s *service) bool { return s.Disabled }) {
		able = change("e", "enable", "enable", "let new instances land there again", nova.EnableService{})
	}
	if list.All(h, func(s *service) bool { return s.ForcedDown }) {
		down = change("X", "up", "not forced down", "let it report itself whether it is up", nova.ForceDownService{})
	}
	able.Priority = 55
	return []action.Action{
		able, down,
		change("U", "upgrade", "upgrade", "set the version it was started with", nova.UpgradeService{}),
		change("D", "delete", "delete...", "remove its record, with its compute nodes and providers", nova.DeleteService{}),
	}
}

// holders is the filter for what holds the gate.
const holders = "gate=holds"

// node returns the provider of the first compute node of a host, zero if it has none.
func node(snap *cloud.Snapshot, host string) placement.ProviderID {
	for n := range snap.Nova().ComputeNodesOf(host) {
		if _, ok := snap.Placement().Provider(n.UUID); ok {
			return n.UUID
		}
	}
	return placement.ProviderID{}
}
