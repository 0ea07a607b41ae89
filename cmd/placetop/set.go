package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// setCommand returns "placetop set" with its subcommands.
func (p *program) setCommand() *cobra.Command {
	return parentOf(command(`set WHAT
Change providers, pools, flavors, services, host aggregates, devices or the configuration

Change what exists. What is not named stays as it is: the set is read, edited, and
written back unless somebody else changed it. With --replace, what is named becomes
the whole set of a provider's traits, inventories or aggregates, as in the Placement
API.

Examples:
  placetop set inventory cmp-001 VCPU=16 VCPU:reserved=2 VCPU:allocation_ratio=4
  placetop set trait cmp-001 +CUSTOM_GOLD -HW_CPU_X86_SSE
  placetop set aggregate cmp-001 +5b5a2a44-6a0f-4b8e-9d0c-2f4e7a0f2c11
  placetop set provider cmp-001 --name cmp-1001
  placetop set service cmp-001 --disable --reason 'new fans'`), p.setProvider(), p.setPool(), p.setInventory(), p.setTrait(), p.setAggregate(),
		p.setFlavor(), p.setService(), p.setDevice(), p.setConfig())
}

func (p *program) setProvider() *cobra.Command {
	var o struct {
		Name     string `flag:"name" help:"its new <NAME>"`
		Parent   string `flag:"parent" help:"move it below <PROVIDER>"`
		NoParent bool   `flag:"no-parent" not:"parent" help:"make it a root"`
	}
	cmd := command(`provider PROVIDER
Rename a provider, or move it with everything below it
Also called rp`)
	needsOneOf(cmd, "name", "parent", "no-parent")
	return p.changesProvider(cmd, p.writeFlags(cmd, &o), func(f finder, rp *placement.ResourceProvider, _ []string) (ops.Plan, error) {
		above, err := f.providerID(o.Parent)
		if err != nil {
			return ops.Plan{}, err
		}
		return ops.PlanUpdateProvider(f.Snapshot, rp.ID(), o.Name, o.Parent != "" || o.NoParent, above)
	})
}

func (p *program) setInventory() *cobra.Command {
	cmd := command(`inventory PROVIDER CLASS[:FIELD]=VALUE...
Change how much of a class a provider has
Also called inv

Change how much of a class a provider has. CLASS=VALUE is the total; the other
fields are reserved, min_unit, max_unit, step_size and allocation_ratio. A class
that the provider does not have yet needs a total. Fields and classes not named stay
as they are; with --replace, classes not named are removed and fields not named get
their default.`)
	cmd.Args = takes(1, -1)
	w := p.editFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		edits, err := parseInventoryEdits(args[1:])
		if err != nil {
			return err
		}
		if len(edits) == 0 && !w.Replace {
			return usageErrorf("write CLASS=TOTAL or CLASS:FIELD=VALUE", "%s has nothing to change", cmd.CommandPath())
		}
		return p.writeProvider(cmd.Context(), w.writing, args[0], func(f finder, rp *placement.ResourceProvider) (ops.Plan, error) {
			set := map[placement.ResourceClass]placement.Inventory{}
			if !w.Replace {
				maps.Copy(set, f.Placement().ProviderRecord(rp).Inventories)
			}
			for _, e := range edits {
				inv, there := set[e.class]
				if !there {
					if !strings.Contains(e.fields, "total=") {
						return ops.Plan{}, &placement.InvalidError{
							Field: "inventory", Value: string(e.class), Why: fmt.Sprintf("%s has none yet: give its total, %s=TOTAL", rp.Name(), e.class),
						}
					}
					inv = placement.NewInventory(0)
				}
				if err := ops.EditInventory(&inv, e.fields); err != nil {
					return ops.Plan{}, err
				}
				set[e.class] = inv
			}
			if len(edits) == 1 && !w.Replace {
				return ops.PlanInventory(f.Snapshot, rp.ID(), edits[0].class, set[edits[0].class])
			}
			return ops.PlanInventories(f.Snapshot, rp.ID(), set)
		})
	}
	return cmd
}

func (p *program) setTrait() *cobra.Command {
	cmd := command(`trait PROVIDER +TRAIT... -TRAIT...
Add traits to a provider, and remove others

Add traits to a provider (+TRAIT) and remove traits (-TRAIT); all others stay. With
--replace the traits are exactly those named, without signs. Custom traits that do
not exist yet are created.`)
	cmd.Annotations = map[string]string{signed: "yes"}
	cmd.Args = takes(1, -1)
	w := p.editFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.writeEdits(cmd, w, args, planTraits)
	}
	return cmd
}

