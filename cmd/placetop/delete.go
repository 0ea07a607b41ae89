package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// deleteCommand returns "placetop delete" with its subcommands.
func (p *program) deleteCommand() *cobra.Command {
	return parentOf(&cobra.Command{
		Use:   "delete WHAT",
		Short: "Delete a provider, inventories, a class, a trait, a flavor, a profile, a service or a host aggregate",
		Long: `Delete what nobody uses. If something is still in use it is named, and nothing is
deleted. To delete allocations, use "placetop release".`,
		Example: `  placetop delete provider ceph-ssd-02 --tree --dry-run
  placetop delete inventory cmp-011 VGPU
  placetop delete trait CUSTOM_GOLD`,
	}, p.deleteProvider(), p.deleteInventory(), p.deleteClass(), p.deleteTrait(),
		p.deleteFlavor(), p.deleteProfile(), p.deleteService(), p.deleteAggregate())
}

func (p *program) deleteProvider() *cobra.Command {
	var tree bool
	cmd := &cobra.Command{
		Use:               "provider PROVIDER",
		Aliases:           []string{"rp"},
		Short:             "Delete a provider without allocations and children",
		Args:              takes(1, 1),
		ValidArgsFunction: p.completeFirst(names(kinds.Providers)),
	}
	cmd.Flags().BoolVar(&tree, "tree", false, "also delete everything below it, children before their parents")
	w := writeFlags(cmd)
	w.generationFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.writeProvider(cmd.Context(), w, args[0], func(f finder, rp *placement.ResourceProvider) (ops.Plan, error) {
			return ops.PlanDeleteProvider(f.Snapshot, rp.ID(), tree)
		})
	}
	return cmd
}

func (p *program) deleteInventory() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "inventory PROVIDER CLASS...",
		Aliases: []string{"inv"},
		Short:   "Remove inventories from a provider",
		Args:    takes(2, -1),
		ValidArgsFunction: p.complete(func(f finder, args []string) []string {
			if len(args) == 0 {
				return names(kinds.Providers)(f)
			}
			var out []string
			if rp, err := f.Provider(args[0]); err == nil {
				for _, iu := range rp.Inventories() {
					out = append(out, string(f.Placement().ClassName(iu.Class)))
				}
			}
			return out
		}),
	}
	w := writeFlags(cmd)
	w.generationFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.writeProvider(cmd.Context(), w, args[0], func(f finder, rp *placement.ResourceProvider) (ops.Plan, error) {
			if len(args) == 2 {
				return ops.PlanDropInventory(f.Snapshot, rp.ID(), placement.ResourceClass(args[1]))
			}
			rest := f.Placement().ProviderRecord(rp).Inventories
			for _, name := range args[1:] {
				class := placement.ResourceClass(name)
				if _, ok := rest[class]; !ok {
					return ops.Plan{}, &placement.NotFoundError{What: "inventory", Name: fmt.Sprintf("%s of %s", class, rp.Name())}
				}
				delete(rest, class)
			}
			return ops.PlanInventories(f.Snapshot, rp.ID(), rest)
		})
	}
	return cmd
}

func (p *program) deleteClass() *cobra.Command {
	cmd := &cobra.Command{Use: "class NAME", Aliases: []string{"rc"}, Short: "Delete a custom resource class that no provider has"}
	return p.writesOne(cmd, names(kinds.Classes), func(f finder, name string) (ops.Plan, error) {
		return ops.PlanOp(f.Snapshot, placement.DeleteClass{Name: placement.ResourceClass(name)})
	})
}

func (p *program) deleteTrait() *cobra.Command {
	cmd := &cobra.Command{Use: "trait NAME", Short: "Delete a custom trait that no provider has"}
	return p.writesOne(cmd, names(kinds.Traits), func(f finder, name string) (ops.Plan, error) {
		return ops.PlanOp(f.Snapshot, placement.DeleteTrait{Name: placement.Trait(name)})
	})
}
