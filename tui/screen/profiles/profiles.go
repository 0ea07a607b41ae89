// Package profiles is the screen of device profiles: what they ask Cyborg for, and
// which flavors use them.
package profiles

import (
	"context"
	"slices"
	"strings"

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
	"github.com/placetop/placetop/tui/style"
)

// profile is a row: a device profile, and who uses it.
type profile struct {
	*cyborg.DeviceProfile
	groups  []string // what each asks for
	classes []string
	fault   string   // why it cannot be asked for, "" where it can
	flavors []string // by name
	arqs    int64
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[profile]{
		Name: "profiles", Thing: "device profile",
		Rows: profiles,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Cyborg() == now.Cyborg() && old.Nova() == now.Nova()
		},
		ID:         func(p profile) string { return string(p.UUID[:]) },
		Text:       func(p profile) string { return p.Name },
		Columns:    columns(),
		Orders:     orders(),
		Fields:     fields(),
		FilterHelp: "name, flavor=gpu.* class=VGPU arqs=0",
		Severity: func(p profile, _ list.At) style.Severity {
			if p.fault != "" {
				return style.SeverityCritical
			}
			return style.SeverityNone
		},
		Actions: actions,
		Title:   func(p profile, _ list.At) (string, string) { return p.Name, p.UUID.String() },
		Detail:  detail,
		Empty:   []string{"not connected to cyborg: no device profiles are known here", "try: n, or `placetop create profile NAME`, adds one by hand"},
	}, env, snap, filter)
}

// profiles returns all device profiles, by uuid.
func profiles(_ context.Context, snap *cloud.Snapshot) []profile {
	flavors, arqs := map[string][]string{}, map[string]int64{}
	for f := range snap.Nova().CurrentFlavors() {
		if name := f.DeviceProfile(); name != "" {
			flavors[name] = append(flavors[name], f.Name)
		}
	}
	for a := range snap.Cyborg().ARQs() {
		arqs[a.Profile]++
	}
	var all []profile
	for p := range snap.Cyborg().DeviceProfiles() {
		row := profile{DeviceProfile: p, flavors: flavors[p.Name], arqs: arqs[p.Name]}
		slices.Sort(row.flavors)
		groups, err := p.RequestGroups()
		if err != nil {
			row.fault = err.Error()
		}
		for _, g := range groups {
			row.groups = append(row.groups, panel.Asked(g))
			for _, r := range g.Resources {
				row.classes = append(row.classes, string(r.Class))
			}
		}
		all = append(all, row)
	}
	return all
}

func (p profile) name(list.At) string { return p.Name }
func (p profile) asks(list.At) string { return strings.Join(p.groups, "  and  ") }

// users names the flavors that use the profile.
func (p profile) users(list.At) string {
	if len(p.flavors) == 0 {
		return "-"
	}
	return strings.Join(p.flavors, " ")
}

func columns() []list.Column[profile] {
	return []list.Column[profile]{
		{Column: component.Column{Key: "name", Title: "PROFILE", Min: 12, Max: 36, Flex: 1}, Cell: list.TextCell(themes.Strong, profile.name)},
		{Column: component.Column{Key: "asks", Title: "ASKS FOR", Min: 16, Max: 80, Flex: 3}, Cell: func(l *component.Line, p profile, at list.At) {
			if p.fault != "" {
				l.Add(themes.Critical, p.fault)
				return
			}
			l.Add(themes.Text, p.asks(at))
		}},
		{Column: component.Column{Key: "flavors", Title: "FLAVORS", Min: 12, Max: 60, Flex: 2, Priority: 1}, Cell: list.TextCell(themes.Text, profile.users)},
		{Column: component.Column{Key: "arqs", Title: "ARQS", Min: 5, Align: component.AlignRight, Priority: 2}, Cell: list.CountCell(themes.Dim, func(p profile, _ list.At) int64 { return p.arqs })},
	}
}

func orders() []list.Order[profile] {
	return []list.Order[profile]{
		{Name: "name", Column: "name", Key: func(p profile, at list.At) list.Key { return list.Key{Text: p.name(at)} }},
		{Name: "asks", Column: "asks", Key: func(p profile, at list.At) list.Key { return list.Key{Text: p.asks(at)} }},
		{Name: "flavors", Column: "flavors", Desc: true, Key: func(p profile, _ list.At) list.Key {
			return list.Key{Number: float64(len(p.flavors))}
		}},
		{Name: "arqs", Column: "arqs", Desc: true, Key: func(p profile, _ list.At) list.Key { return list.Key{Number: float64(p.arqs)} }},
	}
}

func fields() []list.Field[profile] {
	return list.Fields(kinds.Profiles, func(p profile) kinds.Row { return p.DeviceProfile }, list.TextField("asks", profile.asks))
}

// detail is what a profile asks for, group by group, and who uses it.
func detail(p profile, a list.Area) []string {
	var lines []string
	if p.fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, p.fault))
	}
	for i, g := range p.groups {
		l := a.Line().Space(1).Cell(8).Add(themes.Dim, "group "+component.Count(int64(i))).EndCell(component.AlignLeft).Space(1)
		lines = append(lines, l.Add(themes.Text, g).String())
	}
	users := panel.Plural(len(p.flavors), "flavor")
	if len(p.flavors) > 0 {
		users += ": " + strings.Join(p.flavors, " ")
	}
	l := a.Line().Space(1).Add(themes.Dim, "used by ").Add(themes.Text, users)
	lines = append(lines, l.Add(themes.Dim, "   ").Add(themes.Text, panel.Plural(int(p.arqs), "accelerator request")).String())
	if p.Description != "" {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " "+p.Description))
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

func actions(h list.Here[profile]) []action.Action {
	return []action.Action{
		h.About(action.Action{ID: "profiles.open", Keys: []string{"enter"}, Title: "flavors", Help: "list the flavors that ask for the profile", Priority: 90}, func(p profile) tea.Msg {
			return screen.Goto{Kind: screen.Flavors, Arg: "profile=" + p.Name}
		}),
		h.About(action.Action{ID: "profiles.arqs", Keys: []string{"i"}, Title: "requests", Help: "list the accelerator requests for the profile", Priority: 50}, func(p profile) tea.Msg {
			return screen.Goto{Kind: screen.ARQs, Arg: "profile=" + p.Name}
		}),
		h.About(action.Action{ID: "profiles.copy", Keys: []string{"c"}, Title: "copy name", Help: "copy the name"}, func(p profile) tea.Msg {
			return screen.CopyMsg{What: "name of the profile", Text: p.Name}
		}),
		{ID: "profiles.new", Keys: []string{"n"}, Title: "new", Help: "make a device profile", Priority: 54, Writes: true, Run: func() tea.Cmd {
			return screen.Send(screen.Goto{Kind: screen.NewProfile})
		}},
		h.About(action.Action{ID: "profiles.delete", Keys: []string{"D"}, Title: "delete...", Help: "delete it, unless an accelerator request is of it", Priority: 45, Writes: true}, func(p profile) tea.Msg {
			return screen.Goto{Kind: screen.DelProfile, Arg: p.Name}
		}),
	}
}
