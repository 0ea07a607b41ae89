package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// bootCommand returns "placetop boot".
func (p *program) bootCommand() *cobra.Command {
	var wish ops.BootWish
	cmd := &cobra.Command{
		Use:   "boot NAME",
		Short: "Boot an instance, step by step, and print its uuid",
		Long: `Boot an instance: write its record, claim what its flavor asks for from the first
candidate, create and bind its accelerator requests, and start it. Each step is
reported once it is on disk. If one fails, all are undone, and the instance is left in
error. An interrupt stops between two steps; "placetop recover" goes on from there.`,
		Example: `  placetop boot web-1 --flavor cpu.small
  placetop boot train-1 --flavor gpu.t4.1c --zone az-1 --dry-run`,
	}
	actor := p.actor()
	flags := cmd.Flags()
	flags.StringVar(&wish.Flavor, "flavor", "", "boot it with `FLAVOR`")
	flags.StringVar(&wish.Zone, "zone", "", "in the availability `ZONE`")
	flags.StringVar(&wish.Host, "host", "", "on `HOST` and no other")
	flags.BoolVar(&wish.BootFromVolume, "boot-from-volume", false, "its root disk is a volume")
	flags.StringVar(&wish.Project, "project", actor, "the `ID` of its project")
	flags.StringVar(&wish.User, "user", actor, "the `ID` of its user")
	image := imageFlag(cmd)
	pick := pickFlag(cmd)
	w := p.writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if wish.Flavor == "" {
			return usageErrorf("give --flavor", "%s needs a flavor", cmd.CommandPath())
		}
		var err error
		if wish.Image, err = image(); err != nil {
			return err
		}
		b := ops.Boot{Instance: placement.ConsumerID(p.newID()), Wish: wish}
		b.Wish.Name = args[0]
		plan := func(f finder) (operation, error) {
			v, err := f.Flavor(wish.Flavor)
			if err != nil {
				return operation{}, err
			}
			if err := f.CheckPlace(wish.Host, wish.Zone); err != nil {
				return operation{}, err
			}
			b.Wish.Flavor = v.Name
			like := &nova.Instance{Project: wish.Project, Zone: wish.Zone, BootFromVolume: wish.BootFromVolume, Image: wish.Image}
			u := operation{note: "boot " + b.Wish.Name, instance: b.Instance, asks: f.asksFor(like, v.Name, wish.Host)}
			to := destination{pick: pick}
			if b.Pick, err = to.of(f, u.asks, func() (ops.Places, error) { return b.Places(f.Snapshot, p.now()) }); err != nil {
				return operation{}, err
			}
			u.task = b
			return u, nil
		}
		return p.operate(cmd.Context(), w, plan, func(outcome) any { return b.Instance })
	}
	return cmd
}

// terminateCommand returns "placetop terminate".
func (p *program) terminateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "terminate INSTANCE",
		Short: "Delete an instance, step by step, and release all that it holds",
		Long: `Delete an instance in any state: stop its guest, unbind its accelerators, release
what it and its migrations hold, and mark it as deleted. This cannot be undone. An
interrupt stops between two steps; "placetop recover" goes on.`,
		Example: `  placetop terminate infer-9 --dry-run`,
	}
	w := p.writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.operate(cmd.Context(), w, func(f finder) (operation, error) {
			i, err := f.LiveInstance(args[0])
			if err != nil {
				return operation{}, err
			}
			return operation{note: "delete " + i.Name, task: ops.Terminate{Instance: i.UUID}, instance: i.UUID}, nil
		}, nil)
	}
	return cmd
}
