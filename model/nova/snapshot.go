package nova

import (
	"fmt"
	"iter"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Change is what to write: records, each guarded by the record that it replaces.
type Change = ledger.Change

// Snapshot is Nova's whole ledger as an immutable value.
type Snapshot struct {
	rows *ledger.Ledger
}

// The names of the indexes.
const (
	byHost     = "host"
	byNode     = "node"
	byInstance = "instance"
	byName     = "name"
)

// layout is what Nova's ledger is made of. Records refer to kinds before theirs.
//
//nolint:gochecknoglobals // a table that nothing writes
var layout = ledger.NewLayout("Nova",
	kind(KindConfig, func() versioned.Record { return new(Config) }, "what the operator has set"),
	kind(KindCell, func() versioned.Record { return new(Cell) }, "which databases hold instances"),
	kind(KindService, func() versioned.Record { return new(Service) }, "who runs which version",
		ledger.Index{Name: byHost, Keys: func(r ledger.Row) []string { return text(r.(*Service).Host) }}),
	kind(KindAggregate, func() versioned.Record { return new(HostAggregate) }, "zones and tenants",
		ledger.Index{Name: byHost, Keys: func(r ledger.Row) []string { return r.(*HostAggregate).Hosts }}),
	kind(KindFlavor, func() versioned.Record { return new(Flavor) }, "what an instance asks for",
		ledger.Index{Name: byName, Keys: func(r ledger.Row) []string { return text(r.(*Flavor).Name) }}),
	kind(KindComputeNode, func() versioned.Record { return new(ComputeNode) }, "what a hypervisor has, in the old columns too",
		ledger.Index{Name: byHost, Keys: func(r ledger.Row) []string { return text(r.(*ComputeNode).Host) }}),
	kind(KindInstance, func() versioned.Record { return new(Instance) }, "who a consumer is",
		ledger.Index{Name: byHost, Keys: func(r ledger.Row) []string { return text(r.(*Instance).Host) }}),
	kind(KindPciDevice, func() versioned.Record { return new(PciDevice) }, "which devices are passed through",
		ledger.Index{Name: byNode, Keys: func(r ledger.Row) []string { return id(r.(*PciDevice).ComputeNode) }},
		ledger.Index{Name: byInstance, Keys: func(r ledger.Row) []string { return id(r.(*PciDevice).Instance) }}),
	kind(KindMigration, func() versioned.Record { return new(Migration) }, "who holds an old claim",
		ledger.Index{Name: byInstance, Keys: func(r ledger.Row) []string { return id(r.(*Migration).Instance) }},
		ledger.Index{Name: byHost, Keys: func(r ledger.Row) []string { return hostsOf(r.(*Migration)) }}),
)

func kind(name versioned.Kind, empty func() versioned.Record, why string, indexes ...ledger.Index) ledger.Kind {
	v1 := versioned.Version{Major: 1}
	return ledger.Kind{
		Schema:  versioned.Schema{Kind: name, Version: v1, New: empty, History: []versioned.Note{{Version: v1, Date: "2026-11-20", Why: why}}},
		Indexes: indexes,
	}
}

// text returns what a row is found by: s, or nothing where it is empty.
func text(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// id is text for uuids. The bytes of one may hold a zero, its text does not.
func id[ID interface {
	IsZero() bool
	String() string
}](u ID) []string {
	if u.IsZero() {
		return nil
	}
	return []string{u.String()}
}

func hostsOf(m *Migration) []string {
	if m.Source == m.Dest {
		return text(m.Source)
	}
	return append(text(m.Source), text(m.Dest)...)
}

// Schemas returns how Nova's records are written and read.
func Schemas() []versioned.Schema { return layout.Schemas() }

// Empty returns a ledger without records.
func Empty() *Snapshot { return &Snapshot{rows: layout.Empty()} }

// Load returns the ledger that consists of records, which may come in any order;
// it is fastest in the order of Snapshot.Records. Errors match
// placement.ErrInvalid or, where two records have the same key,
// placement.ErrConflict.
func Load(records []versioned.Record) (*Snapshot, error) {
	rows, err := layout.Load(records)
	if err != nil {
		return nil, err
	}
	return &Snapshot{rows: rows}, nil
}

// Apply returns the Snapshot after c and the records that it changes, sorted by
// kind and key. A change that alters nothing returns s itself. Errors match
// placement.ErrConflict where a record is not as c found it, placement.ErrInvalid,
// or are those of the rules that hold between records, such as
// ServiceTooOldError.
func (s *Snapshot) Apply(c Change) (*Snapshot, []versioned.Change, error) {
	rows, done, err := s.rows.Apply(c)
	if err != nil {
		return nil, nil, err
	}
	if len(done) == 0 {
		return s, nil, nil
	}
	next := &Snapshot{rows: rows}
	for _, ch := range done {
		if err := s.admit(next, ch); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", ch.Title(), err)
		}
	}
	return next, done, nil
}

// Held implements ledger.Holder.
func (s *Snapshot) Held(r versioned.Record) versioned.Record { return s.rows.Held(r) }

// Records yields the whole ledger as records, in the order of Schemas, by key.
func (s *Snapshot) Records() iter.Seq[versioned.Record] { return s.rows.Records() }

// Config returns what the operator has set; the defaults where they have not.
func (s *Snapshot) Config() *Config {
	if c, ok := ledger.Get[*Config](s.rows, KindConfig, configKey); ok {
		return c
	}
	return new(Config)
}

// Cells yields the cells by name.
func (s *Snapshot) Cells() iter.Seq[*Cell] { return ledger.All[*Cell](s.rows, KindCell) }

// Cell returns the cell with the given name.
func (s *Snapshot) Cell(name string) (*Cell, bool) {
	return ledger.Get[*Cell](s.rows, KindCell, name)
}

// Services yields the services by host and binary.
func (s *Snapshot) Services() iter.Seq[*Service] { return ledger.All[*Service](s.rows, KindService) }

// ServiceCount returns how many services there are.
func (s *Snapshot) ServiceCount() int { return s.rows.Len(KindService) }

// Service returns the service of a host with the given binary. It must not be
// changed.
func (s *Snapshot) Service(host, binary string) (*Service, bool) {
	return ledger.Get[*Service](s.rows, KindService, serviceKey(host, binary))
}

// Aggregates yields the host aggregates by uuid.
func (s *Snapshot) Aggregates() iter.Seq[*HostAggregate] {
	return ledger.All[*HostAggregate](s.rows, KindAggregate)
}

// Aggregate returns the host aggregate with the given uuid. It must not be
// changed.
func (s *Snapshot) Aggregate(id placement.AggregateID) (*HostAggregate, bool) {
	return ledger.Get[*HostAggregate](s.rows, KindAggregate, string(id[:]))
}

// AggregatesOf yields the host aggregates of a host by uuid.
func (s *Snapshot) AggregatesOf(host string) iter.Seq[*HostAggregate] {
	return ledger.By[*HostAggregate](s.rows, KindAggregate, byHost, host)
}

// Flavors yields all flavors by ref, those that were replaced or deleted too.
func (s *Snapshot) Flavors() iter.Seq[*Flavor] { return ledger.All[*Flavor](s.rows, KindFlavor) }

// Flavor returns the flavor with the given ref, which is what instances and
// migrations hold, be it deleted or not. It must not be changed.
func (s *Snapshot) Flavor(ref string) (*Flavor, bool) {
	return ledger.Get[*Flavor](s.rows, KindFlavor, ref)
}

// FlavorNamed returns the flavor that a new instance gets under the given name:
// the newest revision, unless it is deleted. It must not be changed.
func (s *Snapshot) FlavorNamed(name string) (*Flavor, bool) {
	var newest *Flavor
	for f := range ledger.By[*Flavor](s.rows, KindFlavor, byName, name) {
		if newest == nil || f.Revision > newest.Revision {
			newest = f
		}
	}
	return newest, newest != nil && !newest.Deleted
}

// ComputeNodes yields the compute nodes by uuid.
func (s *Snapshot) ComputeNodes() iter.Seq[*ComputeNode] {
	return ledger.All[*ComputeNode](s.rows, KindComputeNode)
}

// ComputeNode returns the compute node with the given uuid, which is that of its
// provider. It must not be changed.
func (s *Snapshot) ComputeNode(id placement.ProviderID) (*ComputeNode, bool) {
	return ledger.Get[*ComputeNode](s.rows, KindComputeNode, string(id[:]))
}

// ComputeNodesOf yields the compute nodes of a host: one, but for bare metal.
func (s *Snapshot) ComputeNodesOf(host string) iter.Seq[*ComputeNode] {
	return ledger.By[*ComputeNode](s.rows, KindComputeNode, byHost, host)
}

// PciDevicesOf yields the PCI devices of a compute node by address.
func (s *Snapshot) PciDevicesOf(node placement.ProviderID) iter.Seq[*PciDevice] {
	return ledger.By[*PciDevice](s.rows, KindPciDevice, byNode, node.String())
}

// PciDevicesFor yields the PCI devices that an instance has or has claimed.
func (s *Snapshot) PciDevicesFor(instance placement.ConsumerID) iter.Seq[*PciDevice] {
	return ledger.By[*PciDevice](s.rows, KindPciDevice, byInstance, instance.String())
}

// Instance returns the instance with the given uuid. It must not be changed.
func (s *Snapshot) Instance(id placement.ConsumerID) (*Instance, bool) {
	return ledger.Get[*Instance](s.rows, KindInstance, string(id[:]))
}

// Instances yields all instances by uuid.
func (s *Snapshot) Instances() iter.Seq[*Instance] {
	return ledger.All[*Instance](s.rows, KindInstance)
}

// InstancesOn yields the instances of a host by uuid, deleted ones too.
func (s *Snapshot) InstancesOn(host string) iter.Seq[*Instance] {
	return ledger.By[*Instance](s.rows, KindInstance, byHost, host)
}

// InstanceCount returns how many instances there are.
func (s *Snapshot) InstanceCount() int { return s.rows.Len(KindInstance) }

// Migration returns the migration with the given uuid. It must not be changed.
func (s *Snapshot) Migration(id placement.ConsumerID) (*Migration, bool) {
	return ledger.Get[*Migration](s.rows, KindMigration, string(id[:]))
}

// Migrations yields all migrations by uuid.
func (s *Snapshot) Migrations() iter.Seq[*Migration] {
	return ledger.All[*Migration](s.rows, KindMigration)
}

// MigrationsOf yields the migrations of an instance by uuid.
func (s *Snapshot) MigrationsOf(instance placement.ConsumerID) iter.Seq[*Migration] {
	return ledger.By[*Migration](s.rows, KindMigration, byInstance, instance.String())
}

// MigrationsAt yields the migrations from or to a host by uuid.
func (s *Snapshot) MigrationsAt(host string) iter.Seq[*Migration] {
	return ledger.By[*Migration](s.rows, KindMigration, byHost, host)
}