// planTraits plans to add traits to a provider and to remove others.
func planTraits(f finder, rp *placement.ResourceProvider, e edits) (ops.Plan, error) {
	add, remove := traitsOf(e.add), traitsOf(e.remove)
	if e.replace {
		add = traitsOf(e.plain)
		remove = without(f.Placement().TraitsOf(rp), add)
	}
	return ops.PlanTraits(f.Snapshot, rp.ID(), add, remove)
}

func (p *program) setAggregate() *cobra.Command {
	cmd := command(`aggregate PROVIDER +UUID... -UUID...
Put a provider into aggregates, or hosts into a host aggregate
Also called agg

Put a provider into aggregates (+UUID) or take it out (-UUID); all others stay. With
--replace it is in exactly those named, without signs. An aggregate exists as soon as
a provider is in it; Nova's aggregates can be given by name.

With --add-host, --remove-host, --zone, --property or --no-property the argument is
the name of a host aggregate of Nova's instead: the providers of its hosts follow.

Examples:
  placetop set aggregate cmp-001 +5b5a2a44-6a0f-4b8e-9d0c-2f4e7a0f2c11
  placetop set aggregate gpu --add-host cmp-008 --remove-host cmp-001`)
	cmd.Annotations = map[string]string{signed: "yes"}
	cmd.Args = takes(1, -1)
	w := p.editFlags(cmd)
	ofNova := aggregateFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !ofNova.empty() {
			if w.Replace || w.generation >= 0 || len(args) > 1 {
				return usageErrorf("name the host aggregate alone", "%s changes a provider or a host aggregate, not both", cmd.CommandPath())
			}
			return ofNova.write(cmd.Context(), p, w.writing, args[0])
		}
		return p.writeEdits(cmd, w, args, planAggregates)
	}
	return cmd
}

// planAggregates plans to add a provider to aggregates and to remove it from others.
func planAggregates(f finder, rp *placement.ResourceProvider, e edits) (ops.Plan, error) {
	var ids [3][]placement.AggregateID
	for i, names := range [][]string{e.add, e.remove, e.plain} {
		for _, n := range names {
			id, err := f.AggregateToBe(n)
			if err != nil {
				return ops.Plan{}, err
			}
			ids[i] = append(ids[i], id)
		}
	}
	add, remove := ids[0], ids[1]
	if e.replace {
		add = ids[2]
		remove = without(rp.Aggregates(), add)
	}
	return ops.PlanAggregates(f.Snapshot, rp.ID(), add, remove)
}

// editFlags are the flags of a write that edits or replaces a set of a provider's.
type editFlags struct {
	*writing
	Replace bool `flag:"replace" help:"replace the whole set with what is named"`
}

// editFlags adds the flags of a write that edits or replaces a set to cmd.
func (p *program) editFlags(cmd *cobra.Command) *editFlags {
	w := &editFlags{writing: p.writeFlags(cmd)}
	bindFlags(cmd, w)
	w.generationFlag(cmd)
	return w
}

// writeEdits writes the plan for the edits after the name of a provider.
func (p *program) writeEdits(cmd *cobra.Command, w *editFlags, args []string, plan func(finder, *placement.ResourceProvider, edits) (ops.Plan, error)) error {
	e, err := parseEdits(args[1:])
	if err != nil {
		return err
	}
	e.replace = w.Replace
	if err := e.check(cmd); err != nil {
		return err
	}
	return p.writeProvider(cmd.Context(), w.writing, args[0], func(f finder, rp *placement.ResourceProvider) (ops.Plan, error) {
		return plan(f, rp, e)
	})
}

// changesProvider is changes for a command whose first argument names a provider; the flag
// --generation guards it.
func (p *program) changesProvider(cmd *cobra.Command, w *writing, plan func(f finder, rp *placement.ResourceProvider, args []string) (ops.Plan, error)) *cobra.Command {
	w.generationFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.writeProvider(cmd.Context(), w, args[0], func(f finder, rp *placement.ResourceProvider) (ops.Plan, error) {
			return plan(f, rp, args[1:])
		})
	}
	return cmd
}

// writeProvider is write for one named provider.
func (p *program) writeProvider(ctx context.Context, w *writing, name string, plan func(finder, *placement.ResourceProvider) (ops.Plan, error)) error {
	return p.write(ctx, w, func(f finder) (ops.Plan, error) {
		rp, err := f.Provider(name)
		if err != nil {
			return ops.Plan{}, err
		}
		if err := w.guard(rp); err != nil {
			return ops.Plan{}, err
		}
		return plan(f, rp)
	}, nil)
}

func traitsOf(names []string) []placement.Trait {
	out := make([]placement.Trait, len(names))
	for i, n := range names {
		out[i] = placement.Trait(strings.TrimSpace(n))
	}
	return out
}

// without returns those of all that are not in keep.
func without[T comparable](all, keep []T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(t T) bool { return slices.Contains(keep, t) })
}
