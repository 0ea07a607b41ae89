package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// createCommand returns "placetop create" with its subcommands.
func (p *program) createCommand() *cobra.Command {
	return parentOf(command(`create WHAT
Create a provider, a pool, a class, a trait, a flavor, a device profile or a host aggregate

Examples:
  placetop create provider rack-7-pdu
  placetop create provider cmp-001_card --parent cmp-001
  placetop create trait CUSTOM_GOLD --dry-run
  placetop create flavor vgpu.nova --vcpus 2 --ram 4096 --property resources1:VGPU=1`), p.createProvider(), p.createPool(), p.createClass(), p.createTrait(), p.createFlavor(), p.createProfile(), p.createAggregate())
}

// parentOf makes a command that only has subcommands.
func parentOf(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(below...)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageErrorf(`see "`+cmd.CommandPath()+` --help"`, "%s needs a subcommand", cmd.CommandPath())
		}
		return unknownWord(cmd, "thing to "+cmd.Name(), args[0])
	}
	cmd.RunE = func(*cobra.Command, []string) error { return nil }
	return cmd
}

func (p *program) createProvider() *cobra.Command {
	var o struct {
		Parent string `flag:"parent" help:"make it a child of <PROVIDER>; a root by default"`
		UUID   string `flag:"uuid" help:"its <UUID>; a random one by default"`
	}
	cmd := command(`provider NAME
Create a resource provider, and print its uuid
Also called rp`)
	w := p.makingFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		self := placement.ProviderID(p.newID())
		if o.UUID != "" {
			var err error
			if self, err = placement.ParseProviderID(o.UUID); err != nil {
				return err
			}
		}
		plan := func(f finder) (ops.Plan, error) {
			above, err := f.providerID(o.Parent)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanCreateProvider(f.Snapshot, self, args[0], above)
		}
		return p.write(cmd.Context(), w, plan, func(outcome) any { return self })
	}
	return cmd
}

func (p *program) createClass() *cobra.Command {
	cmd := command(`class NAME
Create a custom resource class, unless it exists
Also called rc`)
	return p.changes(cmd, p.makingFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		return ops.PlanOp(f.Snapshot, placement.CreateClass{Name: placement.ResourceClass(args[0]), IfAbsent: true})
	})
}

func (p *program) createTrait() *cobra.Command {
	cmd := command(`trait NAME
Create a custom trait, unless it exists`)
	return p.changes(cmd, p.makingFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		return ops.PlanOp(f.Snapshot, placement.CreateTrait{Name: placement.Trait(args[0])})
	})
}
