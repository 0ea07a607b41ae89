package devices

import (
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
)

type profile = cyborg.DeviceProfile

// NewProfiles returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func NewProfiles(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[*profile]{
		Name: "profiles", Thing: "device profile", Kind: kinds.Profiles,
		ID: func(p *profile) string { return p.Name },
		Columns: list.Show("name=PROFILE:12-36+1 asks=ASKS_FOR:16-80+3 flavors:12-60+2 arqs:5", "arqs flavors", list.Cells[*profile]{
			"asks": func(l *component.Line, p *profile, _ list.At) {
				groups, fault := asked(p)
				if fault != "" {
					l.Add(themes.Critical, fault)
					return
				}
				brief, _ := inWords(p, panel.AskedBriefly)
				l.AddFitting(themes.Text, strings.Join(groups, "  and  "), strings.Join(brief, " and "))
			},
		}),
		Orders: list.By[*profile]("name asks -users=flavors -arqs"),
		Fields: []*kinds.Field{kinds.TextField("asks", func(p *profile, _ list.At) string {
			groups, _ := asked(p)
			return strings.Join(groups, "  and  ")
		})},
		FilterHelp: "name, flavor=gpu.* class=VGPU arqs=0",
		Actions:    func(h list.Here[*profile]) []action.Action { return profileActions(env, h) },
		More: func(p *profile, a list.Area) []string {
			groups, _ := asked(p)
			for i, g := range groups {
				groups[i] = panel.Facts(a.Styles, a.Width, panel.Fact{Name: "group " + component.Count(i), Text: g})[0]
			}
			return groups
		},
		Empty: []string{"not connected to cyborg: no device profiles are known here", "try: n, or `placetop create profile NAME`, adds one by hand"},
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

func profileActions(env screen.Env, h list.Here[*profile]) []action.Action {
	return []action.Action{
		h.Leads(action.Action{ID: "profiles.open", Keys: "enter", Title: "flavors", Help: "list the flavors that ask for the profile", Priority: 90}, func(p *profile) place.Place { return place.Flavors{Filter: filter.Is("profile", p.Name)} }),
		h.Leads(action.Action{ID: "profiles.arqs", Keys: "i", Title: "requests", Help: "list the accelerator requests for the profile", Priority: 50}, func(p *profile) place.Place { return place.ARQs{Filter: filter.Is("profile", p.Name)} }),
		h.About(action.Action{ID: "profiles.copy", Keys: "c", Title: "copy name", Help: "copy the name, which flavors ask for"}, func(p *profile) tea.Msg {
			return screen.CopyMsg{What: "name of the profile", Text: p.Name}
		}),
		{ID: "profiles.new", Keys: "n", Title: "new", Help: "create a device profile", Priority: 54, Writes: []intent.Op{cyborg.CreateDeviceProfile{}}, To: place.NewProfile{}},
		list.Each(h, action.Action{ID: "profiles.delete", Keys: "D", Title: "delete...", Help: "delete it, unless an accelerator request uses it", Priority: 45, Writes: []intent.Op{cyborg.DeleteDeviceProfile{}}}, list.Deletes, func(all []*profile) tea.Msg {
			if len(all) == 1 {
				return screen.Goto{To: place.DelProfile{Name: all[0].Name}}
			}
			return screen.PushMsg{Screen: confirm.WriteAll(env, "delete", "device profile", all, func(s *cloud.Snapshot, p *profile) (ops.Plan, error) { return ops.PlanDeleteProfile(s, p.Name) })}
		}),
	}
}
