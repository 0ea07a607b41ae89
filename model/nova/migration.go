package nova

import (
	"cmp"
	"slices"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// KindMigration is the kind of Migration.
const KindMigration versioned.Kind = "migration"

// Migration is the record of an instance on the move. While it is in progress its uuid is
// the consumer that holds the old claim.
//
// Source: nova/objects/migration.py.
type Migration struct {
	UUID     placement.ConsumerID `json:"uuid" cbor:"1,keyasint"`
	Instance placement.ConsumerID `json:"instance_uuid" cbor:"2,keyasint"`
	Type     MigrationType        `json:"migration_type" cbor:"3,keyasint"`
	Status   MigrationStatus      `json:"status" cbor:"4,keyasint"`
	Source   string               `json:"source_compute" cbor:"5,keyasint"`
	Dest     string               `json:"dest_compute,omitempty" cbor:"6,keyasint,omitempty"`
	Created  int64                `json:"created_at_ms,omitempty" cbor:"7,keyasint,omitempty"`

	OldFlavor string  `json:"old_flavor,omitempty" cbor:"8,keyasint,omitempty"` // ref
	NewFlavor string  `json:"new_flavor,omitempty" cbor:"9,keyasint,omitempty"` // ref
	Updated   int64   `json:"updated_at_ms,omitempty" cbor:"10,keyasint,omitempty"`
	Fault     string  `json:"fault,omitempty" cbor:"11,keyasint,omitempty"`        // why it failed, or what holds it up
	OldState  VMState `json:"old_vm_state,omitempty" cbor:"12,keyasint,omitempty"` // of the instance, to go back to
	Deadline  int64   `json:"revert_at_ms,omitempty" cbor:"13,keyasint,omitempty"` // when it is reverted unless confirmed; 0 for never
	// Mappings are those of the old claim; see Instance.Mappings.
	Mappings map[string][]placement.ProviderID `json:"mappings,omitempty" cbor:"14,keyasint,omitempty"`
	// Requested is where it was asked to go; nil for the first candidate elsewhere.
	Requested *Destination `json:"requested_destination,omitempty" cbor:"15,keyasint,omitempty"`
	// RevertAfter is how long it waits to be confirmed, in milliseconds, before it is
	// due to be reverted; 0 for ever. Deadline is set by it once the instance is moved.
	RevertAfter int64       `json:"revert_after_ms,omitempty" cbor:"16,keyasint,omitempty"`
	Kept        ExtraFields `json:"kept,omitempty" cbor:"30,keyasint,omitempty"` // of objects, beyond these columns
}

// MigrationType is the reason of a migration.
type MigrationType string

// The types.
const (
	ColdMigration MigrationType = "migration"
	Resize        MigrationType = "resize"
	LiveMigration MigrationType = "live-migration"
	Evacuation    MigrationType = "evacuation"
)

// MigrationStatus is how far a migration is.
//
// Source: nova/objects/migration.py and nova/compute/manager.py.
type MigrationStatus string

// The statuses.
const (
	PreMigrating  MigrationStatus = "pre-migrating"
	Migrating     MigrationStatus = "migrating"
	PostMigrating MigrationStatus = "post-migrating"
	Finished      MigrationStatus = "finished"
	Confirming    MigrationStatus = "confirming"
	Confirmed     MigrationStatus = "confirmed"
	Reverting     MigrationStatus = "reverting"
	Reverted      MigrationStatus = "reverted"
	Error         MigrationStatus = "error"
	Failed        MigrationStatus = "failed"
	Completed     MigrationStatus = "completed"
	Done          MigrationStatus = "done"
	Accepted      MigrationStatus = "accepted"
	Cancelled     MigrationStatus = "cancelled"

	// Of live migrations, before they come to PostMigrating.
	Queued    MigrationStatus = "queued"
	Preparing MigrationStatus = "preparing"
	Running   MigrationStatus = "running"
)

// HoldsClaim reports whether a migration of this status rightly holds the old
// claim of its instance.
func (s MigrationStatus) HoldsClaim() bool { return s.UnderWay() || s == Error }

// UnderWay reports whether a migration of this status is in progress: its claims are
// moving, or wait for a decision. As for Nova, that is each status which does not say that
// it is over, so that one which is not known here counts, too. A live migration is
// accepted when its uuid already holds the claim on the source.
//
// Source: nova/db/main/api.py, migration_get_in_progress_by_host_and_node;
// nova/conductor/tasks/live_migrate.py.
func (s MigrationStatus) UnderWay() bool {
	switch s {
	case Confirmed, Reverted, Error, Failed, Completed, Cancelled, Done:
		return false
	default:
		return true
	}
}

// HoldingStatuses returns the statuses of migrations that may rightly hold something.
func HoldingStatuses() []MigrationStatus {
	return []MigrationStatus{Accepted, Queued, Preparing, PreMigrating, Running, Migrating, PostMigrating, Finished, Confirming, Reverting, Error, Done}
}

// Evacuating reports whether m is an unfinished evacuation: in progress, or done and not
// yet vacated.
func (m *Migration) Evacuating() bool {
	return m.Type == Evacuation && (m.Status.UnderWay() || m.Status == Done)
}

// ToVacate reports whether m is an evacuation that is done while the claim on the old
// host stays: the host may still run the guest.
//
// Source: nova/compute/manager.py, _destroy_evacuated_instances.
func (m *Migration) ToVacate() bool { return m.Type == Evacuation && m.Status == Done }

// Waits reports whether a migration of this status waits to be confirmed or
// reverted.
func (s MigrationStatus) Waits() bool { return s == Finished }

// RecordKind implements versioned.Record.
func (*Migration) RecordKind() versioned.Kind { return KindMigration }

// RecordKey implements versioned.Record.
func (m *Migration) RecordKey() []byte { return slices.Clone(m.UUID[:]) }

// Validate implements ledger.Row: a migration has a uuid and that of an instance.
func (m *Migration) Validate() error {
	if m.UUID.IsZero() || m.Instance.IsZero() {
		return placement.Invalid("migration", m.UUID.String(), "needs a uuid and an instance_uuid")
	}
	return nil
}

// Edit returns a copy of m as edit leaves it.
func (m *Migration) Edit(edit func(*Migration)) *Migration { return versioned.Edited(m, edit) }

// RevertWait returns how long the migration waits to be confirmed before it is due to
// be reverted; 0 for ever.
func (m *Migration) RevertWait() time.Duration {
	return time.Duration(m.RevertAfter) * time.Millisecond
}

// Way names the hosts of m: "cmp-1 > cmp-2".
func (m *Migration) Way() string { return way(m.Source, m.Dest) }

// FlavorWay names the flavors of m, "" if they are the same or unknown.
func (m *Migration) FlavorWay() string {
	if m.OldFlavor == m.NewFlavor {
		return ""
	}
	return way(FlavorNames(m.OldFlavor, m.NewFlavor))
}

func way(from, to string) string { return cmp.Or(from, "?") + " > " + cmp.Or(to, "?") }

// RevertAt returns when the migration is reverted unless it is confirmed before;
// the zero time for never.
func (m *Migration) RevertAt() time.Time { return versioned.Time(m.Deadline) }

// Overdue reports whether the migration is still waiting at now though its time to be
// confirmed is over.
func (m *Migration) Overdue(now time.Time) bool {
	return m.Status == Finished && m.Deadline != 0 && m.Deadline <= now.UnixMilli()
}
