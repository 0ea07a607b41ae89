package objects

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// MigrationType is the reason of a migration.
type MigrationType string

// The types of migrations.
const (
	ColdMigration MigrationType = "migration"
	Resize        MigrationType = "resize"
	LiveMigration MigrationType = "live-migration"
	Evacuation    MigrationType = "evacuation"
)

// Migration is an instance on the move.
//
// Source: nova/objects/migration.py.
type Migration struct {
	object.Header
	object.Persistent
	ID                object.Field[int64]
	UUID              object.Field[uuid.UUID]
	SourceCompute     object.Field[string]
	DestCompute       object.Field[string]
	SourceNode        object.Field[string]
	DestNode          object.Field[string]
	DestComputeID     object.Field[int64]
	DestHost          object.Field[string] // address
	OldInstanceTypeID object.Field[int64]
	NewInstanceTypeID object.Field[int64]
	InstanceUUID      object.Field[string]
	Status            object.Field[string]
	MigrationType     object.Field[MigrationType]
	Hidden            object.Field[bool]
	MemoryTotal       object.Field[int64] // bytes, as all six
	MemoryProcessed   object.Field[int64]
	MemoryRemaining   object.Field[int64]
	DiskTotal         object.Field[int64]
	DiskProcessed     object.Field[int64]
	DiskRemaining     object.Field[int64]
	CrossCellMove     object.Field[bool]
	UserID            object.Field[string]
	ProjectID         object.Field[string]
}

// NewMigration returns a Migration with nothing set. It loads by itself what an
// older writer did not send: the type from the flavors, false for hidden and
// cross_cell_move.
func NewMigration() *Migration {
	m := new(Migration)
	m.Bind("Migration", m.Members(
		m.ID.As("id", object.Integer{}),
		m.UUID.As("uuid", object.UUID{}),
		m.SourceCompute.As("source_compute", object.String{}, object.Nullable),
		m.DestCompute.As("dest_compute", object.String{}, object.Nullable),
		m.SourceNode.As("source_node", object.String{}, object.Nullable),
		m.DestNode.As("dest_node", object.String{}, object.Nullable),
		m.DestComputeID.As("dest_compute_id", object.Integer{}, object.Nullable),
		m.DestHost.As("dest_host", object.String{}, object.Nullable),
		m.OldInstanceTypeID.As("old_instance_type_id", object.Integer{}, object.Nullable),
		m.NewInstanceTypeID.As("new_instance_type_id", object.Integer{}, object.Nullable),
		m.InstanceUUID.As("instance_uuid", object.String{}, object.Nullable),
		m.Status.As("status", object.String{}, object.Nullable),
		m.MigrationType.As("migration_type", object.OneOf(ColdMigration, Resize, LiveMigration, Evacuation)),
		m.Hidden.AsDefault("hidden", object.Boolean{}, false),
		m.MemoryTotal.As("memory_total", object.Integer{}, object.Nullable),
		m.MemoryProcessed.As("memory_processed", object.Integer{}, object.Nullable),
		m.MemoryRemaining.As("memory_remaining", object.Integer{}, object.Nullable),
		m.DiskTotal.As("disk_total", object.Integer{}, object.Nullable),
		m.DiskProcessed.As("disk_processed", object.Integer{}, object.Nullable),
		m.DiskRemaining.As("disk_remaining", object.Integer{}, object.Nullable),
		m.CrossCellMove.AsDefault("cross_cell_move", object.Boolean{}, false),
		m.UserID.As("user_id", object.String{}, object.Nullable),
		m.ProjectID.As("project_id", object.String{}, object.Nullable),
	)...)
	return m
}

// Type returns the type of the migration; where an older writer did not say it, what its
// flavors make of it.
//
// Source: nova/objects/migration.py, determine_migration_type.
func (m *Migration) Type() MigrationType {
	if said, ok := m.MigrationType.Lookup(); ok {
		return said
	}
	before, hadBefore := m.OldInstanceTypeID.Lookup()
	after, hasAfter := m.NewInstanceTypeID.Lookup()
	if hadBefore != hasAfter || before != after {
		return Resize
	}
	return ColdMigration
}

// MigrationList is a list of migrations.
type MigrationList struct{ object.Sequence[*Migration] }

// MigrationContext is what an instance on the move holds at both ends.
//
// Source: nova/objects/migration_context.py.
type MigrationContext struct {
	object.Header
	object.Persistent
	InstanceUUID    object.Field[uuid.UUID]
	MigrationID     object.Field[int64]
	NewNUMATopology object.Field[*InstanceNUMATopology]
	OldNUMATopology object.Field[*InstanceNUMATopology]
	NewPciDevices   object.Field[*PciDeviceList]
	OldPciDevices   object.Field[*PciDeviceList]
	NewPciRequests  object.Field[*InstancePCIRequests]
	OldPciRequests  object.Field[*InstancePCIRequests]
	NewResources    object.Field[*ResourceList]
	OldResources    object.Field[*ResourceList]
}

// NewMigrationContext returns a MigrationContext with nothing set.
func NewMigrationContext() *MigrationContext {
	m := new(MigrationContext)
	topology, devices := one[*InstanceNUMATopology]("InstanceNUMATopology"), one[*PciDeviceList]("PciDeviceList")
	requests, resources := one[*InstancePCIRequests]("InstancePCIRequests"), one[*ResourceList]("ResourceList")
	m.Bind("MigrationContext", m.Members(
		m.InstanceUUID.As("instance_uuid", object.UUID{}),
		m.MigrationID.As("migration_id", object.Integer{}),
		m.NewNUMATopology.As("new_numa_topology", topology, object.Nullable),
		m.OldNUMATopology.As("old_numa_topology", topology, object.Nullable),
		m.NewPciDevices.As("new_pci_devices", devices, object.Nullable),
		m.OldPciDevices.As("old_pci_devices", devices, object.Nullable),
		m.NewPciRequests.As("new_pci_requests", requests, object.Nullable),
		m.OldPciRequests.As("old_pci_requests", requests, object.Nullable),
		m.NewResources.As("new_resources", resources, object.Nullable),
		m.OldResources.As("old_resources", resources, object.Nullable),
	)...)
	return m
}

func migrationClasses() []object.Class {
	return []object.Class{
		class(NewMigration, "Migration", 1,
			first(),
			unicode(),
			adds("migration_type", "hidden"),
			why("added get_by_id_and_instance"),
			adds("memory_total", "memory_processed", "memory_remaining", "disk_total", "disk_processed", "disk_remaining"),
			adds("uuid"),
			adds("cross_cell_move"),
			adds("user_id", "project_id"),
			adds("dest_compute_id"),
		),
		list[*MigrationList]("Migration", 1,
			pins("Migration", "1.1"),
			why("added use_slave to get_unconfirmed_by_dest_compute"),
			pins("Migration", "1.2"),
			why("added get_in_progress_by_instance"),
			why("added pages to get_by_filters"),
			why("added get_in_progress_and_error"),
		),
		class(NewMigrationContext, "MigrationContext", 1,
			first(),
			adds("new_pci_devices", "old_pci_devices", "new_pci_requests", "old_pci_requests"),
			adds("new_resources", "old_resources"),
		),
	}
}
