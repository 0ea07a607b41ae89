// Package profiles is the screen of device profiles: what they ask Cyborg for, and
// which flavors use them.
package profiles

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
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
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.List[place.Profiles](New).Called("profiles", "dp").
			For("What each device profile asks Cyborg for, and which flavors use it."),
		screen.Declare(OpenProfile),
		screen.Declare(OpenDeleteProfile),
	}
}

type profile = cyborg.DeviceProfile

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[*profile]{
		Name: "profiles", Thing: "device profile", Kind: kinds.Profiles,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Cyborg() == now.Cyborg() && old.Nova() == now.Nova()
		},
		ID:      func(p *profile) string { return p.Name },
		Columns: columns(),
		Orders:  []list.Order[*profile]{{Name: "name"}, {Name: "asks"}, {Name: "users", Column: "flavors", Desc: true}, {Name: "arqs", Desc: true}},
		Fields: []list.Field[*profile]{list.TextField("asks", func(p *profile, _ list.At) string {
			groups, _ := asked(p)
			return strings.Join(groups, "  and  ")
		})},
		FilterHelp: "name, flavor=gpu.* class=VGPU arqs=0",
		Severity: func(p *profile, _ list.At) style.Severity {
			if _, fault := asked(p); fault != "" {
				return style.SeverityCritical
			}
			return style.SeverityNone
		},
		Actions: func(h list.Here[*profile]) []action.Action { return actions(env, h) },
		Title:   func(p *profile, _ list.At) (string, string) { return p.Name, p.UUID.String() },
		Detail:  detail,
		Empty:   []string{"not connected to cyborg: no device profiles are known here", "try: n, or `placetop create profile NAME`, adds one by hand"},
	}, env, snap, filter)
}

// asked returns what each group of a profile requests, or why the request is impossible.
func asked(p *profile) (groups []string, fault string) { return inWords(p, panel.Asked) }

// inWords is asked in other words.
func inWords(p *profile, words func(candidates.Group) string) (groups []string, fault string) {
	all, err := p.RequestGroups()
	if err != nil {
		fault = err.Error()
	}
	for _, g := range all {
		groups = append(groups, words(g))
	}
	return groups, fault
}

func columns() []*list.Column[*profile] {
	shows := list.Shows[*profile]
	asks := shows("asks", "ASKS FOR", 16, 80, 3, 0)
	asks.Cell = func(l *component.Line, p *profile, _ list.At) {
		if groups, fault := asked(p); fault == "" {
			brief, _ := inWords(p, panel.AskedBriefly)
			l.AddFitting(themes.Text, strings.Join(groups, "  and  "), strings.Join(brief, " and "))
		} else {
			l.Add(themes.Critical, fault)
		}
	}
	return []*list.Column[*profile]{
		shows("name", "PROFILE", 12, 36, 1, 0), asks,
		shows("flavors", "FLAVORS", 12, 60, 2, 1),
		shows("arqs", "ARQS", 5, 0, 0, 2),
	}
}

// detail shows what a profile requests, group by group, and who uses it.
func detail(p *profile, a list.Area) []string {
	var lines []string
	fact := list.Facts(kinds.Of(kinds.Profiles), a.At, p)
	groups, fault := asked(p)
	if fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, fault))
	}
	for i, g := range groups {
		l := a.Line().Space(1).Cell(8).Add(themes.Dim, "group "+component.Count(int64(i))).EndCell(component.AlignLeft).Space(1)
		lines = append(lines, l.Add(themes.Text, g).String())
	}
	flavors := strings.Split(fact("flavors"), ",")
	users := component.Plural(len(flavors), "flavor") + ": " + strings.Join(flavors, " ")
	if fact("flavors") == "" {
		users = component.Plural(0, "flavor")
	}
	arqs, _ := strconv.Atoi(fact("arqs"))
	l := a.Line().Space(1).Add(themes.Dim, "used by ").Add(themes.Text, users)
	lines = append(lines, l.Add(themes.Dim, "   ").Add(themes.Text, component.Plural(arqs, "accelerator request")).String())
	if p.Description != "" {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " "+p.Description))
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

func actions(env screen.Env, h list.Here[*profile]) []action.Action {
	return []action.Action{
		h.About(action.Action{ID: "profiles.open", Keys: []string{"enter"}, Title: "flavors", Help: "list the flavors that ask for the profile", Priority: 90}, func(p *profile) tea.Msg {
			return screen.Goto{To: place.Flavors{Filter: filter.Is("profile", p.Name)}}
		}),
		h.About(action.Action{ID: "profiles.arqs", Keys: []string{"i"}, Title: "requests", Help: "list the accelerator requests for the profile", Priority: 50}, func(p *profile) tea.Msg {
			return screen.Goto{To: place.ARQs{Filter: filter.Is("profile", p.Name)}}
		}),
		h.Copying("name", func(p *profile) (what, text string) { return "name of the profile", p.Name }),
		{ID: "profiles.new", Keys: []string{"n"}, Title: "new", Help: "create a device profile", Priority: 54, Writes: []intent.Op{cyborg.CreateDeviceProfile{}}, To: place.NewProfile{}},
		list.Each(h, action.Action{ID: "profiles.delete", Keys: []string{"D"}, Title: "delete...", Help: "delete it, unless an accelerator request uses it", Priority: 45, Writes: []intent.Op{cyborg.DeleteDeviceProfile{}}}, list.Deletes, func(all []*profile) tea.Msg {
			if len(all) == 1 {
				return screen.Goto{To: place.DelProfile{Name: all[0].Name}}
			}
			return screen.PushMsg{Screen: confirm.WriteAll(env, "delete", "device profile", all, func(s *cloud.Snapshot, p *profile) (ops.Plan, error) { return ops.PlanDeleteProfile(s, p.Name) })}
		}),
	}
}
