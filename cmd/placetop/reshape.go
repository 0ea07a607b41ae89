package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// reshapeCommand returns "placetop reshape".
func (p *program) reshapeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reshape FROM TO CLASS...",
		Short: "Move inventories between providers of a tree, with their allocations",
		Long: `Move the inventories of some classes from one provider to another in its tree, with
their allocations, in one write: Placement's POST /reshaper. If TO already has a
class, total and reserved are added up.`,
		Example: `  placetop reshape cmp-007 cmp-007_numa0 VCPU MEMORY_MB --dry-run`,
		Args:    takes(3, -1),
		ValidArgsFunction: p.complete(func(f finder, args []string) []string {
			if len(args) < 2 {
				return names(kinds.Providers)(f)
			}
			return names(kinds.Classes)(f)
		}),
	}
	w := writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			from, err := f.Provider(args[0])
			if err != nil {
				return ops.Plan{}, err
			}
			to, err := f.Provider(args[1])
			if err != nil {
				return ops.Plan{}, err
			}
			var classes []placement.ResourceClass
			for _, name := range args[2:] {
				classes = append(classes, placement.ResourceClass(name))
			}
			plan, err := ops.PlanReshape(f.Snapshot, from.ID(), to.ID(), classes...)
			if errors.Is(err, ops.ErrHandOver) {
				err = fmt.Errorf("%w, with placetop handover", err)
			}
			return plan, err
		}, nil)
	}
	return cmd
}
