package nova

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Snapshot is Nova's whole ledger as an immutable value.
type Snapshot struct {
	rows
	lowest atomic.Pointer[map[string]map[string]*Service] // of services, by binary and cell; nil until first used
}

// rows are the records of the ledger, which other packages see only through Held and
// Records.
type rows = *ledger.Ledger

// The names of the indexes.
const (
	byHost     = "host"
	byNode     = "node"
	byInstance = "instance"
	byName     = "name"
)

// layout describes the records of Nova's ledger. Records refer to earlier kinds.
//
//nolint:gochecknoglobals // a table that nothing writes
var layout = ledger.NewLayout("Nova",
	ledger.First[Config](KindConfig, since, "the operator's settings").
		Then("2026-11-28", "the settings of a live cloud, and whose they are").
		Then("2026-11-28", "what was not read of the cloud that a file is a copy of, and when it was read").
		Then("2026-11-29", "what changed while that was read, and the names of projects and users"),
	ledger.First[Cell](KindCell, since, "which cells there are"),
	ledger.First[Service](KindService, since, "service versions",
		ledger.ByText(byHost, func(s *Service) string { return s.Host })).
		Then("2026-11-23", "service state and version as an API reports them").
		Then("2026-11-23", "the uuid by which the API names it").
		Then("2026-11-28", "the zone and the time of its last report as the API tells them"),
	ledger.First[HostAggregate](KindAggregate, since, "zones and tenants",
		ledger.ByTexts(byHost, func(a *HostAggregate) []string { return a.Hosts })).
		Then("2026-11-23", "the number by which the API names it"),
	ledger.First[Flavor](KindFlavor, since, "what an instance asks for",
		ledger.ByText(byName, func(f *Flavor) string { return f.Name })),
	ledger.First[ComputeNode](KindComputeNode, since, "what a hypervisor has, in the old columns too",
		ledger.ByText(byHost, func(n *ComputeNode) string { return n.Host }),
		ledger.ByText(byName, func(n *ComputeNode) string { return n.Hostname })),
	ledger.First[Instance](KindInstance, since, "who a consumer is",
		ledger.ByText(byHost, func(i *Instance) string { return i.Host })).
		Then("2026-11-28", "the zone of its host as the API tells it").
		Then("2026-11-28", "the compute node of its host"),
	ledger.First[PciDevice](KindPciDevice, since, "which devices are passed through",
		ledger.ByID(byNode, func(d *PciDevice) placement.ProviderID { return d.ComputeNode }),
		ledger.ByID(byInstance, func(d *PciDevice) placement.ConsumerID { return d.Instance })),
	ledger.First[Migration](KindMigration, since, "who holds old allocations",
		ledger.ByID(byInstance, func(m *Migration) placement.ConsumerID { return m.Instance }),
		ledger.ByTexts(byHost, hostsOf)),
)

// since is the date of the kinds' first version.
const since = "2026-11-20"

// hostsOf returns the hosts of a migration, without duplicates.
func hostsOf(m *Migration) []string {
	return slices.DeleteFunc(slices.Compact([]string{m.Source, m.Dest}), func(host string) bool { return host == "" })
}

// Schemas returns how Nova's records are written and read.
func Schemas() []versioned.Schema { return layout.Schemas() }

// Empty returns a ledger without records.
func Empty() *Snapshot { return &Snapshot{rows: layout.Empty()} }

// Load returns the ledger that consists of records, as ledger.Rules has it.
func Load(records []versioned.Record) (*Snapshot, error) { return rules().Load(records) }

// Apply returns the Snapshot after c and the records that it changes, sorted by
// kind and key. A change that alters nothing returns s itself. Errors match
// placement.ErrConflict if a record is not as c found it, placement.ErrInvalid,
// or are those of the rules that hold between records, such as
// ServiceTooOldError.
func (s *Snapshot) Apply(c Change) (*Snapshot, []versioned.Change, error) {
	return rules().Apply(s, s.rows, c)
}

