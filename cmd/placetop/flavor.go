package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// createFlavor returns "placetop create flavor".
func (p *program) createFlavor() *cobra.Command {
	wish := nova.NewFlavor()
	cmd := &cobra.Command{
		Use:   "flavor NAME",
		Short: "Create a flavor, and print its id",
		Long: `Create a flavor. Properties are its extra specs: resources[GROUP]:CLASS=AMOUNT,
trait[GROUP]:TRAIT=required or forbidden, group_policy=none or isolate, and
accel:device_profile=NAME for Cyborg's devices. What cannot be asked of Placement is
refused, and the error names the word at fault.`,
		Example: `  placetop create flavor vgpu.nova --vcpus 2 --ram 4096 --disk 20 --property resources1:VGPU=1
  placetop create flavor vgpu.cyborg --vcpus 2 --ram 4096 --property accel:device_profile=dp-vgpu`,
	}
	flags := cmd.Flags()
	for _, a := range wish.Amounts() {
		about := "how many `CPUS`"
		if a.Unit != "" {
			about = a.Name + " in `" + strings.ToUpper(a.Unit) + "`"
		}
		flags.Int64Var(a.Of, a.Option, *a.Of, about)
	}
	flags.StringVar(&wish.FlavorID, "id", "", "its `ID`; a random uuid by default")
	flags.BoolVar(&wish.Private, "private", false, "not for every project")
	flags.BoolVar(&wish.Disabled, "disable", false, "hide it from new instances for now")
	flags.StringVar(&wish.Description, "description", "", "what it is for, in `WORDS`")
	properties := propertyFlags(cmd, "the extra spec", false)
	w := p.makingFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v := wish
		v.Name = args[0]
		if v.FlavorID == "" {
			v.FlavorID = p.newID().String()
		}
		var err error
		if v.ExtraSpecs, err = properties.on("flavor "+v.Name, nil); err != nil {
			return err
		}
		plan := func(f finder) (ops.Plan, error) {
			return ops.PlanFlavor(f.Snapshot, "create flavor "+v.Name, v.Name, p.now(), nova.CreateFlavor{Flavor: &v})
		}
		return p.write(cmd.Context(), w, plan, func(outcome) any { return v.FlavorID })
	}
	return cmd
}

// setFlavor returns "placetop set flavor".
func (p *program) setFlavor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "flavor NAME",
		Short: "Change the extra specs of a flavor, or hide it from new instances",
		Long: `Change the extra specs of a flavor, or hide it from new instances. Instances keep
the flavor that they were booted with: changed extra specs make a new revision of it,
NAME#2 and so on, for new instances.`,
		Example: `  placetop set flavor gpu.a100.1 --property trait1:OWNER_NOVA=required --dry-run
  placetop set flavor nvme.1 --disable`,
	}
	disable, enable := switchFlags(cmd, "disable", "hide it from new instances", "enable", "offer it to new instances again")
	properties := propertyFlags(cmd, "the extra spec", true)
	needsOneOf(cmd, "property", "no-property", "disable", "enable")
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		v, err := f.Flavor(args[0])
		if err != nil {
			return ops.Plan{}, err
		}
		var verbs []nova.Op
		if !properties.empty() {
			specs, err := properties.on("flavor "+v.Name, v.ExtraSpecs)
			if err != nil {
				return ops.Plan{}, err
			}
			verbs = append(verbs, nova.SetExtraSpecs{Flavor: v.Name, ExtraSpecs: nova.EditsOf(v.ExtraSpecs, specs)})
		}
		if *disable || *enable {
			verbs = append(verbs, nova.DisableFlavor{Flavor: v.Name, Disabled: *disable})
		}
		return ops.PlanFlavor(f.Snapshot, "set flavor "+v.Name, v.Name, p.now(), verbs...)
	})
}
