package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
)

// undoCommand returns "placetop undo".
func (p *program) undoCommand() *cobra.Command {
	cmd := command(`undo REVISION
Undo what a revision changed

Put back each field that a revision of the journal changed; all others stay. It is
refused if one of them was changed again since, or if something that the revision created
is now in use. The undo is a revision of its own, and can be undone.

Examples:
  placetop get events --limit 5
  placetop undo 48102 --dry-run`)
	w := p.writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		store, err := p.openForWrite(ctx, w, nil)
		if err != nil {
			return err
		}
		rows, err := eventRows(ctx, store, kinds.Query{Name: args[0]})
		if err != nil {
			return err
		}
		ev := rows[0].(*cloud.Event) // eventRows has no others
		return p.operateOn(ctx, w, store, func(f finder) (operation, error) {
			return planned(f.Snapshot, func(f finder) (ops.Plan, error) {
				return ops.PlanUndo(f.Snapshot, *ev, ops.EventsAfter(ctx, store, ev.Revision))
			})
		}, nil)
	}
	return cmd
}