// Back returns the Snapshot before the given changes, which led to s, with their
// records turned around already. The rules between records are not asked, such as that
// a fleet of services does not go back. Errors: those of PutRecords.
func (s *Snapshot) Back(turned []versioned.Change) (*Snapshot, error) {
	return rules().Back(s.rows, turned)
}

func rules() ledger.Rules[*Snapshot] {
	return ledger.Rules[*Snapshot]{
		Layout: layout,
		Wrap:   func(rows *ledger.Ledger) *Snapshot { return &Snapshot{rows: rows} },
		Do:     ledger.Verbs(applier.apply),
		Admit:  (*Snapshot).admit,
	}
}

// Config returns what the operator has set, with defaults for the rest.
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

// Flavor returns the flavor with the given ref, which is what instances and migrations
// hold, deleted or not. It must not be changed.
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

// NodesOf yields the compute nodes that an instance may be on: the one that it names, or
// else those of its host, as the name may be that of a former host. A bare metal instance
// stays on the node that it names; that node may pass to another nova-compute, of which the
// instance does not know. A node whose type is not told may be either.
//
// Source: nova/compute/resource_tracker.py, where host and node identify a compute node, and
// _check_for_nodes_rebalance, which changes the host of the node alone.
func (s *Snapshot) NodesOf(i *Instance) iter.Seq[*ComputeNode] {
	there := s.ComputeNodesOf(i.Host)
	for node := range there {
		if node.Hostname == i.Node {
			return slices.Values([]*ComputeNode{node})
		}
	}
	if i.Node == "" {
		return there
	}
	var out []*ComputeNode
	for node := range there {
		if node.Type != BareMetal {
			out = append(out, node)
		}
	}
	for node := range ledger.By[*ComputeNode](s.rows, KindComputeNode, byName, i.Node) {
		switch node.Type {
		case BareMetal:
			return slices.Values([]*ComputeNode{node})
		case "":
			out = append(out, node)
		}
	}
	return slices.Values(out)
}

// MayBeOn reports whether an instance may be on a compute node: see NodesOf.
func (s *Snapshot) MayBeOn(i *Instance, node placement.ProviderID) bool {
	for n := range s.NodesOf(i) {
		if n.UUID == node {
			return true
		}
	}
	return false
}

// PciDevices yields the PCI devices of all compute nodes, by compute node and address.
func (s *Snapshot) PciDevices() iter.Seq[*PciDevice] {
	return ledger.All[*PciDevice](s.rows, KindPciDevice)
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

// Moving returns the migration of an instance that is under way, nil if there is none.
func (s *Snapshot) Moving(instance placement.ConsumerID) *Migration {
	for m := range s.MigrationsOf(instance) {
		if m.Status.UnderWay() {
			return m
		}
	}
	return nil
}

// HolderOf returns for which consumer another holds something: of a migration its instance,
// of all else itself.
func (s *Snapshot) HolderOf(id placement.ConsumerID) placement.ConsumerID {
	if m, ok := s.Migration(id); ok {
		return m.Instance
	}
	return id
}

// UnderWay reports whether an instance, or that of a migration, is between two resting
// states: being booted, moved, confirmed, reverted or deleted. A move that waits for a
// decision rests.
func (s *Snapshot) UnderWay(id placement.ConsumerID) bool {
	id = s.HolderOf(id)
	if i, ok := s.Instance(id); ok && i.Live() && i.TaskState != "" {
		return true
	}
	for m := range s.MigrationsOf(id) {
		if m.Status.UnderWay() && !m.Status.Waits() {
			return true
		}
	}
	return false
}

// MigrationsAt yields the migrations from or to a host by uuid.
func (s *Snapshot) MigrationsAt(host string) iter.Seq[*Migration] {
	return ledger.By[*Migration](s.rows, KindMigration, byHost, host)
}
