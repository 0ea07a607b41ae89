// Package nova is Nova's ledger: the instances that consume what Placement
// counts, and the migrations that hold their old claims.
//
// Placement knows a consumer by its uuid only. What the uuid means, and whether
// it still means anything, is written here: an allocation whose consumer is
// neither a live instance nor a migration under way is an orphan or a leak.
//
// The package is pure, like model/placement: a Snapshot is immutable and Apply
// makes the next one.
package nova

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tidwall/btree"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The kinds of Nova's records.
const (
	KindInstance  versioned.Kind = "instance"
	KindMigration versioned.Kind = "migration"
)

// Instance is a server that Nova runs. Its uuid is that of the consumer that
// holds its allocations.
//
// Source: nova/objects/instance.py.
type Instance struct {
	UUID    placement.ConsumerID `json:"uuid" cbor:"1,keyasint"`
	Name    string               `json:"display_name" cbor:"2,keyasint"`
	Project string               `json:"project_id" cbor:"3,keyasint"`
	User    string               `json:"user_id" cbor:"4,keyasint"`
	Host    string               `json:"host,omitempty" cbor:"5,keyasint,omitempty"` // empty while being scheduled
	Flavor  string               `json:"flavor" cbor:"6,keyasint"`                   // name of the flavor
	VMState VMState              `json:"vm_state" cbor:"7,keyasint"`
	Created int64                `json:"created_at_ms,omitempty" cbor:"8,keyasint,omitempty"`
}

// VMState is what an instance is, apart from what is being done to it.
//
// Source: nova/compute/vm_states.py.
type VMState string

// The states that this program sets.
const (
	Active  VMState = "active"
	Resized VMState = "resized" // waits for confirm or revert
	Deleted VMState = "deleted"
)

// Migration is the record of an instance on the move. While it is under way its
// uuid is the consumer that holds the old claim.
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
)

// HoldsClaim reports whether a migration of this status rightly holds the old
// claim of its instance.
func (s MigrationStatus) HoldsClaim() bool {
	switch s {
	case PreMigrating, Migrating, PostMigrating, Finished, Confirming, Reverting, Error:
		return true
	default:
		return false
	}
}

// RecordKind implements versioned.Record.
func (*Instance) RecordKind() versioned.Kind { return KindInstance }

// RecordKey implements versioned.Record.
func (i *Instance) RecordKey() []byte { return append([]byte(nil), i.UUID[:]...) }

// RecordKind implements versioned.Record.
func (*Migration) RecordKind() versioned.Kind { return KindMigration }

// RecordKey implements versioned.Record.
func (m *Migration) RecordKey() []byte { return append([]byte(nil), m.UUID[:]...) }

// Schemas returns how Nova's records are written and read.
func Schemas() []versioned.Schema {
	v1 := versioned.Version{Major: 1}
	note := func(why string) []versioned.Note {
		return []versioned.Note{{Version: v1, Date: "2026-11-20", Why: why}}
	}
	return []versioned.Schema{
		{Kind: KindInstance, Version: v1, New: func() versioned.Record { return new(Instance) }, History: note("who a consumer is")},
		{Kind: KindMigration, Version: v1, New: func() versioned.Record { return new(Migration) }, History: note("who holds an old claim")},
	}
}

// Snapshot is Nova's whole ledger as an immutable value.
type Snapshot struct {
	fork       sync.Mutex // Copy marks the original, which must not happen twice at once
	instances  *btree.Map[string, *Instance]
	migrations *btree.Map[string, *Migration]
}

// Empty returns a ledger without instances.
func Empty() *Snapshot {
	return &Snapshot{instances: btree.NewMap[string, *Instance](0), migrations: btree.NewMap[string, *Migration](0)}
}

// Instance returns the instance with the given uuid. It must not be changed.
func (s *Snapshot) Instance(id placement.ConsumerID) (*Instance, bool) {
	return s.instances.Get(string(id[:]))
}

// Migration returns the migration with the given uuid. It must not be changed.
func (s *Snapshot) Migration(id placement.ConsumerID) (*Migration, bool) {
	return s.migrations.Get(string(id[:]))
}

