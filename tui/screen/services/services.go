// Package services is the screen of Nova's processes, with the gate that the old
// ones among its computes hold: until none is left, nobody asks for OWNER_NOVA.
package services

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
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
	return list.New(list.Spec[service]{
		Name: "services", Thing: "service",
		Rows:       services,
		Unchanged:  func(old, now *cloud.Snapshot) bool { return old.Nova() == now.Nova() },
		Count:      func(snap *cloud.Snapshot) int { return snap.Nova().ServiceCount() },
		ID:         func(s service) string { return s.Host + "\x00" + s.Binary },
		Text:       func(s service) string { return s.Host + " " + s.Binary },
		Columns:    columns(),
		Orders:     orders(),
		Fields:     fields(),
		FilterHelp: "host or binary, gate=holds version<73 state:down cell=cell1",
		Severity:   service.severity,
		Actions: func(h list.Here[service]) []action.Action {
			host := ""
			if h.Nothing == "" {
				host = h.Row.Host
			}
			return append(actions(h), panel.FixingService("services", env, h.Snap, host, h.Nothing))
		},
		Top: top,
		Title: func(s service, _ list.At) (string, string) {
			return s.Binary + " on " + s.Host, nova.ReleaseOf(s.Version)
		},
		Detail: detail,
		Empty:  []string{"not connected to nova: no services are known here, and the owner gate stays closed", "try: `placetop agent` reports this machine as a compute"},
	}, env, snap, filter)
}

func columns() []list.Column[service] {
	text := list.TextColumn[service]
	reason := text("reason", "DISABLED BECAUSE", 16, 60, 2, 7, themes.Text, func(s service, _ list.At) string { return s.DisabledReason })
	reason.Wide = true
	return []list.Column[service]{
		text("host", "HOST", 8, 36, 2, 0, themes.Strong, service.host),
		text("binary", "BINARY", 12, 16, 1, 2, themes.Text, service.binary),
		text("cell", "CELL", 5, 20, 1, 3, themes.Text, service.cell),
		{Column: component.Column{Key: "version", Title: "VERSION", Min: 7, Align: component.AlignRight, Priority: 1}, Cell: func(l *component.Line, s service, _ list.At) {
			token := themes.Text
			if s.holding() {
				token = themes.Warn
			}
			l.Add(token, s.version())
		}},
		text("release", "RELEASE", 10, 30, 1, 6, themes.Dim, service.release),
		{Column: component.Column{Key: "state", Title: "STATE", Min: 10, Max: 22, Flex: 1}, Cell: func(l *component.Line, s service, at list.At) {
			word, token := s.standing(at)
			l.Add(token, word)
		}},
		{Column: component.Column{Key: "seen", Title: "SEEN", Min: 4, Align: component.AlignRight, Priority: 5}, Cell: list.TextCell(themes.Faint, func(s service, at list.At) string {
			return panel.Age(at.Now, s.SeenAt())
		})},
		{Column: component.Column{Key: "gate", Title: "GATE", Min: 9, Max: 40, Flex: 2, Priority: 4}, Cell: func(l *component.Line, s service, at list.At) {
			s.drawGate(l, at)
		}},
		reason,
	}
}

func orders() []list.Order[service] {
	return []list.Order[service]{
		{Name: "host", Column: "host", Key: func(s service, at list.At) list.Key { return list.Key{Text: s.host(at)} }},
		{Name: "version", Column: "version", Key: func(s service, _ list.At) list.Key { return list.Key{Number: float64(s.Version)} }},
		{Name: "binary", Column: "binary", Key: func(s service, at list.At) list.Key { return list.Key{Text: s.binary(at)} }},
		{Name: "cell", Column: "cell", Key: func(s service, at list.At) list.Key { return list.Key{Text: s.cell(at), None: s.Cell == ""} }},
		{Name: "seen", Column: "seen", Key: func(s service, _ list.At) list.Key {
			return list.Key{Number: float64(s.LastSeenUp)} // who was silent longest first
		}},
		// What holds the gate, the records of the dead first.
		{Name: "gate", Column: "gate", Key: func(s service, at list.At) list.Key {
			_, text := s.gate(at)
			return list.Key{Text: text, Number: -float64(s.severity(at)), None: s.hold == nil}
		}},
	}
}

func fields() []list.Field[service] {
	return list.Fields(kinds.Services, func(s service) kinds.Row { return s.Service })
}

// narrow is the width below which the gate is told in few words, in cells.
const narrow = 60

// top says how the gate stands, and then what each cell adds to that.
func top(all []service, a list.Area) []string {
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
		words = fmt.Sprintf("closed at %d, need %d, %d hold it", g.Minimum, g.Need, len(g.Holds))
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

func actions(h list.Here[service]) []action.Action {
	open := h.About(action.Action{ID: "services.open", Keys: []string{"enter"}, Title: "provider", Help: "open the provider of the compute node", Priority: 90}, func(s service) tea.Msg {
		return screen.Goto{Kind: screen.Provider, Arg: node(h.Snap, s.Host).String()}
	})
	if open.Disabled == "" && node(h.Snap, h.Row.Host).IsZero() {
		open.Disabled = h.Row.Host + " has no compute node"
	}
	holds := action.Action{ID: "services.holds", Keys: []string{"o"}, Title: "holders", Help: "only what holds the gate; once more: all", Priority: 60, Run: func() tea.Cmd {
		if h.Expr() == holders {
			return h.Filter("")
		}
		return h.Filter(holders)
	}}
	return append([]action.Action{
		open, holds,
		h.About(action.Action{ID: "services.instances", Keys: []string{"i"}, Title: "instances", Help: "list the instances on the host", Priority: 50}, func(s service) tea.Msg {
			return screen.Goto{Kind: screen.Instances, Arg: "host=" + s.Host}
		}),
		h.About(action.Action{ID: "services.copy", Keys: []string{"c"}, Title: "copy host", Help: "copy the name of the host"}, func(s service) tea.Msg {
			return screen.CopyMsg{What: "host", Text: s.Host}
		}),
	}, changes(h)...)
}

// changes are the keys that change a service, each with a preview.
func changes(h list.Here[service]) []action.Action {
	change := func(key, what, title, help string) action.Action {
		return h.About(action.Action{ID: action.ID("services." + what), Keys: []string{key}, Title: title, Help: help, Writes: true}, func(s service) tea.Msg {
			return screen.Goto{Kind: screen.SetService, Arg: what + " " + s.Binary + " " + s.Host}
		})
	}
	able := change("e", "disable", "disable", "let nothing new land there, with the reason")
	down := change("X", "down", "force down", "say that it is down, so that its instances may be evacuated")
	if h.Nothing == "" && h.Row.Disabled {
		able = change("e", "enable", "enable", "let new instances land there again")
	}
	if h.Nothing == "" && h.Row.ForcedDown {
		down = change("X", "up", "not forced down", "let it say itself whether it is up")
	}
	able.Priority = 55
	return []action.Action{
		able, down,
		change("U", "upgrade", "upgrade", "say with which version it was started"),
		change("D", "delete", "delete...", "remove its record, with its compute nodes and providers"),
	}
}

// holders is the filter for what holds the gate.
const holders = "gate=holds"

// node returns the provider of the first compute node of a host, the zero id where
// it has none.
func node(snap *cloud.Snapshot, host string) placement.ProviderID {
	for n := range snap.Nova().ComputeNodesOf(host) {
		if _, ok := snap.Placement().Provider(n.UUID); ok {
			return n.UUID
		}
	}
	return placement.ProviderID{}
}
