package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// createFlavor returns "placetop create flavor".
func (p *program) createFlavor() *cobra.Command {
	wish := nova.NewFlavor()
	var o struct {
		ID          string `flag:"id" help:"its <ID>; a random uuid by default"`
		Private     bool   `flag:"private" help:"not for every project"`
		Disable     bool   `flag:"disable" help:"hide it from new instances for now"`
		Description string `flag:"description" help:"what it is for, in <WORDS>"`
	}
	cmd := command(`flavor NAME
Create a flavor, and print its id

Create a flavor. Properties are its extra specs: resources[GROUP]:CLASS=AMOUNT,
trait[GROUP]:TRAIT=required or forbidden, group_policy=none or isolate, and
accel:device_profile=NAME for Cyborg's devices. What cannot be asked of Placement is
refused, and the error names the word at fault.

Examples:
  placetop create flavor vgpu.nova --vcpus 2 --ram 4096 --disk 20 --property resources1:VGPU=1
  placetop create flavor vgpu.cyborg --vcpus 2 --ram 4096 --property accel:device_profile=dp-vgpu`)
	for _, a := range wish.Amounts() {
		about := "how many `CPUS`"
		if a.Unit != "" {
			about = a.Name + " in `" + strings.ToUpper(a.Unit) + "`"
		}
		cmd.Flags().Int64Var(a.Of, a.Option, *a.Of, about)
	}
	properties := propertyFlags(cmd, "the extra spec", false)
	w := p.makingFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v := wish
		v.Name, v.FlavorID, v.Private, v.Disabled, v.Description = args[0], cmp.Or(o.ID, p.newID().String()), o.Private, o.Disable, o.Description
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
	cmd := command(`flavor NAME
Change the extra specs of a flavor, or hide it from new instances

Change the extra specs of a flavor, or hide it from new instances. Instances keep
the flavor that they were booted with: changed extra specs make a new revision of it,
NAME#2 and so on, for new instances.

Examples:
  placetop set flavor gpu.a100.1 --property trait1:OWNER_NOVA=required --dry-run
  placetop set flavor nvme.1 --disable`)
	var o struct {
		Disable bool `flag:"disable" help:"hide it from new instances"`
		Enable  bool `flag:"enable" not:"disable" help:"offer it to new instances again"`
	}
	properties := propertyFlags(cmd, "the extra spec", true)
	needsOneOf(cmd, "property", "no-property", "disable", "enable")
	return p.changes(cmd, p.writeFlags(cmd, &o), func(f finder, args []string) (ops.Plan, error) {
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
		if o.Disable || o.Enable {
			verbs = append(verbs, nova.DisableFlavor{Flavor: v.Name, Disabled: o.Disable})
		}
		return ops.PlanFlavor(f.Snapshot, "set flavor "+v.Name, v.Name, p.now(), verbs...)
	})
}
