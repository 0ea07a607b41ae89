package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/storage"
)

// migrationBatch is the default number of records to migrate at a time, as in
// nova-manage.
const migrationBatch = 50

// dataMigrationRow is what one migration found and did.
type dataMigrationRow struct {
	Migration string   `json:"migration"`
	Title     string   `json:"title"`
	Needed    int      `json:"total_needed"`
	Completed int      `json:"completed"`
	Errors    []string `json:"errors"`
}

// onlineDataMigrationsCommand returns "placetop online-data-migrations".
func (p *program) onlineDataMigrationsCommand() *cobra.Command {
	var o struct {
		MaxCount int  `flag:"max-count" help:"stop after <N> compute nodes and instances"`
		DryRun   bool `flag:"dry-run" help:"print what would be done, and write nothing"`
	}
	cmd := command(`online-data-migrations
Move to Placement what is kept only in Nova's old columns

Move to Placement what is kept only in Nova's old columns, as nova-manage db
online_data_migrations does: PCI pools in the format of another release, ratios that
were never set, the inventories of compute nodes without a provider, the claims of
instances that hold nothing. What a newer release wrote is left alone. No service
needs to stop. Each compute node and each instance is one change; the command can be
interrupted and run again at any time.

With --max-count it stops after that many. Exit codes, with those of nova-manage:
0 (0) nothing is left to do; 3 (1) some was done, there may be more: run it again;
1 (2) nothing could be done because of errors; 2 (127) wrong usage.
Without --max-count it goes on until nothing is left, and 3 does not occur.

Examples:
  placetop online-data-migrations
  placetop online-data-migrations --max-count 50
  until placetop online-data-migrations --max-count 50; do sleep 1; done`)
	bindFlags(cmd, &o)
	p.outputFlag(cmd, print.Lists())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("max-count") && o.MaxCount < 1 {
			return usageErrorf("leave it out for all", "--max-count must be at least 1")
		}
		store, err := p.openForWrite(cmd.Context(), &writing{DryRun: o.DryRun}, nil)
		if err != nil {
			return err
		}
		m := migrationRun{program: p, store: store, most: o.MaxCount}
		result, err := m.run(cmd.Context(), o.DryRun)
		if err != nil {
			return err
		}
		list := print.Columns("migration", "total_needed", "completed").WideColumns("title")
		for _, r := range m.rows {
			list.Row(r.Migration, r.Needed, r.Completed, print.Dim(r.Title))
		}
		p.printer().List(m.rows, list)
		m.sayErrors()
		if o.DryRun {
			p.say("dry run: nothing is written")
			return nil
		}
		return m.verdict(result)
	}
	return cmd
}

// migrationRun is a run of the online data migrations.
type migrationRun struct {
	*program
	store storage.Store
	most  int // in all batches; 0 for no limit
	done  int
	rows  []dataMigrationRow
}

// run runs batches until the limit is reached or nothing more can be done, and returns
// the result of the last one.
func (m *migrationRun) run(ctx context.Context, dryRun bool) (tracker.BatchResult, error) {
	if dryRun {
		snap := m.store.Snapshot()
		b := tracker.World{Placement: snap.Placement(), Nova: snap.Nova()}.MigrateBatch(m.most, m.now())
		m.needed(b)
		for _, u := range b.Units {
			m.count(u.Migration)
		}
		return b.Result(), nil
	}
	for {
		task := ops.DataMigrations{Most: migrationBatch}
		if m.most > 0 {
			task.Most = m.most - m.done
		}
		result := tracker.NothingLeft
		task.Looked = func(b tracker.Batch) {
			m.needed(b)
			result = b.Result()
		}
		r := m.runner(ctx)
		r.Now, r.Report = m.now, func(d ops.StepDone) {
			m.done++
			m.count(d.Name)
		}
		if err := r.Run(ctx, m.store, &task); err != nil {
			return 0, err
		}
		if result != tracker.MoreToDo || m.most > 0 {
			return result, nil
		}
	}
}

// needed adds what a batch found, on top of what was done before it, and its errors.
func (m *migrationRun) needed(b tracker.Batch) {
	for i, p := range b.Progress {
		if i == len(m.rows) {
			m.rows = append(m.rows, dataMigrationRow{Migration: p.Name, Title: p.Title})
		}
		row := &m.rows[i]
		row.Needed, row.Errors = row.Completed+p.Found, []string{}
		for _, err := range p.Errors {
			row.Errors = append(row.Errors, err.Error())
		}
	}
}

func (m *migrationRun) count(migration string) {
	for i := range m.rows {
		if m.rows[i].Migration == migration {
			m.rows[i].Completed++
		}
	}
}

func (m *migrationRun) sayErrors() {
	for _, row := range m.rows {
		for _, e := range row.Errors {
			m.say("%s: %s", row.Migration, e)
		}
	}
}

// verdict turns the result into an exit code. What is found again after a run without a
// limit could not be migrated.
func (m *migrationRun) verdict(result tracker.BatchResult) error {
	switch result {
	case tracker.MoreToDo:
		return exitErrorf(exitProblems, "run it again", "there may be more to do")
	case tracker.Stuck:
		left := 0
		for _, row := range m.rows {
			left += len(row.Errors)
		}
		return failed(fmt.Errorf("%d could not be migrated", left), "see the reasons above; they are unchanged")
	default:
		return nil
	}
}
