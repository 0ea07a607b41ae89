package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/themes"
)

// registerTries is how often a machine is compared and written again, when
// somebody else writes in between.
const registerTries = 5

// registration is what came, or would come, of registering a machine.
type registration struct {
	Host        string           `json:"host"`
	DryRun      bool             `json:"dry_run"`
	Changed     bool             `json:"changed"` // or would be, with DryRun
	Revision    cloud.Revision   `json:"revision"`
	Operations  []string         `json:"operations"`
	Differences []differenceRow  `json:"differences"`
	Problems    []machineProblem `json:"problems"`
	NotReported []machineDevice  `json:"not_reported"`
}

// differenceRow is one thing that the cloud and the machine say differently.
type differenceRow struct {
	Provider string          `json:"resource_provider"`
	What     string          `json:"what"`
	Has      string          `json:"has"`  // what the cloud says
	Want     string          `json:"want"` // what the machine says
	Verdict  tracker.Verdict `json:"verdict"`
	Why      string          `json:"why,omitempty"`
	Source   string          `json:"source"`
}

// register writes what the machine says and the cloud does not, as nova-compute
// does at each of its reports.
func (p *program) register(ctx context.Context, host hw.Host, tree tracker.Tree, o probeOptions, f format) error {
	out, err := p.printer(f)
	if err != nil {
		return err
	}
	open := p.openToWrite
	if o.dryRun {
		open = p.openToTry
	} else if err := p.mayWrite(); err != nil {
		return err
	}
	store, err := open(ctx)
	if err != nil {
		return err
	}
	report := newMachineReport(host, tree)
	reg, err := p.reconcile(ctx, store, tree, o, providertree.Cards(host, o.tree()))
	if err != nil {
		return fmt.Errorf("register %s: %w", tree.Root.Name, err)
	}
	reg.Problems, reg.NotReported = report.Problems, report.NotReported
	if f == formatJSON || f == formatYAML {
		return out.value(reg)
	}
	if len(reg.Differences) > 0 || f == formatCSV {
		if err := printList(out, differenceColumns(), reg.Differences, false); err != nil {
			return err
		}
	}
	p.sayProblems(report)
	switch {
	case !reg.Changed:
		p.say("nothing to do: the cloud says of %s what the machine says", reg.Host)
	case o.dryRun:
		p.say("would write %s; nothing is written", counted(len(reg.Operations), "operation"))
	default:
		p.say("registered %s, at revision %d", reg.Host, reg.Revision)
	}
	return nil
}

// reconcile plans and writes. What somebody else wrote in between is read again,
// and the plan is made anew: it is a comparison, never a repetition.
func (p *program) reconcile(ctx context.Context, store storage.Store, tree tracker.Tree, o probeOptions, cards []cyborg.Card) (registration, error) {
	for try := 1; ; try++ {
		snap := store.Snapshot()
		reg := registration{
			Host: tree.Root.Name, DryRun: o.dryRun, Revision: snap.Revision(), Operations: []string{}, Differences: []differenceRow{},
		}
		plan, differences, err := tracker.Report(snap.Placement(), tree)
		if err != nil {
			return registration{}, reportOn(err)
		}
		for _, d := range differences {
			reg.Differences = append(reg.Differences, differenceRow{d.Provider, d.What, d.Has, d.Want, d.Verdict, d.Why, d.Source})
		}
		change := cloud.Change{Actor: p.actor(), Note: "register " + tree.Root.Name, Placement: plan.Ops}
		found, err := p.discover(snap, &change, tree.Root.Name, o, cards)
		if err != nil {
			return registration{}, err
		}
		for _, w := range found.warnings {
			p.say("warning: %s", w)
		}
		for _, op := range change.Placement {
			reg.Operations = append(reg.Operations, op.String())
		}
		switch {
		case change.Empty():
			return reg, nil
		case o.dryRun:
			_, ev, err := snap.Apply(storage.Stamp(change, p.now))
			reg.Changed = len(ev.Changes) > 0
			return reg, err
		}
		commit, err := store.Apply(ctx, change)
		if errors.Is(err, placement.ErrConflict) && try < registerTries {
			p.log.LogAttrs(ctx, slog.LevelWarn, "conflict, compares again", slog.Int("try", try), slog.String("error", err.Error()))
			continue
		}
		if err != nil {
			return registration{}, err
		}
		reg.Revision, reg.Changed = commit.Snapshot.Revision(), len(commit.Event.Changes) > 0
		return reg, nil
	}
}

func differenceColumns() []column[differenceRow] {
	verdict := text("verdict", func(d differenceRow) string { return string(d.Verdict) })
	verdict.token = func(d differenceRow) themes.Token {
		switch d.Verdict {
		case tracker.Written:
			return themes.Changed
		case tracker.Conflict:
			return themes.Critical
		default:
			return themes.Dim
		}
	}
	return []column[differenceRow]{
		text("resource_provider", func(d differenceRow) string { return d.Provider }),
		text("what", func(d differenceRow) string { return d.What }),
		text("has", func(d differenceRow) string { return d.Has }),
		text("want", func(d differenceRow) string { return d.Want }),
		verdict,
		text("why", func(d differenceRow) string { return d.Why }),
		wide(dim(text("source", func(d differenceRow) string { return d.Source }))),
	}
}
