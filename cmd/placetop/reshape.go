package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// reshapeCommand returns "placetop reshape".
func (p *program) reshapeCommand() *cobra.Command {
	cmd := command(`reshape FROM TO CLASS...
Move inventories between providers of a tree, with their allocations

Move the inventories of some classes from one provider to another in its tree, with
their allocations, in one write: Placement's POST /reshaper. If TO already has a
class, total and reserved are added up.

Examples:
  placetop reshape cmp-007 cmp-007_numa0 VCPU MEMORY_MB --dry-run`)
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
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
	})
}
