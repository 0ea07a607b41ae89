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
	TaskState nova.TaskState                    `json:"task_state"`
	OldFlavor string                            `json:"old_flavor"` // while a resize is under way
	NewFlavor string                            `json:"new_flavor"` // while a resize is under way
	Zone      string                            `json:"availability_zone"`
	Volume    bool                              `json:"boot_from_volume"`
	Fault     string                            `json:"fault"`
	Resources map[placement.ResourceClass]int64 `json:"resources"` // what it holds, over all providers
	Created   *time.Time                        `json:"created_at,omitempty"`
	Deleted   *time.Time                        `json:"deleted_at,omitempty"`

	sum string
}

func instancesKind() kind {
	return kind{
		name: "instances", aliases: []string{"instance", "server", "i"},
		short:   "Instances: what Nova's ledger says that consumers are",
		what:    "the name or the uuid of an instance",
		filters: []string{byProject, byHost, byAll, byLimit},
		names:   instanceNames,
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
				picked := only == i
				if only == nil {
					picked = (i.Live() || q.by.all) && (q.by.project == "" || i.Project == q.by.project) && (q.by.host == "" || i.Host == q.by.host)
				}
				if picked {
					rows = append(rows, newInstanceRow(q.finder, i))
				}
			}
			return list(q, "instances", instanceColumns(), rows)
		},
	}
}

func newInstanceRow(f finder, i *nova.Instance) instanceRow {
	r := instanceRow{
		UUID: i.UUID, Name: i.Name, Project: i.Project, User: i.User, Host: i.Host, Flavor: i.Flavor,
		VMState: i.VMState, TaskState: i.TaskState, OldFlavor: i.OldFlavor, NewFlavor: i.NewFlavor, Zone: i.Zone,
		Volume: i.BootFromVolume, Fault: i.Fault, Resources: f.held(i.UUID),
		Created: known(i.CreatedAt()), Deleted: moment(i.Deleted),
	}
	r.sum = amounts(f, r.Resources)
	return r
}

func instanceColumns() []column[instanceRow] {
	return []column[instanceRow]{
		text("name", func(r instanceRow) string { return r.Name }),
		text("host", func(r instanceRow) string { return r.Host }),
		text("flavor", func(r instanceRow) string { return nova.FlavorName(r.Flavor) }),
		text("vm_state", func(r instanceRow) string { return string(r.VMState) }),
		text("resources", func(r instanceRow) string { return r.sum }),
		dim(text("uuid", func(r instanceRow) string { return r.UUID.String() })),
		wide(text("task_state", func(r instanceRow) string { return string(r.TaskState) })),
		wide(text("availability_zone", func(r instanceRow) string { return r.Zone })),
		wide(text("project_id", func(r instanceRow) string { return r.Project })),
		wide(text("user_id", func(r instanceRow) string { return r.User })),
		wide(text("created_at", func(r instanceRow) string { return stamp(r.Created) })),
		wide(text("fault", func(r instanceRow) string { return r.Fault })),
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
	OldFlavor    string                            `json:"old_flavor"`
	NewFlavor    string                            `json:"new_flavor"`
	OldState     nova.VMState                      `json:"old_vm_state"` // of the instance, to go back to
	Fault        string                            `json:"fault"`        // why it failed, or what holds it up
	Resources    map[placement.ResourceClass]int64 `json:"resources"`    // the old claim that it holds
	Created      *time.Time                        `json:"created_at,omitempty"`
	Updated      *time.Time                        `json:"updated_at,omitempty"`
	Deadline     *time.Time                        `json:"revert_at,omitempty"` // unless it is confirmed before
	Overdue      bool                              `json:"overdue"`             // that time is over, and nobody has reverted it

	sum string
}

func migrationsKind() kind {
	return kind{
		name: "migrations", aliases: []string{"migration", "m"},
		short:   "Migrations: which instances are on the move, and the old claims that they hold",
		what:    "the uuid of a migration",
		filters: []string{byHost, byLimit},
		names:   migrationIDs,
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
				if (only == nil || m == only) && (q.by.host == "" || m.Source == q.by.host || m.Dest == q.by.host) {
					rows = append(rows, newMigrationRow(q.finder, m, q.now))
				}
			}
			return list(q, "migrations", migrationColumns(), rows)
		},
	}
}

func newMigrationRow(f finder, m *nova.Migration, now time.Time) migrationRow {
	r := migrationRow{
		UUID: m.UUID, Instance: m.Instance, InstanceName: f.consumerName(m.Instance), Type: m.Type,
		Status: m.Status, Source: m.Source, Dest: m.Dest, OldFlavor: m.OldFlavor, NewFlavor: m.NewFlavor,
		OldState: m.OldState, Fault: m.Fault, Resources: f.held(m.UUID),
		Created: known(m.CreatedAt()), Updated: moment(m.Updated), Deadline: moment(m.Deadline),
	}
	r.sum, r.Overdue = amounts(f, r.Resources), m.Overdue(now)
	return r
}

// reverts says when the migration is reverted unless it is confirmed before, "" for
// never.
func (r migrationRow) reverts() string {
	if r.Overdue {
		return "overdue since " + stamp(r.Deadline)
	}
	return stamp(r.Deadline)
}

func migrationColumns() []column[migrationRow] {
	return []column[migrationRow]{
		text("instance_name", func(r migrationRow) string { return r.InstanceName }),
		text("migration_type", func(r migrationRow) string { return string(r.Type) }),
		text("status", func(r migrationRow) string { return string(r.Status) }),
		text("source_compute", func(r migrationRow) string { return r.Source }),
		text("dest_compute", func(r migrationRow) string { return r.Dest }),
		text("resources", func(r migrationRow) string { return r.sum }),
		dim(text("uuid", func(r migrationRow) string { return r.UUID.String() })),
		wide(text("old_flavor", func(r migrationRow) string { return nova.FlavorName(r.OldFlavor) })),
		wide(text("new_flavor", func(r migrationRow) string { return nova.FlavorName(r.NewFlavor) })),
		wide(dim(text("instance_uuid", func(r migrationRow) string { return r.Instance.String() }))),
		wide(text("created_at", func(r migrationRow) string { return stamp(r.Created) })),
		wide(text("updated_at", func(r migrationRow) string { return stamp(r.Updated) })),
		wide(text("reverts", migrationRow.reverts)),
		wide(text("fault", func(r migrationRow) string { return r.Fault })),
	}
}

// join writes names for one cell.
func join(names []string) string { return strings.Join(names, ",") }
