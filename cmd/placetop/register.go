package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
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
	Records     []string         `json:"records"` // what is written beside Placement, and why, in words
	Problems    []machineProblem `json:"problems"`
	NotReported []machineDevice  `json:"not_reported"`

	warnings []string
	tree     tracker.Tree // as it is reported
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
	o.cards = providertree.Cards(host, o.tree())
	reg, err := p.reconcile(ctx, store, tree, o)
	if err != nil {
		return fmt.Errorf("register %s: %w", tree.Root.Name, err)
	}
	for _, w := range reg.warnings {
		p.say("warning: %s", w)
	}
	report := newMachineReport(host, reg.tree)
	reg.Problems, reg.NotReported = report.Problems, report.NotReported
	if f == formatJSON || f == formatYAML {
		return out.value(reg)
	}
	if len(reg.Differences) > 0 || f == formatCSV {
		if err := printList(out, differenceColumns(), reg.Differences, false); err != nil {
			return err
		}
	}
	for _, line := range reg.Records {
		p.say("%s", line)
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
func (p *program) reconcile(ctx context.Context, store storage.Store, tree tracker.Tree, o probeOptions) (registration, error) {
	for try := 1; ; try++ {
		snap := store.Snapshot()
		reg := registration{
			Host: tree.Root.Name, DryRun: o.dryRun, Revision: snap.Revision(), Operations: []string{}, Differences: []differenceRow{}, Records: []string{},
		}
		change, plan, err := p.planTick(snap, tree, o, "register", reportsEvery(snap, tree.Root.Name))
		if err != nil {
			return registration{}, err
		}
		for _, d := range plan.out.Differences {
			reg.Differences = append(reg.Differences, differenceRow{d.Provider, d.What, d.Has, d.Want, d.Verdict, d.Why, d.Source})
		}
		plan.out.Differences = nil // they are a table of their own
		rest := plan.said(snap)
		reg.Records, reg.warnings, reg.tree = append(reg.Records, rest.changes...), rest.warnings, plan.tree
		var rows []versioned.Change
		for _, op := range change.Ops {
			if put, ok := op.(nova.PutRecords); ok {
				rows = append(rows, put.Records...)
			} else {
				reg.Operations = append(reg.Operations, op.String())
			}
		}
		for _, r := range rows {
			reg.Operations = append(reg.Operations, recordOperation(r))
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

// reportsEvery returns how often the service of a host is to say that it is up: as
// often as it says, where that is more seldom than an agent does.
func reportsEvery(snap *cloud.Snapshot, host string) time.Duration {
	every := tracker.HeartbeatEvery
	if svc, ok := snap.Nova().Service(host, nova.Compute); ok {
		every = max(every, time.Duration(svc.ReportInterval)*time.Millisecond)
	}
	return every
}

// recordOperation says in words what is written of a record.
func recordOperation(c versioned.Change) string {
	switch is := c.After.(type) {
	case *nova.Service:
		return "write service " + is.Binary + " of " + is.Host
	case *nova.ComputeNode:
		return "write compute node " + is.Hostname
	case *nova.PciDevice:
		return "write PCI device " + is.Address
	case nil:
		return "delete " + string(c.Before.RecordKind())
	default:
		return "write " + string(is.RecordKind())
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
