package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cyborg"
)

// profileRow is a device profile as it is printed.
type profileRow struct {
	UUID        uuid.UUID           `json:"uuid"`
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Groups      []map[string]string `json:"groups"`
	Flavors     []string            `json:"flavors"`   // names of those that ask for it
	ARQs        int                 `json:"arq_count"` // requests that were made of it
	Created     *time.Time          `json:"created_at,omitempty"`
}

func profilesKind() kind {
	return kind{
		name: "profiles", aliases: []string{"profile", "dp"},
		short:   "Device profiles: what flavors may ask of Cyborg",
		what:    "the name or the uuid of a device profile",
		filters: []string{byLimit},
		names:   profileNames,
		print: func(q query) error {
			var only *cyborg.DeviceProfile
			if q.name != "" {
				var err error
				if only, err = q.profile(q.name); err != nil {
					return err
				}
			}
			flavors, arqs := map[string][]string{}, map[string]int{}
			for v := range q.Nova().CurrentFlavors() {
				flavors[v.DeviceProfile()] = append(flavors[v.DeviceProfile()], v.Name)
			}
			for a := range q.Cyborg().ARQs() {
				arqs[a.Profile]++
			}
			var rows []profileRow
			for p := range q.Cyborg().DeviceProfiles() {
				if only == nil || p == only {
					rows = append(rows, profileRow{
						UUID: p.UUID, Name: p.Name, Description: p.Description, Groups: filled(p.Groups),
						Flavors: filled(flavors[p.Name]), ARQs: arqs[p.Name], Created: moment(p.Created),
					})
				}
			}
			slices.SortFunc(rows, func(a, b profileRow) int { return cmp.Compare(a.Name, b.Name) })
			return list(q, "device profiles", profileColumns(), rows)
		},
	}
}

func profileColumns() []column[profileRow] {
	return []column[profileRow]{
		text("name", func(r profileRow) string { return r.Name }),
		text("groups", func(r profileRow) string { return profileGroups(r.Groups) }),
		text("flavors", func(r profileRow) string { return join(r.Flavors) }),
		number("arq_count", func(r profileRow) int64 { return int64(r.ARQs) }),
		dim(text("uuid", func(r profileRow) string { return r.UUID.String() })),
		wide(text("description", func(r profileRow) string { return r.Description })),
		wide(text("created_at", func(r profileRow) string { return stamp(r.Created) })),
	}
}

// profileGroups writes the groups of a device profile for one cell, as
// "resources:VGPU=1,trait:CUSTOM_A=required" each.
func profileGroups(groups []map[string]string) string {
	var out []string
	for _, g := range groups {
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(g)) {
			parts = append(parts, k+"="+g[k])
		}
		out = append(out, strings.Join(parts, ","))
	}
	return strings.Join(out, " + ")
}

// arqRow is an accelerator request as it is printed.
type arqRow struct {
	UUID         uuid.UUID       `json:"uuid"`
	State        cyborg.ARQState `json:"state"`
	Profile      string          `json:"device_profile_name"`
	Group        int64           `json:"device_profile_group_id"`
	Hostname     string          `json:"hostname"`
	Provider     *uuid.UUID      `json:"device_rp_uuid"`
	ProviderName string          `json:"resource_provider"` // "" where Placement has none
	Instance     *uuid.UUID      `json:"instance_uuid"`     // or the migration that holds it for one
	InstanceName string          `json:"instance_name"`
	AttachHandle *uuid.UUID      `json:"attach_handle_uuid"`
	Project      string          `json:"project_id"`
	Fault        string          `json:"fault"` // why it could not be bound
	Created      *time.Time      `json:"created_at,omitempty"`
}

func arqsKind() kind {
	return kind{
		name: "arqs", aliases: []string{"arq"},
		short:   "Accelerator requests: what instances want of Cyborg, and got",
		what:    "the uuid of an accelerator request",
		filters: []string{byHost, byProject, byLimit},
		names:   arqIDs,
		print: func(q query) error {
			var only *cyborg.ARQ
			if q.name != "" {
				var err error
				if only, err = q.arq(q.name); err != nil {
					return err
				}
			}
			var rows []arqRow
			for a := range q.Cyborg().ARQs() {
				if (only == nil || a == only) && (q.by.host == "" || a.Hostname == q.by.host) && (q.by.project == "" || a.Project == q.by.project) {
					rows = append(rows, newARQRow(q.finder, a))
				}
			}
			return list(q, "accelerator requests", arqColumns(), rows)
		},
	}
}

func newARQRow(f finder, a *cyborg.ARQ) arqRow {
	r := arqRow{
		UUID: a.UUID, State: a.State, Profile: a.Profile, Group: a.Group, Hostname: a.Hostname,
		Provider: given(uuid.UUID(a.Provider)), Instance: given(uuid.UUID(a.Instance)), AttachHandle: given(a.AttachHandle),
		Project: a.Project, Fault: a.Fault, Created: moment(a.Created),
	}
	if rp, ok := f.Placement().Provider(a.Provider); ok {
		r.ProviderName = rp.Name()
	}
	owner := a.Instance
	if m, ok := f.Nova().Migration(a.Instance); ok {
		owner = m.Instance
	}
	r.InstanceName = f.consumerName(owner)
	return r
}

// given returns id, nil where it is the zero one.
func given(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// idText writes an id for one cell, "" where there is none.
func idText(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

func arqColumns() []column[arqRow] {
	return []column[arqRow]{
		text("state", func(r arqRow) string { return string(r.State) }),
		text("device_profile_name", func(r arqRow) string { return r.Profile }),
		number("device_profile_group_id", func(r arqRow) int64 { return r.Group }),
		text("instance_name", func(r arqRow) string { return r.InstanceName }),
		text("hostname", func(r arqRow) string { return r.Hostname }),
		text("resource_provider", func(r arqRow) string { return r.ProviderName }),
		dim(text("uuid", func(r arqRow) string { return r.UUID.String() })),
		wide(text("project_id", func(r arqRow) string { return r.Project })),
		wide(dim(text("device_rp_uuid", func(r arqRow) string { return idText(r.Provider) }))),
		wide(dim(text("instance_uuid", func(r arqRow) string { return idText(r.Instance) }))),
		wide(dim(text("attach_handle_uuid", func(r arqRow) string { return idText(r.AttachHandle) }))),
		wide(text("created_at", func(r arqRow) string { return stamp(r.Created) })),
		wide(text("fault", func(r arqRow) string { return r.Fault })),
	}
}