// Instances yields all instances by uuid.
func (s *Snapshot) Instances() iter.Seq[*Instance] {
	return func(yield func(*Instance) bool) {
		s.instances.Scan(func(_ string, i *Instance) bool { return yield(i) })
	}
}

// Migrations yields all migrations by uuid.
func (s *Snapshot) Migrations() iter.Seq[*Migration] {
	return func(yield func(*Migration) bool) {
		s.migrations.Scan(func(_ string, m *Migration) bool { return yield(m) })
	}
}

// InstanceCount returns how many instances there are.
func (s *Snapshot) InstanceCount() int { return s.instances.Len() }

// Records yields the whole ledger as records, in the order of Schemas, by uuid.
func (s *Snapshot) Records() iter.Seq[versioned.Record] {
	return func(yield func(versioned.Record) bool) {
		for i := range s.Instances() {
			if !yield(i) {
				return
			}
		}
		for m := range s.Migrations() {
			if !yield(m) {
				return
			}
		}
	}
}

// Change is what to write: records, each guarded by the record that it replaces.
type Change struct {
	Records []versioned.Change
}

// Empty reports whether c has nothing to do.
func (c Change) Empty() bool { return len(c.Records) == 0 }

// Put adds to c that r shall stand in the ledger in place of what s holds under
// its key.
func (c *Change) Put(s *Snapshot, r versioned.Record) {
	c.Records = append(c.Records, versioned.Change{Before: s.record(r), After: r})
}

// Delete adds to c that the record which s holds under the key of r shall go. It
// does nothing where s holds none.
func (c *Change) Delete(s *Snapshot, r versioned.Record) {
	if now := s.record(r); now != nil {
		c.Records = append(c.Records, versioned.Change{Before: now})
	}
}

// record returns what s holds under the key of r, nil where it holds nothing.
func (s *Snapshot) record(r versioned.Record) versioned.Record {
	switch r := r.(type) {
	case *Instance:
		if i, ok := s.Instance(r.UUID); ok {
			return i
		}
	case *Migration:
		if m, ok := s.Migration(r.UUID); ok {
			return m
		}
	}
	return nil
}

// Apply returns the Snapshot after c and the records that it changes, sorted by
// kind and key. A change that alters nothing returns s itself. Errors match
// placement.ErrConflict where a record is not as c found it, or
// placement.ErrInvalid.
func (s *Snapshot) Apply(c Change) (*Snapshot, []versioned.Change, error) {
	if c.Empty() {
		return s, nil, nil
	}
	next := s.copy()
	were := map[string]versioned.Change{} // by kind and key, as s has them
	for _, ch := range c.Records {
		if ch.Before == nil && ch.After == nil {
			return nil, nil, &placement.InvalidError{Field: "records", Why: "a change without a record before and after"}
		}
		now := next.record(some(ch))
		if !same(now, ch.Before) {
			return nil, nil, fmt.Errorf("%s is no longer as the change found it: %w", ch.Title(), placement.ErrConflict)
		}
		id := string(ch.Kind()) + " " + string(ch.Key())
		if _, seen := were[id]; !seen {
			were[id] = versioned.Change{Before: now, After: some(ch)}
		}
		if err := next.put(ch); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", ch.Title(), err)
		}
	}
	var done []versioned.Change
	for _, id := range slices.Sorted(maps.Keys(were)) { // "instance" is before "migration", as in Schemas
		was, is := were[id].Before, next.record(were[id].After)
		if !same(was, is) {
			done = append(done, versioned.Change{Before: was, After: is})
		}
	}
	if len(done) == 0 {
		return s, nil, nil
	}
	return next, done, nil
}

// copy returns a Snapshot that may be changed without s seeing it.
func (s *Snapshot) copy() *Snapshot {
	s.fork.Lock()
	defer s.fork.Unlock()
	return &Snapshot{instances: s.instances.Copy(), migrations: s.migrations.Copy()}
}

