package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// serviceWish is the requested state of a service.
type serviceWish struct {
	binary          string
	disable, enable bool
	reason          string
	down, up        bool
	version         int // 0 for no change
}

// verbs returns the operations that bring the service of a host to that state, in order:
// a service that is upgraded and comes up never counts with its old version.
func (w serviceWish) verbs(host string) []nova.Op {
	var out []nova.Op
	if w.version != 0 {
		out = append(out, nova.UpgradeService{Host: host, Binary: w.binary, Version: w.version})
	}
	if w.disable {
		out = append(out, nova.DisableService{Host: host, Binary: w.binary, Reason: w.reason})
	}
	if w.enable {
		out = append(out, nova.EnableService{Host: host, Binary: w.binary})
	}
	if w.down || w.up {
		out = append(out, nova.ForceDownService{Host: host, Binary: w.binary, Down: w.down})
	}
	return out
}

// setService returns "placetop set service".
func (p *program) setService() *cobra.Command {
	var wish serviceWish
	cmd := &cobra.Command{
		Use:   "service HOST",
		Short: "Disable or enable a service, force it down, or upgrade it",
		Long: `Disable the service of a host, so that nothing new lands there, or enable it again;
force it down, so that its version does not count and its instances can be evacuated;
or say that it was upgraded and started. A version never goes back, neither below what
it was nor below what all others have.`,
		Example: `  placetop set service cmp-001 --disable --reason 'new fans'
  placetop set service cmp-012 --version 73 --dry-run`,
		Args:              takes(1, 1),
		ValidArgsFunction: p.completeFirst(names(kinds.Services)),
	}
	flags := cmd.Flags()
	binaryFlag(cmd, &wish.binary)
	flags.BoolVar(&wish.disable, "disable", false, "nothing new may land there")
	flags.StringVar(&wish.reason, "reason", "", "why it is disabled, in `WORDS`")
	flags.BoolVar(&wish.enable, "enable", false, "undo --disable")
	flags.BoolVar(&wish.down, "down", false, "count it as down, whatever it reports")
	flags.BoolVar(&wish.up, "up", false, "undo --down")
	flags.IntVar(&wish.version, "version", 0, "it was started with version `N` of the code")
	requireFlag(cmd, "disable", "reason")
	excludeFlag(cmd, "disable", "enable")
	excludeFlag(cmd, "down", "up")
	w := writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		verbs := wish.verbs(args[0])
		switch {
		case wish.version == 0 && flags.Changed("version"):
			return usageErrorf("versions begin with 1", "--version 0 is not a version")
		case len(verbs) == 0:
			return usageErrorf("give --disable, --enable, --down, --up or --version", "%s has nothing to change", cmd.CommandPath())
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			if _, err := f.Services(args[0]); err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanNova(f.Snapshot, "set service "+wish.binary+" on "+args[0], p.now(), verbs...)
		}, nil)
	}
	return cmd
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
	return p.writesOne(cmd, names(kinds.Services), func(f finder, host string) (ops.Plan, error) {
		if _, err := f.Services(host); err != nil {
			return ops.Plan{}, err
		}
		return ops.PlanNova(f.Snapshot, "delete service "+binary+" on "+host, p.now(), nova.DeleteService{Host: host, Binary: binary})
	})
}
