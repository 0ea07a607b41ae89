package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// createPool returns "placetop create pool".
func (p *program) createPool() *cobra.Command {
	var disk, reserved int64
	var link string
	cmd := &cobra.Command{
		Use:   "pool NAME",
		Short: "Create a shared disk pool, and print its uuid",
		Long: `Create a disk pool that hosts share, such as a Ceph cluster: a provider of its own
with all of the disk, counted once. No host can use it until it is linked to a host
aggregate. Nova-compute then reports no disk of its own on those hosts; "placetop
agent" needs --shared-storage for that.`,
		Example: `  placetop create pool ceph-hdd --disk 100000 --reserved 1000 --link storage-1
  placetop set pool ceph-ssd-02 --total 4000 --dry-run`,
	}
	cmd.Flags().Int64Var(&disk, "disk", 0, "how many `GIB` it has")
	cmd.Flags().Int64Var(&reserved, "reserved", 0, "how many `GIB` of it are reserved")
	linkFlag(cmd, &link)
	w := p.makingFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if disk <= 0 {
			return usageErrorf("give --disk GIB, from 1", "pool %s needs a size", args[0])
		}
		inv := placement.NewInventory(disk)
		inv.Reserved, inv.MaxUnit = reserved, disk
		pool := tracker.Pool{ID: placement.ProviderID(p.newID()), Name: args[0], Inventory: inv}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			to, err := f.linkOf(link)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanCreatePool(f.Snapshot, pool, to)
		}, func(outcome) any { return pool.ID })
	}
	return cmd
}

// linkFlag adds the flag for the host aggregate whose hosts may use a pool to cmd.
func linkFlag(cmd *cobra.Command, link *string) {
	cmd.Flags().StringVar(link, "link", "", "let the hosts of the host `AGGREGATE` use it")
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
	var total int64
	var class, link string
	cmd := &cobra.Command{
		Use:   "pool PROVIDER",
		Short: "Set the size of a shared pool, or let more hosts use it",
		Long: `Set the size of a shared pool, or let the hosts of another host aggregate use it. The
most that one instance may have (max_unit) stays as it is, unless it was the whole pool.`,
		Example: `  placetop set pool ceph-ssd-02 --total 4000 --link storage-1 --dry-run`,
	}
	cmd.Flags().Int64Var(&total, "total", 0, "set its total to `UNITS`")
	cmd.Flags().StringVar(&class, "class", string(placement.DiskGB), "the `CLASS` that it is a pool of")
	linkFlag(cmd, &link)
	needsOneOf(cmd, "total", "link")
	requireFlag(cmd, "total", "class")
	w := p.writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("total") && total <= 0 {
			return usageErrorf(`delete the pool with "placetop delete provider" instead`, "--total %d is not above zero", total)
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			rp, err := f.Provider(args[0])
			if err != nil {
				return ops.Plan{}, err
			}
			to, err := f.linkOf(link)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanPool(f.Snapshot, rp.ID(), ops.PoolWish{Class: placement.ResourceClass(class), Total: total, Link: to})
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
