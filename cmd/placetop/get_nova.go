package main

import (
	"strings"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// instanceRow is an instance as it is printed.
type instanceRow struct {
	UUID      placement.ConsumerID              `json:"uuid"`
	Name      string                            `json:"name"`
	Project   string                            `json:"project_id"`
	User      string                            `json:"user_id"`
	Host      string                            `json:"host"`
	Flavor    string                            `json:"flavor"`
	VMState   nova.VMState                      `json:"vm_state"`
	Resources map[placement.ResourceClass]int64 `json:"resources"` // what it holds, over all providers
	Created   *time.Time                        `json:"created_at,omitempty"`

	sum string
}

func instancesKind() kind {
	return kind{
		name: "instances", aliases: []string{"instance", "server", "i"},
		short:   "Instances: what Nova's ledger says that consumers are",
		what:    "the name or the uuid of an instance",
		filters: []string{byProject, byLimit},
		names: func(f finder) []string {
			var out []string
			for i := range f.Nova().Instances() {
				out = append(out, i.Name)
			}
			return out
		},
		print: func(q query) error {
			var only *nova.Instance
			if q.name != "" {
				var err error
				if only, err = q.instance(q.name); err != nil {
					return err
				}
			}
			var rows []instanceRow
			for i := range q.Nova().Instances() {
				if only != nil && i != only || q.by.project != "" && i.Project != q.by.project {
					continue
				}
				r := instanceRow{
					UUID: i.UUID, Name: i.Name, Project: i.Project, User: i.User, Host: i.Host, Flavor: i.Flavor,
					VMState: i.VMState, Resources: q.held(i.UUID), Created: known(i.CreatedAt()),
				}
				r.sum = amounts(q.finder, r.Resources)
				rows = append(rows, r)
			}
			return list(q, "instances", []column[instanceRow]{
				text("name", func(r instanceRow) string { return r.Name }),
				text("host", func(r instanceRow) string { return r.Host }),
				text("flavor", func(r instanceRow) string { return r.Flavor }),
				text("vm_state", func(r instanceRow) string { return string(r.VMState) }),
				text("resources", func(r instanceRow) string { return r.sum }),
				dim(text("uuid", func(r instanceRow) string { return r.UUID.String() })),
				wide(text("project_id", func(r instanceRow) string { return r.Project })),
				wide(text("user_id", func(r instanceRow) string { return r.User })),
				wide(text("created_at", func(r instanceRow) string { return stamp(r.Created) })),
			}, rows)
		},
	}
}

// held returns what a consumer holds by class, over all providers.
func (f finder) held(id placement.ConsumerID) map[placement.ResourceClass]int64 {
	out := map[placement.ResourceClass]int64{}
	if c, ok := f.Placement().Consumer(id); ok {
		for a := range f.Placement().Allocations(c) {
			out[f.Placement().ClassName(a.Class)] += a.Used
		}
	}
	return out
}

// migrationRow is a migration as it is printed.
type migrationRow struct {
	UUID         placement.ConsumerID              `json:"uuid"`
	Instance     placement.ConsumerID              `json:"instance_uuid"`
	InstanceName string                            `json:"instance_name,omitempty"`
	Type         nova.MigrationType                `json:"migration_type"`
	Status       nova.MigrationStatus              `json:"status"`
	Source       string                            `json:"source_compute"`
	Dest         string                            `json:"dest_compute"`
	Resources    map[placement.ResourceClass]int64 `json:"resources"` // the old claim that it holds
	Created      *time.Time                        `json:"created_at,omitempty"`

	sum string
}

func migrationsKind() kind {
	return kind{
		name: "migrations", aliases: []string{"migration", "m"},
		short:   "Migrations: which instances are on the move, and the old claims that they hold",
		what:    "the uuid of a migration",
		filters: []string{byLimit},
		print: func(q query) error {
			var only *nova.Migration
			if q.name != "" {
				var err error
				if only, err = q.migration(q.name); err != nil {
					return err
				}
			}
			var rows []migrationRow
			for m := range q.Nova().Migrations() {
				if only != nil && m != only {
					continue
				}
				r := migrationRow{
					UUID: m.UUID, Instance: m.Instance, InstanceName: q.consumerName(m.Instance), Type: m.Type,
					Status: m.Status, Source: m.Source, Dest: m.Dest, Resources: q.held(m.UUID), Created: known(m.CreatedAt()),
				}
				r.sum = amounts(q.finder, r.Resources)
				rows = append(rows, r)
			}
			return list(q, "migrations", []column[migrationRow]{
				text("instance_name", func(r migrationRow) string { return r.InstanceName }),
				text("migration_type", func(r migrationRow) string { return string(r.Type) }),
				text("status", func(r migrationRow) string { return string(r.Status) }),
				text("source_compute", func(r migrationRow) string { return r.Source }),
				text("dest_compute", func(r migrationRow) string { return r.Dest }),
				text("resources", func(r migrationRow) string { return r.sum }),
				dim(text("uuid", func(r migrationRow) string { return r.UUID.String() })),
				wide(dim(text("instance_uuid", func(r migrationRow) string { return r.Instance.String() }))),
				wide(text("created_at", func(r migrationRow) string { return stamp(r.Created) })),
			}, rows)
		},
	}
}

// join writes names for one cell.
func join(names []string) string { return strings.Join(names, ",") }
