package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// bootCommand returns "placetop boot".
func (p *program) bootCommand() *cobra.Command {
	actor := p.actor()
	o := struct {
		pick
		Flavor         string `flag:"flavor" help:"boot it with <FLAVOR>"`
		Zone           string `flag:"zone" help:"in the availability <ZONE>"`
		Host           string `flag:"host" help:"on <HOST> and no other"`
		BootFromVolume bool   `flag:"boot-from-volume" help:"its root disk is a volume"`
		Project        string `flag:"project" help:"the <ID> of its project"`
		User           string `flag:"user" help:"the <ID> of its user"`
	}{Project: actor, User: actor}
	cmd := command(`boot NAME
Boot an instance, step by step, and print its uuid

Boot an instance: write its record, claim what its flavor asks for from the first
candidate, create and bind its accelerator requests, and start it. Each step is
reported once it is on disk. If one fails, all are undone, and the instance is left in
error. An interrupt stops between two steps; "placetop recover" goes on from there.

Examples:
  placetop boot web-1 --flavor cpu.small
  placetop boot train-1 --flavor gpu.t4.1c --zone az-1 --dry-run`)
	image := imageFlag(cmd)
	w := p.writeFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.Flavor == "" {
			return usageErrorf("give --flavor", "%s needs a flavor", cmd.CommandPath())
		}
		properties, err := image()
		if err != nil {
			return err
		}
		id := placement.ConsumerID(p.newID())
		plan := func(f finder) (operation, error) {
			v, err := f.Flavor(o.Flavor)
			if err != nil {
				return operation{}, err
			}
			if err := f.CheckPlace(o.Host, o.Zone); err != nil {
				return operation{}, err
			}
			b := ops.Boot{Instance: id, Wish: ops.BootWish{
				Name: args[0], Flavor: v.Name, Project: o.Project, User: o.User, Zone: o.Zone, Host: o.Host, BootFromVolume: o.BootFromVolume, Image: properties,
			}}
			like := &nova.Instance{Project: o.Project, Zone: o.Zone, BootFromVolume: o.BootFromVolume, Image: properties}
			u := operation{note: "boot " + args[0], instance: id, asks: f.asksFor(like, v.Name, o.Host)}
			b.Pick, err = destination{pick: o.pick}.of(cmd, f, u.asks, func() (ops.Places, error) { return b.Places(f.Snapshot, p.now()) })
			u.task = b
			return u, err
		}
		return p.operate(cmd.Context(), w, plan, func(outcome) any { return id })
	}
	return cmd
}

// terminateCommand returns "placetop terminate".
func (p *program) terminateCommand() *cobra.Command {
	cmd := command(`terminate INSTANCE
Delete an instance, step by step, and release all that it holds

Delete an instance in any state: stop its guest, unbind its accelerators, release
what it and its migrations hold, and mark it as deleted. This cannot be undone. An
interrupt stops between two steps; "placetop recover" goes on.

Examples:
  placetop terminate infer-9 --dry-run`)
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
