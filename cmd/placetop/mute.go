package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/ops"
)

// muteCommand returns "placetop mute".
func (p *program) muteCommand() *cobra.Command {
	var said remarkFlags
	cmd := &cobra.Command{
		Use:   "mute RULE",
		Short: "Silence everything a rule finds",
		Long: `Silence everything a rule finds until the time you give, or until "placetop unmute".
This is kept in the cloud, so it applies to everybody. "placetop check --all" prints
what muted rules find.`,
		Example: `  placetop mute u01 --note 'one instance per card, by design'
  placetop mute v02 --for 12h`,
	}
	said.add(cmd, "why: `TEXT` for the others")
	w := p.writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := said.remark(p)
		if err != nil {
			return err
		}
		rule, err := findRule(args[0])
		if err != nil {
			return err
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) { return audit.PlanMute(f.Snapshot, rule, r) }, nil)
	}
	return cmd
}

// unmuteCommand returns "placetop unmute".
func (p *program) unmuteCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "unmute RULE", Short: "Stop silencing a rule", Example: `  placetop unmute u01`}
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		return audit.PlanUnmute(f.Snapshot, audit.RuleID(args[0]))
	})
}

// mutedRules returns the rules that are muted.
func mutedRules(f finder, _ []string) []string {
	var out []string
	for m := range f.Operator().Mutes() {
		out = append(out, m.Rule)
	}
	return out
}
