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

// Migration is a move of an instance from one host to another, or to another flavor.
//
// Source: nova/objects/migration.py.
type Migration struct {
	object.Header
	object.Persistent
	ID                object.Field[int64]         `field:"id"`
	UUID              object.Field[uuid.UUID]     `field:"uuid"`
	SourceCompute     object.Field[string]        `field:"source_compute,null"`
	DestCompute       object.Field[string]        `field:"dest_compute,null"`
	SourceNode        object.Field[string]        `field:"source_node,null"`
	DestNode          object.Field[string]        `field:"dest_node,null"`
	DestComputeID     object.Field[int64]         `field:"dest_compute_id,null"`
	DestHost          object.Field[string]        `field:"dest_host,null"` // address
	OldInstanceTypeID object.Field[int64]         `field:"old_instance_type_id,null"`
	NewInstanceTypeID object.Field[int64]         `field:"new_instance_type_id,null"`
	InstanceUUID      object.Field[string]        `field:"instance_uuid,null"`
	Status            object.Field[string]        `field:"status,null"`
	MigrationType     object.Field[MigrationType] `field:"migration_type"`
	Hidden            object.Field[bool]          `field:"hidden,default=false"`
	MemoryTotal       object.Field[int64]         `field:"memory_total,null"` // bytes, as all six
	MemoryProcessed   object.Field[int64]         `field:"memory_processed,null"`
	MemoryRemaining   object.Field[int64]         `field:"memory_remaining,null"`
	DiskTotal         object.Field[int64]         `field:"disk_total,null"`
	DiskProcessed     object.Field[int64]         `field:"disk_processed,null"`
	DiskRemaining     object.Field[int64]         `field:"disk_remaining,null"`
	CrossCellMove     object.Field[bool]          `field:"cross_cell_move,default=false"`
	UserID            object.Field[string]        `field:"user_id,null"`
	ProjectID         object.Field[string]        `field:"project_id,null"`
}

// NewMigration returns a Migration with nothing set. It fills in what an older writer
// did not send: the type from the flavors, false for hidden and cross_cell_move.
func NewMigration() *Migration {
	m := new(Migration)
	m.MigrationType.Of(object.OneOf(ColdMigration, Resize, LiveMigration, Evacuation))
	return object.Bind(m, "Migration")
}

// Type returns the type of the migration; if an older writer did not set it, the type
// follows from the flavors.
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

// MigrationContext is what an instance holds at both ends while it moves.
//
// Source: nova/objects/migration_context.py.
type MigrationContext struct {
	object.Header
	object.Persistent
	InstanceUUID    object.Field[uuid.UUID]             `field:"instance_uuid"`
	MigrationID     object.Field[int64]                 `field:"migration_id"`
	NewNUMATopology object.Field[*InstanceNUMATopology] `field:"new_numa_topology,null"`
	OldNUMATopology object.Field[*InstanceNUMATopology] `field:"old_numa_topology,null"`
	NewPciDevices   object.Field[*PciDeviceList]        `field:"new_pci_devices,null"`
	OldPciDevices   object.Field[*PciDeviceList]        `field:"old_pci_devices,null"`
	NewPciRequests  object.Field[*InstancePCIRequests]  `field:"new_pci_requests,null"`
	OldPciRequests  object.Field[*InstancePCIRequests]  `field:"old_pci_requests,null"`
	NewResources    object.Field[*ResourceList]         `field:"new_resources,null"`
	OldResources    object.Field[*ResourceList]         `field:"old_resources,null"`
}

//nolint:gochecknoglobals // tables that nothing writes
var (
	migrationHistory = []object.Note{
		first(),
		unicode(),
		adds("migration_type", "hidden"),
		why("added get_by_id_and_instance"),
		adds("memory_total", "memory_processed", "memory_remaining", "disk_total", "disk_processed", "disk_remaining"),
		adds("uuid"),
		adds("cross_cell_move"),
		adds("user_id", "project_id"),
		adds("dest_compute_id"),
	}
	migrationListHistory = []object.Note{
		pins("Migration", "1.1"),
		why("added use_slave to get_unconfirmed_by_dest_compute"),
		pins("Migration", "1.2"),
		why("added get_in_progress_by_instance"),
		why("added pages to get_by_filters"),
		why("added get_in_progress_and_error"),
	}
	migrationContextHistory = []object.Note{
		first(),
		adds("new_pci_devices", "old_pci_devices", "new_pci_requests", "old_pci_requests"),
		adds("new_resources", "old_resources"),
	}
)

func migrationClasses() []object.Class {
	return []object.Class{
		class(NewMigration, "Migration", 1, migrationHistory...),
		list[*MigrationList](1, migrationListHistory...),
		plain[*MigrationContext](1, migrationContextHistory...),
	}
}
