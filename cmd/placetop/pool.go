package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// createPool returns "placetop create pool".
func (p *program) createPool() *cobra.Command {
	var o struct {
		Disk     int64  `flag:"disk" help:"how many <GIB> it has"`
		Reserved int64  `flag:"reserved" help:"how many <GIB> of it are reserved"`
		Link     string `flag:"link" help:"let the hosts of the host <AGGREGATE> use it"`
	}
	cmd := command(`pool NAME
Create a shared disk pool, and print its uuid

Create a disk pool that hosts share, such as a Ceph cluster: a provider of its own
with all of the disk, counted once. No host can use it until it is linked to a host
aggregate. Nova-compute then reports no disk of its own on those hosts; "placetop
agent" needs --shared-storage for that.

Examples:
  placetop create pool ceph-hdd --disk 100000 --reserved 1000 --link storage-1
  placetop set pool ceph-ssd-02 --total 4000 --dry-run`)
	w := p.makingFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.Disk <= 0 {
			return usageErrorf("give --disk GIB, from 1", "pool %s needs a size", args[0])
		}
		inv := placement.NewInventory(o.Disk)
		inv.Reserved, inv.MaxUnit = o.Reserved, o.Disk
		pool := tracker.Pool{ID: placement.ProviderID(p.newID()), Name: args[0], Inventory: inv}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			to, err := f.linkOf(o.Link)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanCreatePool(f.Snapshot, pool, to)
		}, func(outcome) any { return pool.ID })
	}
	return cmd
}

// linkOf returns the host aggregate of --link, zero for none.
func (f finder) linkOf(text string) (placement.AggregateID, error) {
	if text == "" {
		return placement.AggregateID{}, nil
	}
	a, err := f.HostAggregate(text)
	if err != nil {
		return placement.AggregateID{}, err
	}
	return a.UUID, nil
}

// setPool returns "placetop set pool".
func (p *program) setPool() *cobra.Command {
	o := struct {
		Total int64  `flag:"total" help:"set its total to <UNITS>"`
		Class string `flag:"class" needs:"total" help:"the <CLASS> that it is a pool of"`
		Link  string `flag:"link" help:"let the hosts of the host <AGGREGATE> use it"`
	}{Class: string(placement.DiskGB)}
	cmd := command(`pool PROVIDER
Set the size of a shared pool, or let more hosts use it

Set the size of a shared pool, or let the hosts of another host aggregate use it. The
most that one instance may have (max_unit) stays as it is, unless it was the whole pool.

Examples:
  placetop set pool ceph-ssd-02 --total 4000 --link storage-1 --dry-run`)
	needsOneOf(cmd, "total", "link")
	w := p.writeFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("total") && o.Total <= 0 {
			return usageErrorf(`delete the pool with "placetop delete provider" instead`, "--total %d is not above zero", o.Total)
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			rp, err := f.Provider(args[0])
			if err != nil {
				return ops.Plan{}, err
			}
			to, err := f.linkOf(o.Link)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanPool(f.Snapshot, rp.ID(), ops.PoolWish{Class: placement.ResourceClass(o.Class), Total: o.Total, Link: to})
		}, nil)
	}
	return cmd
}

// poolNames returns the sharing providers.
func poolNames(f finder, _ []string) []string {
	var out []string
	for rp := range f.Placement().Providers() {
		if f.Placement().Shares(rp) {
			out = append(out, rp.Name())
		}
	}
	return out
}
