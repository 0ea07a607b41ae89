package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/storage"
)

// healRow is the printed result of healing one instance.
type healRow struct {
	UUID    string          `json:"instance_uuid"`
	Name    string          `json:"instance_name"`
	Outcome ops.HealOutcome `json:"outcome"`
	Why     string          `json:"why,omitempty"`  // of what is not healed
	Plan    *planReport     `json:"plan,omitempty"` // of what is, or would be
}

// healCommand returns "placetop heal".
func (p *program) healCommand() *cobra.Command {
	var o struct {
		Force bool `flag:"force" help:"release what an instance holds beyond its flavor, or on other hosts"`
		Max   int  `flag:"max" help:"at most <N> of them, 0 for all"`
	}
	cmd := command(`heal [INSTANCE]...
Give instances that hold nothing what their flavors ask for

Give instances that hold nothing what their flavors ask for, and correct the project
and user of claims; without a name, all of them. A unit of a card is claimed only if
it is known which card, and a claim attaches no device: the guest has it already, or
gets it when it is rebuilt, resized or migrated. A claim that lost a part is completed.
One that holds something other than its flavor asks for is left alone without --force.
Exit code 3 means that some were not healed.

Examples:
  placetop heal --dry-run
  placetop heal infer-9 --force`)
	w := p.writeFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.Max < 0 {
			return usageErrorf("use 0 for all", "--max %d is below zero", o.Max)
		}
		store, err := p.openForWrite(cmd.Context(), w, nil)
		if err != nil {
			return err
		}
		return p.heal(cmd.Context(), w, store, ops.HealOptions{Force: o.Force, Most: o.Max}, args)
	}
	return cmd
}

// heal heals the named instances, or all.
func (p *program) heal(ctx context.Context, w *writing, store storage.Store, o ops.HealOptions, names []string) error {
	heals, err := finderOf(store.Snapshot()).heals(o, names)
	if err != nil {
		return err
	}
	gap := "" // why there may be more of them
	if len(names) == 0 {
		gap = store.Snapshot().Gap(cloud.Instances)
	}
	rows := []healRow{}
	count := map[ops.HealOutcome]int{}
	for _, h := range heals {
		if o.Force && len(names) > 0 {
			h.Plan.Change.Force = cloud.ForceListed
		}
		if h.Outcome == ops.HealNothing && len(names) == 0 {
			continue
		}
		row, err := p.healOne(ctx, w, store, h)
		switch {
		case err == nil:
		case len(heals) > 1 && ctx.Err() == nil && outcomeOf(err) == leftAsItIs: // others may well be healed
			row.Outcome, row.Why = ops.HealRefused, oneLine(errorText(err))
		default:
			if len(rows) > 0 {
				p.printHeals(rows, false)
			}
			return fmt.Errorf("heal %s: %w", h.Instance.Name, err)
		}
		rows = append(rows, row)
		count[row.Outcome]++
	}
	p.printHeals(rows, gap == "")
	if w.DryRun && p.format == print.Table {
		p.say("dry run: nothing is written")
	}
	if left := count[ops.HealRefused] + count[ops.HealNoNode] + count[ops.HealNoRoom] + count[ops.HealPartial]; left > 0 {
		return exitErrorf(exitProblems, "", "%s not healed", counted(left, "instance"))
	}
	if gap != "" {
		return fmt.Errorf("whether all instances hold what they should is not known: %s: %s", cloud.Instances, gap)
	}
	return nil
}

// heals plans for the named instances, or for all.
func (f finder) heals(o ops.HealOptions, names []string) ([]ops.Heal, error) {
	if len(names) == 0 {
		return ops.PlanHeal(f.Snapshot, o)
	}
	var out []ops.Heal
	for _, name := range names {
		i, err := f.LiveInstance(name)
		if err != nil {
			return nil, err
		}
		o.Instance = i.UUID
		of, err := ops.PlanHeal(f.Snapshot, o)
		if err != nil {
			return nil, err
		}
		out = append(out, of...)
	}
	return out, nil
}

// healOne writes what heals one instance, or with --dry-run prints it.
func (p *program) healOne(ctx context.Context, w *writing, store storage.Store, h ops.Heal) (healRow, error) {
	row := healRow{UUID: h.Instance.UUID.String(), Name: h.Instance.Name, Outcome: h.Outcome, Why: h.Why}
	if h.Plan.Empty() {
		return row, nil
	}
	h.Plan = h.Plan.In(store.Capabilities())
	did := p.carryOut(ctx, store, w.DryRun, operation{note: h.Plan.Change.Note, task: h.Plan, plan: &h.Plan, shown: h.Plan.Shown()})
	if did.failed != nil {
		return row, did.failed
	}
	if did.preview.Empty() {
		row.Outcome, row.Why = ops.HealNothing, "another writer has healed it meanwhile"
	}
	if out := p.printer(); out.People() && w.DryRun {
		out.Lines(did.preview.Lines()...)
	} else if out.People() {
		p.warn(did.preview.Warnings...)
	}
	report := newPlanReport(did)
	row.Plan = &report
	return row, nil
}

// printHeals prints the results, of all instances or not.
func (p *program) printHeals(rows []healRow, all bool) {
	out := p.printer()
	if len(rows) == 0 && out.People() {
		if all {
			p.say("nothing to do: all instances hold what they should")
		}
		return
	}
	list := print.Columns("instance_name", "outcome", "why", "instance_uuid")
	for _, r := range rows {
		list.Row(r.Name, r.Outcome, r.Why, print.Dim(r.UUID))
	}
	out.List(rows, list)
}
