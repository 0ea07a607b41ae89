package tracker_test

import (
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// fataler is implemented by both kinds of test.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// region is a cloud under test.
type region struct {
	t fataler
	tracker.World
}

func newRegion(t fataler, records ...versioned.Record) *region {
	r := &region{t: t, World: tracker.World{Placement: placement.Empty(), Nova: nova.Empty()}}
	r.put(records...)
	return r
}

// put writes records of Nova's.
func (r *region) put(records ...versioned.Record) {
	r.t.Helper()
	var c nova.PutRecords
	for _, rec := range records {
		modeltest.Put(&c, r.Nova, rec)
	}
	r.write(nil, []nova.Op{c})
}

// write applies operations to both ledgers.
func (r *region) write(ops []placement.Op, verbs []nova.Op) {
	r.t.Helper()
	p, _, err := r.Placement.Apply(placement.Change{Ops: ops})
	if err != nil {
		r.t.Fatalf("Apply %v: %v", ops, err)
	}
	n, _, err := r.Nova.Apply(nova.Change{At: now, Ops: verbs})
	if err != nil {
		r.t.Fatalf("Apply: %v", err)
	}
	r.World = tracker.World{Placement: p, Nova: n}
	for _, err := range p.Check() {
		r.t.Fatalf("Check: %v", err)
	}
}

func (r *region) ops(ops ...placement.Op) { r.t.Helper(); r.write(ops, nil) }

// node returns a compute node of the ledger.
func (r *region) node(host string) *tracker.Node {
	r.t.Helper()
	for row := range r.Nova.ComputeNodesOf(host) {
		n, err := tracker.ReadNode(row)
		if err != nil {
			r.t.Fatalf("ReadNode: %v", err)
		}
		return n
	}
	r.t.Fatalf("no compute node on %s", host)
	return nil
}

// tick ticks a host with its columns, and writes the outcome.
func (r *region) tick(host string) tracker.Outcome {
	r.t.Helper()
	out := r.plan(host)
	r.write(out.Ops, out.Nova)
	return out
}

func (r *region) plan(host string) tracker.Outcome {
	r.t.Helper()
	n := r.node(host)
	tree, err := tracker.FromColumns(n)
	if err != nil {
		r.t.Fatalf("FromColumns: %v", err)
	}
	return r.planFor(n, tree)
}

func (r *region) planFor(n *tracker.Node, tree tracker.Tree) tracker.Outcome {
	r.t.Helper()
	out, err := r.Tick(n, tree, now)
	if err != nil {
		r.t.Fatalf("Tick: %v", err)
	}
	return out
}

// settled ticks a host, and checks that the next tick is quiet and bumps no
// generation.
func (r *region) settled(host string) tracker.Outcome {
	r.t.Helper()
	out := r.tick(host)
	r.quiet(host)
	return out
}

func (r *region) quiet(host string) {
	r.t.Helper()
	if again := r.plan(host); len(again.Ops)+len(again.Nova) > 0 {
		r.t.Fatalf("the second tick writes %v and %v", again.Ops, again.Nova)
	}
}

// claim lets an instance land on its host.
func (r *region) claim(i *nova.Instance, devices []candidates.Group) error {
	r.t.Helper()
	r.put(i)
	ops, err := r.Claim(r.node(i.Host), i, devices)
	if err != nil {
		return err
	}
	r.ops(ops...)
	return nil
}

// holds returns what a consumer holds, by name of the provider.
func (r *region) holds(id placement.ConsumerID) map[string]map[placement.ResourceClass]int64 {
	out := map[string]map[placement.ResourceClass]int64{}
	c, ok := r.Placement.Consumer(id)
	if !ok {
		return out
	}
	for al := range r.Placement.Allocations(c) {
		name := al.Provider.Name()
		if out[name] == nil {
			out[name] = map[placement.ResourceClass]int64{}
		}
		out[name][r.Placement.ClassName(al.Class)] = al.Used
	}
	return out
}

func (r *region) provider(name string) *placement.ResourceProvider {
	r.t.Helper()
	p, ok := r.Placement.ProviderByName(name)
	if !ok {
		r.t.Fatalf("no provider %s", name)
	}
	return p
}

func (r *region) inventory(name string, class placement.ResourceClass) (placement.InventoryUsage, bool) {
	r.t.Helper()
	id, _ := r.Placement.ClassID(class)
	return r.provider(name).Inventory(id)
}

// finding returns the finding of a consumer.
func finding(out tracker.Outcome, id placement.ConsumerID) tracker.Remark {
	for _, f := range out.Remarks {
		if f.Consumer == id {
			return f
		}
	}
	return tracker.Remark{}
}

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func nodeID(n byte) placement.ProviderID { return placement.ProviderID(uuid.UUID{0: 0xcc, 15: n}) }

func instanceID(n byte) placement.ConsumerID { return placement.ConsumerID(uuid.UUID{0: 0x11, 15: n}) }

func migrationID(n byte) placement.ConsumerID {
	return placement.ConsumerID(uuid.UUID{0: 0x22, 15: n})
}

// host returns the record of compute node n, called cmp<n>.
func host(n byte, edit ...func(*nova.ComputeNode)) *nova.ComputeNode {
	name := "cmp" + string('0'+rune(n))
	row := &nova.ComputeNode{
		UUID: nodeID(n), Host: name, Hostname: name, Type: "QEMU", Version: 8000000,
		VCPUs: 16, MemoryMB: 32768, LocalGB: 500, ReservedMemoryMB: 512,
	}
	for _, e := range edit {
		e(row)
	}
	return row
}

// service returns the nova-compute of a host.
func service(host string, version int) *nova.Service {
	return &nova.Service{Host: host, Binary: nova.Compute, Version: version}
}

func flavor(name string, edit ...func(*nova.Flavor)) *nova.Flavor {
	f := &nova.Flavor{Name: name, FlavorID: name, VCPUs: 2, MemoryMB: 4096, RootGB: 20}
	for _, e := range edit {
		e(f)
	}
	return f
}

// instance returns instance n of a flavor on a host.
func instance(n byte, host, flavor string, edit ...func(*nova.Instance)) *nova.Instance {
	i := &nova.Instance{
		UUID: instanceID(n), Name: "vm" + string('0'+rune(n)), Project: "p", User: "u",
		Host: host, Flavor: flavor, VMState: nova.Active,
	}
	for _, e := range edit {
		e(i)
	}
	return i
}

// amounts makes the literals of tests short.
type (
	amounts = map[placement.ResourceClass]int64
	held    = map[string]map[placement.ResourceClass]int64
)
