package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// deleteCommand returns "placetop delete" with its subcommands.
func (p *program) deleteCommand() *cobra.Command {
	return parentOf(command(`delete WHAT
Delete a provider, inventories, a class, a trait, a flavor, a profile, a service or a host aggregate

Delete what nobody uses. If something is still in use it is named, and nothing is
deleted. To delete allocations, use "placetop release".

Examples:
  placetop delete provider ceph-ssd-02 --tree --dry-run
  placetop delete inventory cmp-011 VGPU
  placetop delete trait CUSTOM_GOLD`), p.deleteProvider(), p.deleteInventory(), p.deleteService(),
		p.deleteNamed("class", "rc", "Delete a custom resource class that no provider has", func(f finder, name string) (ops.Plan, error) {
			return ops.PlanOp(f.Snapshot, placement.DeleteClass{Name: placement.ResourceClass(name)})
		}),
		p.deleteNamed("trait", "", "Delete a custom trait that no provider has", func(f finder, name string) (ops.Plan, error) {
			return ops.PlanOp(f.Snapshot, placement.DeleteTrait{Name: placement.Trait(name)})
		}),
		p.deleteNamed("flavor", "", "Delete a flavor; instances that have it keep it", func(f finder, name string) (ops.Plan, error) {
			v, err := f.Flavor(name)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanDeleteFlavor(f.Snapshot, v.Name)
		}),
		p.deleteNamed("profile", "dp", "Delete a device profile that no accelerator request uses", func(f finder, name string) (ops.Plan, error) {
			d, err := f.Profile(name)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanDeleteProfile(f.Snapshot, d.Name)
		}),
		p.deleteNamed("aggregate", "agg", "Delete a host aggregate without hosts", func(f finder, name string) (ops.Plan, error) {
			a, err := f.HostAggregate(name)
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanNova(f.Snapshot, "delete host aggregate "+a.Name, p.now(), nova.DeleteAggregate{Aggregate: a.UUID})
		}))
}

// deleteNamed returns the command that deletes a thing with a name.
func (p *program) deleteNamed(what, alias, short string, plan func(f finder, name string) (ops.Plan, error)) *cobra.Command {
	cmd := &cobra.Command{Use: what + " NAME", Short: short}
	if alias != "" {
		cmd.Aliases = []string{alias}
	}
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) { return plan(f, args[0]) })
}

func (p *program) deleteProvider() *cobra.Command {
	var o struct {
		Tree bool `flag:"tree" help:"also delete everything below it, children before their parents"`
	}
	cmd := command(`provider PROVIDER
Delete a provider without allocations and children
Also called rp`)
	return p.changesProvider(cmd, p.writeFlags(cmd, &o), func(f finder, rp *placement.ResourceProvider, _ []string) (ops.Plan, error) {
		return ops.PlanDeleteProvider(f.Snapshot, rp.ID(), o.Tree)
	})
}

func (p *program) deleteInventory() *cobra.Command {
	cmd := command(`inventory PROVIDER CLASS...
Remove inventories from a provider
Also called inv`)
	return p.changesProvider(cmd, p.writeFlags(cmd), func(f finder, rp *placement.ResourceProvider, classes []string) (ops.Plan, error) {
		if len(classes) == 1 {
			return ops.PlanDropInventory(f.Snapshot, rp.ID(), placement.ResourceClass(classes[0]))
		}
		rest := f.Placement().ProviderRecord(rp).Inventories
		for _, name := range classes {
			class := placement.ResourceClass(name)
			if _, ok := rest[class]; !ok {
				return ops.Plan{}, &placement.NotFoundError{What: "inventory", Name: fmt.Sprintf("%s of %s", class, rp.Name())}
			}
			delete(rest, class)
		}
		return ops.PlanInventories(f.Snapshot, rp.ID(), rest)
	})
}

// classesOfProvider completes a class that the provider before it has an inventory of.
func classesOfProvider(f finder, args []string) []string {
	var out []string
	if rp, err := f.Provider(args[0]); err == nil {
		for _, iu := range rp.Inventories() {
			out = append(out, string(f.Placement().ClassName(iu.Class)))
		}
	}
	return out
}
