package tracker

import (
	"cmp"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Progress is what an online data migration found to do, and did.
type Progress struct {
	Name   string
	Title  string
	Found  int
	Done   int
	Errors []error // of what was found and could not be done
}

// Unit is one part of a migration, written as one change: a compute node with all
// its classes, or an instance.
type Unit struct {
	Migration string
	What      string // in words
	Ops       []placement.Op
	Nova      []nova.Op
}

// Batch is what a round of migrations did, and what has to be written for it. The
// units are to be written in their order.
type Batch struct {
	Progress []Progress
	Units    []Unit
}

// BatchResult is the verdict on a Batch, in the numbers of nova-manage's exit codes.
type BatchResult int

// The results.
const (
	NothingLeft BatchResult = 0 // nothing was found that could be done
	MoreToDo    BatchResult = 1 // something was done: run it again
	Stuck       BatchResult = 2 // nothing was done, because of errors
)

// Result returns the verdict on the batch.
//
// Source: nova/cmd/manage.py, online_data_migrations.
func (b Batch) Result() BatchResult {
	if len(b.Units) > 0 {
		return MoreToDo
	}
	for _, p := range b.Progress {
		if len(p.Errors) > 0 {
			return Stuck
		}
	}
	return NothingLeft
}

// dataMigration moves something out of the old columns.
type dataMigration struct {
	name, title string
	find        func(World) []item
}

// item is something that a migration found.
type item struct {
	what string
	do   func(World, time.Time) ([]placement.Op, []nova.Op, error)
}

// dataMigrations are the migrations in the order in which they run: each relies on
// those before it.
func dataMigrations() []dataMigration {
	return []dataMigration{
		{"upgrade_pci_pools", "compute nodes whose PCI pools are stored in an older form", World.otherPools},
		{"heal_allocation_ratios", "compute nodes with an allocation ratio of null or 0.0", World.unsetRatios},
		{"migrate_compute_node_inventory", "compute nodes whose inventory is only in the old columns", World.unreported},
		{"migrate_instance_allocations", "instances whose usage is only in the old columns", World.unclaimed},
	}
}

// MigrateBatch moves at most most things out of the old columns, all where most is
// not positive. It can be repeated, and stopped, at any time: what is done is not
// found again.
//
// Source: nova/cmd/manage.py, _run_migration; nova-specs,
// newton/implemented/compute-node-inventory-newton.
func (w World) MigrateBatch(most int, at time.Time) Batch {
	var b Batch
	for _, m := range dataMigrations() {
		p := Progress{Name: m.name, Title: m.title}
		for _, it := range m.find(w) {
			p.Found++
			if most > 0 && len(b.Units) >= most {
				continue
			}
			u := Unit{Migration: m.name, What: it.what}
			next, err := w.migrate(it, &u, at)
			if err != nil {
				p.Errors = append(p.Errors, fmt.Errorf("%s: %w", it.what, err))
				continue
			}
			if len(u.Ops)+len(u.Nova) == 0 {
				continue // it has nothing to move
			}
			w = next
			p.Done++
			b.Units = append(b.Units, u)
		}
		b.Progress = append(b.Progress, p)
	}
	return b
}

// migrate migrates one item, and returns the world after it.
func (w World) migrate(it item, u *Unit, at time.Time) (World, error) {
	var err error
	if u.Ops, u.Nova, err = it.do(w, at); err != nil {
		return w, err
	}
	next, err := w.after(u.Ops...)
	if err != nil {
		return w, err
	}
	next.Nova, _, err = w.Nova.Apply(nova.Change{Ops: u.Nova})
	return next, err
}

// otherPools finds the compute nodes whose PCI pools another release stored: an older
// one, or a newer one, which cannot be read.
func (w World) otherPools() []item {
	var out []item
	for row := range w.Nova.ComputeNodes() {
		if row.PCIStats == "" {
			continue
		}
		if n, err := ReadNode(row); err == nil {
			if is, err := n.Row(); err == nil && is.PCIStats == row.PCIStats {
				continue
			}
		}
		out = append(out, rewrite(row, func(*Node) error { return nil }))
	}
	return out
}

// rewrite returns the item that writes a compute node after edit has changed it.
func rewrite(row *nova.ComputeNode, edit func(*Node) error) item {
	return item{"compute node " + row.Hostname, func(w World, at time.Time) ([]placement.Op, []nova.Op, error) {
		n, err := w.node(row.UUID)
		if err != nil {
			return nil, nil, err
		}
		if err := edit(n); err != nil {
			return nil, nil, err
		}
		n.Updated = at.UnixMilli()
		is, err := n.Row()
		if err != nil {
			return nil, nil, err
		}
		read, _ := w.Nova.ComputeNode(is.UUID)
		return nil, []nova.Op{nova.ReportComputeNode{Node: is, Read: read}}, nil
	}}
}

// unsetRatios finds the compute nodes with an unset ratio.
func (w World) unsetRatios() []item {
	var out []item
	for row := range w.Nova.ComputeNodes() {
		if row.CPURatio != 0 && row.RAMRatio != 0 && row.DiskRatio != 0 {
			continue
		}
		out = append(out, rewrite(row, func(n *Node) error {
			initial := DefaultConf().InitialRatios
			n.CPURatio = cmp.Or(n.CPURatio, initial.CPU)
			n.RAMRatio = cmp.Or(n.RAMRatio, initial.RAM)
			n.DiskRatio = cmp.Or(n.DiskRatio, initial.Disk)
			return nil
		}))
	}
	return out
}

// unreported finds the compute nodes without inventories in Placement. Each is written as
// a whole or not at all: the provider and all classes, with what the host reserves in its
// row.
func (w World) unreported() []item {
	var out []item
	for row := range w.Unreported() {
		keep := rewrite(row, func(n *Node) error { n.Conf = n.conf().reserves(); return nil })
		out = append(out, item{keep.what, func(w World, at time.Time) ([]placement.Op, []nova.Op, error) {
			n, err := w.node(row.UUID)
			if err != nil {
				return nil, nil, err
			}
			var kept []nova.Op
			if !n.Conf.Said {
				if _, kept, err = keep.do(w, at); err != nil {
					return nil, nil, err
				}
			}
			tree, err := FromColumns(n)
			if err != nil {
				return nil, nil, err
			}
			if tree, err = w.shape(n, tree); err != nil {
				return nil, nil, err
			}
			change, _, err := Report(w.Placement, tree)
			return change.Ops, kept, err
		}})
	}
	return out
}

// unclaimed finds the instances that hold nothing in Placement, on hosts with one compute
// node. Those with an operation in progress are left to that.
func (w World) unclaimed() []item {
	var out []item
	for row := range w.Nova.ComputeNodes() {
		nodes := 0
		for range w.Nova.ComputeNodesOf(row.Host) {
			nodes++
		}
		for i := range w.Nova.InstancesOn(row.Host) {
			if _, holds := w.Placement.Consumer(i.UUID); holds || nodes > 1 || !tracks(i) || w.busy(i) != "" {
				continue
			}
			out = append(out, item{"instance " + i.Name, func(w World, _ time.Time) ([]placement.Op, []nova.Op, error) {
				n, err := w.node(row.UUID)
				if err != nil {
					return nil, nil, err
				}
				ops, err := w.Claim(n, i, nil)
				return ops, nil, err
			}})
		}
	}
	return out
}
