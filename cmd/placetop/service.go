package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// setService returns "placetop set service".
func (p *program) setService() *cobra.Command {
	o := struct {
		Binary  string `flag:"binary" help:"the service of this <NAME>"`
		Disable bool   `flag:"disable" help:"nothing new may land there"`
		Enable  bool   `flag:"enable" not:"disable" help:"undo --disable"`
		Reason  string `flag:"reason" needs:"disable" help:"why it is disabled, in <WORDS>"`
		Down    bool   `flag:"down" help:"count it as down, whatever it reports"`
		Up      bool   `flag:"up" not:"down" help:"undo --down"`
		Version int    `flag:"version" help:"it was started with version <N> of the code"`
	}{Binary: nova.Compute}
	cmd := command(`service HOST
Disable or enable a service, force it down, or upgrade it

Disable the service of a host, so that nothing new lands there, or enable it again;
force it down, so that its version does not count and its instances can be evacuated;
or say that it was upgraded and started. A version never goes back, neither below what
it was nor below what all others have.

Examples:
  placetop set service cmp-001 --disable --reason 'new fans'
  placetop set service cmp-012 --version 73 --dry-run`)
	needsOneOf(cmd, "disable", "enable", "down", "up", "version")
	changes := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("version") && o.Version < 1 {
			return usageErrorf("versions begin with 1", "--version %d is not a version", o.Version)
		}
		return changes(cmd, args)
	}
	return p.changes(cmd, p.writeFlags(cmd, &o), func(f finder, args []string) (ops.Plan, error) {
		host := args[0]
		if _, err := f.Services(host); err != nil {
			return ops.Plan{}, err
		}
		// In this order a service that is upgraded and comes up never counts with its old
		// version.
		var verbs []nova.Op
		if o.Version != 0 {
			verbs = append(verbs, nova.UpgradeService{Host: host, Binary: o.Binary, Version: o.Version})
		}
		if o.Disable {
			verbs = append(verbs, nova.DisableService{Host: host, Binary: o.Binary, Reason: o.Reason})
		}
		if o.Enable {
			verbs = append(verbs, nova.EnableService{Host: host, Binary: o.Binary})
		}
		if o.Down || o.Up {
			verbs = append(verbs, nova.ForceDownService{Host: host, Binary: o.Binary, Down: o.Down})
		}
		return ops.PlanNova(f.Snapshot, "set service "+o.Binary+" on "+host, p.now(), verbs...)
	})
}

// deleteService returns "placetop delete service".
func (p *program) deleteService() *cobra.Command {
	o := struct {
		Binary string `flag:"binary" help:"the service of this <NAME>"`
	}{nova.Compute}
	cmd := command(`service HOST
Delete the record of a service that is gone for good

Delete the record of a service that is gone for good. For a nova-compute, its compute
nodes, its membership in host aggregates and its providers go too; nothing is deleted
while instances or migrations are on the host.`)
	return p.changes(cmd, p.writeFlags(cmd, &o), func(f finder, args []string) (ops.Plan, error) {
		if _, err := f.Services(args[0]); err != nil {
			return ops.Plan{}, err
		}
		return ops.PlanNova(f.Snapshot, "delete service "+o.Binary+" on "+args[0], p.now(), nova.DeleteService{Host: args[0], Binary: o.Binary})
	})
}
