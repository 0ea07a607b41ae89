// Package tenants is the screens of who uses the cloud: projects and users, with all that
// their consumers hold.
package tenants

import (
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
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
		screen.List[place.Projects](NewProjects).Called("projects", "project", "proj").
			For("What each project uses of each class, of each owner's cards, and of its quota."),
		screen.List[place.Users](NewUsers).Called("users", "user").
			For("What each user uses of each class."),
	}
}

type tenant = *kinds.Tenant

// NewProjects returns the list of projects over a Snapshot, narrowed by a filter. One that
// cannot be read is put into the filter line, with what is wrong with it.
func NewProjects(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	shows := list.Shows[tenant]
	p := &projects{env: env}
	p.known.Store(&map[string]quotas{})
	p.reads.Clock = env.Clock
	spec := tenants("projects", "project", kinds.Projects)
	spec.Columns = append([]*list.Column[tenant]{
		shows("project", "PROJECT", 12, 40, 2, 0).Drawn(list.TextCell(themes.Strong, projectName)),
		shows("users", "USERS", 5, 0, 0, 6),
	}, columns()...)
	if of := env.Cloud.Capabilities().Servers; of != nil && of.Quotas != nil {
		p.asks = of.Quotas
		spec.Of = p.told
		spec.Columns = slices.Insert(spec.Columns, 1, p.column())
		spec.Severity = p.severity
	}
	spec.Orders = append([]list.Order[tenant]{{Name: "project"}}, orders()...)
	spec.FilterHelp = "name, vcpu>100 devices>0 cyborg>0 owner=nova class=VGPU"
	spec.Detail = func(t tenant, a list.Area) []string {
		if p.asks == nil {
			return fitting(append(detail(t, a), p.lines(t, a)...), a)
		}
		return fitting(append(p.lines(t, a), detail(t, a)...), a)
	}
	list.Make(&p.Screen, spec, env, snap, filter)
	return p
}

// NewUsers returns the list of users over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func NewUsers(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	shows := list.Shows[tenant]
	spec := tenants("users", "user", kinds.Users)
	spec.Columns = append([]*list.Column[tenant]{
		shows("user", "USER", 12, 40, 2, 0).Drawn(list.TextCell(themes.Strong, func(t tenant, at list.At) string {
			return panel.User(at.Snap, t.User)
		})),
		shows("project", "PROJECT", 11, 40, 2, 1).Drawn(list.TextCell(themes.Text, projectName)),
	}, columns()...)
	spec.Orders = append([]list.Order[tenant]{{Name: "project"}, {Name: "user"}}, orders()...)
	spec.FilterHelp = "name or project, project=ml-* vcpu>100 devices>0 cyborg>0"
	spec.Detail = func(t tenant, a list.Area) []string { return fitting(detail(t, a), a) }
	return list.New(spec, env, snap, filter)
}

// projectName returns what a project is called, or its id.
func projectName(t tenant, at list.At) string {
	return panel.Project(at.Snap, t.Project)
}

// tenants is the common part of both lists.
func tenants(name, thing string, kind kinds.Name) list.Spec[tenant] {
	return list.Spec[tenant]{
		Name: name, Thing: thing, Kind: kind,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Placement() == now.Placement() && old.Nova() == now.Nova()
		},
		ID:      func(t tenant) string { return t.Project + "\x00" + t.User },
		Actions: func(h list.Here[tenant]) []action.Action { return actions(name, h) },
		Title: func(t tenant, at list.At) (string, string) {
			if !at.Knows(cloud.Instances) {
				return t.Name(), ""
			}
			return t.Name(), component.Plural(int(t.Instances), "instance")
		},
		Also:  list.Owners(true),
		Side:  true,
		Empty: []string{"nobody holds anything", "try: n in consumers makes the first allocation"},
	}
}