func some(c versioned.Change) versioned.Record {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// same reports whether two records are equal; nil is equal to nil.
func same(a, b versioned.Record) bool {
	switch a := a.(type) {
	case *Instance:
		b, ok := b.(*Instance)
		return ok && *a == *b
	case *Migration:
		b, ok := b.(*Migration)
		return ok && *a == *b
	}
	return a == nil && b == nil
}

// put does c without asking what is there. The ledger keeps copies of records.
func (s *Snapshot) put(c versioned.Change) error {
	key := string(c.Key())
	switch r := some(c).(type) {
	case *Instance:
		if c.After == nil {
			s.instances.Delete(key)
			return nil
		}
		if err := r.Validate(); err != nil {
			return err
		}
		own := *r
		s.instances.Set(key, &own)
	case *Migration:
		if c.After == nil {
			s.migrations.Delete(key)
			return nil
		}
		if err := r.Validate(); err != nil {
			return err
		}
		own := *r
		s.migrations.Set(key, &own)
	default:
		return &placement.InvalidError{Field: "records", Value: string(c.Kind()), Why: "no kind of Nova's records"}
	}
	return nil
}

// Validate returns an error that matches placement.ErrInvalid unless i has a
// uuid and a name, and all of its text is UTF-8, which records are made of.
func (i *Instance) Validate() error { return i.validate(isUTF8) }

func (i *Instance) validate(valid func(*string) bool) error {
	if i.UUID.IsZero() || i.Name == "" {
		return &placement.InvalidError{Field: "instance", Value: i.Name, Why: "needs a uuid and a display_name"}
	}
	if !isUTF8(&i.Name) || !valid(&i.Project) || !valid(&i.User) || !valid(&i.Host) || !valid(&i.Flavor) || !valid((*string)(&i.VMState)) {
		return &placement.InvalidError{Field: "instance", Value: i.UUID.String(), Why: "has text that is not valid UTF-8"}
	}
	return nil
}

// Validate returns an error that matches placement.ErrInvalid unless m has a
// uuid and that of an instance, and all of its text is UTF-8, which records are
// made of.
func (m *Migration) Validate() error { return m.validate(isUTF8) }

func (m *Migration) validate(valid func(*string) bool) error {
	if m.UUID.IsZero() || m.Instance.IsZero() {
		return &placement.InvalidError{Field: "migration", Value: m.UUID.String(), Why: "needs a uuid and an instance_uuid"}
	}
	if !valid((*string)(&m.Type)) || !valid((*string)(&m.Status)) || !valid(&m.Source) || !valid(&m.Dest) {
		return &placement.InvalidError{Field: "migration", Value: m.UUID.String(), Why: "has text that is not valid UTF-8"}
	}
	return nil
}

func isUTF8(s *string) bool { return utf8.ValidString(*s) }

// Load returns the ledger that consists of records, which may come in any order;
// it is fastest in the order of Snapshot.Records. The Snapshot shares no memory
// with the records but the text of their strings. Errors match
// placement.ErrInvalid or, where two records have the same uuid,
// placement.ErrConflict.
func Load(records []versioned.Record) (*Snapshot, error) {
	s := Empty()
	texts := texts{}
	for _, r := range records {
		var err error
		taken := false
		switch r := r.(type) {
		case *Instance:
			own := *r
			if err = own.validate(texts.share); err == nil {
				_, taken = s.instances.Load(string(own.UUID[:]), &own)
			}
		case *Migration:
			own := *r
			if err = own.validate(texts.share); err == nil {
				_, taken = s.migrations.Load(string(own.UUID[:]), &own)
			}
		default:
			return nil, &placement.InvalidError{Field: "records", Value: fmt.Sprintf("%T", r), Why: "no kind of Nova's records"}
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", versioned.Change{After: r}.Title(), err)
		case taken:
			return nil, fmt.Errorf("%s is there twice: %w", versioned.Change{After: r}.Title(), placement.ErrConflict)
		}
	}
	return s, nil
}

// texts gives equal texts one place in memory. All of them are UTF-8.
type texts map[string]string

// share makes *s the text that is equal to it, and reports whether it is UTF-8.
func (t texts) share(s *string) bool {
	one, ok := t[*s]
	if !ok {
		if !utf8.ValidString(*s) {
			return false
		}
		one = *s
		t[one] = one
	}
	*s = one
	return true
}

// CreatedAt returns when the instance was made; the zero time when unknown.
func (i *Instance) CreatedAt() time.Time { return milli(i.Created) }

// CreatedAt returns when the migration was started; the zero time when unknown.
func (m *Migration) CreatedAt() time.Time { return milli(m.Created) }

func milli(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
