package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// setService returns "placetop set service".
func (p *program) setService() *cobra.Command {
	var binary, reason string
	var version int
	cmd := &cobra.Command{
		Use:   "service HOST",
		Short: "Disable or enable a service, force it down, or upgrade it",
		Long: `Disable the service of a host, so that nothing new lands there, or enable it again;
force it down, so that its version does not count and its instances can be evacuated;
or say that it was upgraded and started. A version never goes back, neither below what
it was nor below what all others have.`,
		Example: `  placetop set service cmp-001 --disable --reason 'new fans'
  placetop set service cmp-012 --version 73 --dry-run`,
	}
	flags := cmd.Flags()
	binaryFlag(cmd, &binary)
	disable, enable := switchFlags(cmd, "disable", "nothing new may land there", "enable", "undo --disable")
	flags.StringVar(&reason, "reason", "", "why it is disabled, in `WORDS`")
	down, up := switchFlags(cmd, "down", "count it as down, whatever it reports", "up", "undo --down")
	flags.IntVar(&version, "version", 0, "it was started with version `N` of the code")
	requireFlag(cmd, "disable", "reason")
	needsOneOf(cmd, "disable", "enable", "down", "up", "version")
	changes := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if flags.Changed("version") && version < 1 {
			return usageErrorf("versions begin with 1", "--version %d is not a version", version)
		}
		return changes(cmd, args)
	}
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		host := args[0]
		if _, err := f.Services(host); err != nil {
			return ops.Plan{}, err
		}
		// In this order a service that is upgraded and comes up never counts with its old
		// version.
		var verbs []nova.Op
		if version != 0 {
			verbs = append(verbs, nova.UpgradeService{Host: host, Binary: binary, Version: version})
		}
		if *disable {
			verbs = append(verbs, nova.DisableService{Host: host, Binary: binary, Reason: reason})
		}
		if *enable {
			verbs = append(verbs, nova.EnableService{Host: host, Binary: binary})
		}
		if *down || *up {
			verbs = append(verbs, nova.ForceDownService{Host: host, Binary: binary, Down: *down})
		}
		return ops.PlanNova(f.Snapshot, "set service "+binary+" on "+host, p.now(), verbs...)
	})
}

// binaryFlag adds the flag for the service of a host to cmd.
func binaryFlag(cmd *cobra.Command, binary *string) {
	cmd.Flags().StringVar(binary, "binary", nova.Compute, "the service of this `NAME`")
}

// deleteService returns "placetop delete service".
func (p *program) deleteService() *cobra.Command {
	var binary string
	cmd := &cobra.Command{
		Use:   "service HOST",
		Short: "Delete the record of a service that is gone for good",
		Long: `Delete the record of a service that is gone for good. For a nova-compute, its compute
nodes, its membership in host aggregates and its providers go too; nothing is deleted
while instances or migrations are on the host.`,
	}
	binaryFlag(cmd, &binary)
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		if _, err := f.Services(args[0]); err != nil {
			return ops.Plan{}, err
		}
		return ops.PlanNova(f.Snapshot, "delete service "+binary+" on "+args[0], p.now(), nova.DeleteService{Host: args[0], Binary: binary})
	})
}
