package consumers

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

type tenant = *kinds.Tenant

// NewProjects returns the list of projects over a Snapshot, narrowed by a filter. One that
// cannot be read is put into the filter line, with what is wrong with it.
func NewProjects(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	p := &projects{env: env}
	p.known.Store(&map[string]quotas{})
	p.reads.Clock = env.Clock
	spec := tenants("projects", "project", kinds.Projects, "vcpu>100 devices>0 cyborg>0 owner=nova class=VGPU")
	spec.More = p.lines
	cells := list.Cells[tenant]{"project": list.TextCell(themes.Strong, projectName)}
	columns := "project:11-40+2 "
	if p.asks = env.Cloud.Capabilities().Quotas; p.asks != nil {
		spec.Of, spec.Severity = p.told, p.severity
		cells["quota"], columns = p.cell, columns+"quota:18-30+1 "
	}
	spec.Columns = amounts(columns+"users ", cells)
	list.Make(&p.Screen, spec, env, snap, filter)
	return p
}

// NewUsers returns the list of users over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func NewUsers(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	spec := tenants("users", "user", kinds.Users, "project=ml-* vcpu>100 devices>0 cyborg>0")
	spec.Columns = amounts("user:11-40+2 project:11-40+2 ", list.Cells[tenant]{
		"user":    list.TextCell(themes.Strong, func(t tenant, at list.At) string { return panel.User(at.Snap, t.User) }),
		"project": list.TextCell(themes.Text, projectName),
	})
	spec.Orders = append(list.By[tenant]("project"), spec.Orders...)
	return list.New(spec, env, snap, filter)
}

// projectName returns what a project is called, or its id.
func projectName(t tenant, at list.At) string {
	return panel.Project(at.Snap, t.Project)
}

// tenants is the common part of both lists.
func tenants(name, thing string, kind kinds.Name, example string) list.Spec[tenant] {
	return list.Spec[tenant]{
		Name: name, Thing: thing, Kind: kind,
		ID:         func(t tenant) string { return t.Project + "\x00" + t.User },
		Orders:     list.By[tenant](thing + " -vcpu -memory -disk -devices -instances"),
		FilterHelp: "name, " + example,
		Actions:    func(h list.Here[tenant]) []action.Action { return tenantActions(name, h) },
		Also:       list.Owners(true),
		Side:       true,
		Empty:      []string{"nobody holds anything", "try: n in consumers makes the first allocation"},
	}
}

// amounts returns the columns of a list: its first ones, and what the tenants use.
func amounts(first string, cells list.Cells[tenant]) list.Columns {
	cells["owner"] = func(l *component.Line, t tenant, _ list.At) { panel.AcceleratorCounts(t.Devices).Draw(l) }
	return list.Show(first+"instances=VMS:5 vcpu:6 memory:6 disk:6 devices owner=OWN:18-26+1 pcpu:5 migrations=MOVES | consumers",
		"migrations pcpu users disk memory vcpu owner instances project quota", cells).In(themes.Strong, "devices")
}

func tenantActions(scope string, h list.Here[tenant]) []action.Action {
	id := func(s string) action.ID { return action.ID(scope + "." + s) }
	of := func(t tenant) string {
		if t.User != "" {
			return filter.Is("project", t.Project) + " " + filter.Is("user", t.User)
		}
		return filter.Is("project", t.Project)
	}
	list := []action.Action{
		h.Leads(action.Action{ID: id("open"), Keys: "enter", Title: "consumers", Help: "list what it holds, and where", Priority: 90}, func(t tenant) place.Place { return place.Consumers{Filter: of(t)} }),
		h.Leads(action.Action{ID: id("instances"), Keys: "i", Title: "instances", Help: "list its instances", Priority: 70}, func(t tenant) place.Place { return place.Instances{Filter: of(t)} }),
	}
	if scope == "projects" {
		list = append(list, h.Leads(action.Action{ID: id("users"), Keys: "I", Title: "users", Help: "list its users, with what each uses", Priority: 60}, func(t tenant) place.Place { return place.Users{Filter: of(t)} }))
	}
	return list
}