func columns() []*list.Column[tenant] {
	shows := list.Shows[tenant]
	return []*list.Column[tenant]{
		shows("instances", "VMS", 5, 0, 0, 1),
		shows("vcpu", "VCPU", 6, 0, 0, 2),
		shows("memory", "MEMORY", 7, 0, 0, 3),
		shows("disk", "DISK", 7, 0, 0, 4),
		shows("devices", "DEVICES", 7, 0, 0, 0).Drawn(func(l *component.Line, t tenant, _ list.At) {
			if n := t.Devices[0] + t.Devices[1] + t.Devices[2] + t.Devices[3]; n > 0 {
				l.Add(themes.Strong, component.Count(n))
			} else {
				l.Add(themes.Faint, "-")
			}
		}).Right(),
		shows("owner", "OWN", 13, 18, 1, 1).Drawn(func(l *component.Line, t tenant, _ list.At) { panel.Owned(t.Devices).Draw(l) }),
		shows("pcpu", "PCPU", 6, 0, 0, 7),
		shows("migrations", "MOVES", 5, 0, 0, 8),
		shows("consumers", "CONSUMERS", 9, 0, 0, 9).OnlyWide(),
	}
}

func orders() []list.Order[tenant] {
	return []list.Order[tenant]{
		{Name: "vcpu", Desc: true},
		{Name: "memory", Desc: true},
		{Name: "disk", Desc: true},
		{Name: "devices", Desc: true},
		{Name: "instances", Desc: true},
	}
}

// detail shows everything that a tenant uses, class by class, and the owners of its
// accelerators.
func detail(t tenant, a list.Area) []string {
	var lines []string
	l := a.Line().Space(1).Add(themes.Text, component.Plural(int(t.Consumers), "consumer"))
	if a.Knows(cloud.Instances) {
		l.Add(themes.Dim, "   "+component.Plural(int(t.Instances), "instance"))
	}
	if t.Migrations > 0 && a.Knows(cloud.Migrations) {
		l.Add(themes.Dim, "   "+component.Plural(int(t.Migrations), "migration"))
	}
	lines = append(lines, l.String())
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		if n := t.Devices[o]; n > 0 {
			l := a.Line().Space(1)
			component.OwnerBadge(l, panel.Owner(o))
			lines = append(lines, l.Space(1).Add(themes.Text, component.Plural(int(n), "accelerator")).Add(themes.Dim, " of "+o.String()).String())
		}
	}
	classes := slices.Sorted(maps.Keys(t.Used))
	slices.SortStableFunc(classes, func(x, y placement.ResourceClass) int { return panel.Rank(x) - panel.Rank(y) })
	for _, c := range classes {
		l := a.Line().Space(1).Cell(30).Add(themes.Dim, string(c)).EndCell(component.AlignLeft)
		lines = append(lines, l.Cell(10).Add(themes.Text, component.Amount(t.Used[c], panel.Unit(c))).EndCell(component.AlignRight).String())
	}
	return lines
}

// fitting returns as many lines as there is room for.
func fitting(lines []string, a list.Area) []string { return lines[:min(len(lines), max(a.Height, 0))] }

func actions(scope string, h list.Here[tenant]) []action.Action {
	id := func(s string) action.ID { return action.ID(scope + "." + s) }
	of := func(t tenant) string {
		if t.User != "" {
			return filter.Is("project", t.Project) + " " + filter.Is("user", t.User)
		}
		return filter.Is("project", t.Project)
	}
	list := []action.Action{
		h.About(action.Action{ID: id("open"), Keys: []string{"enter"}, Title: "consumers", Help: "list what it holds, and where", Priority: 90}, func(t tenant) tea.Msg {
			return screen.Goto{To: place.Consumers{Filter: of(t)}}
		}),
		h.About(action.Action{ID: id("instances"), Keys: []string{"i"}, Title: "instances", Help: "list its instances", Priority: 70}, func(t tenant) tea.Msg {
			return screen.Goto{To: place.Instances{Filter: of(t)}}
		}),
		h.Copying("id", func(t tenant) (what, text string) { return t.Name(), t.Name() }),
	}
	if scope == "projects" {
		list = append(list, h.About(action.Action{ID: id("users"), Keys: []string{"I"}, Title: "users", Help: "list its users, with what each uses", Priority: 60}, func(t tenant) tea.Msg {
			return screen.Goto{To: place.Users{Filter: of(t)}}
		}))
	}
	return list
}
