package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/storage"
)

// track decides a tick and writes it. What somebody else wrote in between is read
// again, and the tick is decided anew.
func (p *program) track(ctx context.Context, store storage.Store, tree tracker.Tree, o agentOptions) (ticked, error) {
	t := o.tick(tree, "agent of")
	t.Every = max(tracker.HeartbeatEvery, o.interval)
	plan, found, commit, err := p.writeTick(ctx, store, t, o.dryRun)
	if err != nil {
		return ticked{}, err
	}
	done := saidOf(plan, found)
	done.warnings = append(done.warnings, unseen(found.Tree)...)
	if len(commit.Event.Changes) > 0 {
		p.log.LogAttrs(ctx, slog.LevelInfo, "tick written", slog.Uint64("revision", uint64(commit.Event.Revision)))
	}
	return done, nil
}

// tick returns the round of the resource tracker that the flags ask for.
func (o probeOptions) tick(tree tracker.Tree, by string) ops.Tick {
	return ops.Tick{By: by, Tree: tree, Conf: o.tree().Conf, Shared: o.shared, Agent: len(o.cyborg) > 0, Cards: o.cards}
}

// writeTick decides a tick, and writes it unless it is tried only. It returns what was
// written last.
func (p *program) writeTick(ctx context.Context, store storage.Store, t ops.Tick, dryRun bool) (plan ops.Plan, found ops.Ticked, commit cloud.Commit, err error) {
	first, err := ops.Planner(func(s *cloud.Snapshot) (ops.Plan, error) {
		var err error
		plan, found, err = t.Plan(s, p.now())
		return plan, reportOn(err)
	}).Plan(store.Snapshot())
	if err == nil && !dryRun {
		commit, err = p.runner(ctx).Write(ctx, store, first)
	}
	return plan, found, commit, err
}

// revertDue reverts the moves that nobody confirmed in time, wherever they lead: no
// other process may be there to do it.
func (p *program) revertDue(ctx context.Context, store storage.Store, o agentOptions) (ticked, error) {
	var t ticked
	say := func(m *nova.Migration) {
		name := m.Instance.String()
		if i, ok := store.Snapshot().Nova().Instance(m.Instance); ok {
			name = i.Name
		}
		t.changes = append(t.changes, fmt.Sprintf("%s of %s: reverted, nobody confirmed it in time", m.Type, name))
	}
	if o.dryRun {
		for m := range ops.DueReverts(store.Snapshot(), p.now()) {
			say(m)
		}
		return t, nil
	}
	done, err := ops.RevertDue(ctx, store, p.now(), ops.Runner{Actor: p.actor(), Now: p.now})
	for _, m := range done {
		say(m)
	}
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if err != nil {
		t.warnings = append(t.warnings, err.Error())
	}
	return t, nil
}

// reportOn says what to do where a host has reported its PCI devices and is not to any
// more.
func reportOn(err error) error {
	if still := (*tracker.StillReportedError)(nil); errors.As(err, &still) {
		return failed(err, "add --report-pci")
	}
	return err
}

// discovered says what Cyborg's agent reports of the cards of a host.
func discovered(host string, d cyborg.Discovery) ticked {
	var t ticked
	for _, r := range d.Cyborg.Records {
		was, had := r.Before.(*cyborg.Deployable)
		is, has := r.After.(*cyborg.Deployable)
		switch {
		case has && !had:
			t.changes = append(t.changes, fmt.Sprintf("%s: deployable added: accelerators %d", is.Name, is.Accelerators))
		case has:
			t.changes = append(t.changes, fmt.Sprintf("%s: accelerators %d -> %d", is.Name, was.Accelerators, is.Accelerators))
		case had:
			t.changes = append(t.changes, was.Name+": deployable removed")
		}
	}
	if len(t.changes) == 0 && !d.Empty() {
		t.changes = append(t.changes, "the cards of "+host+" that are Cyborg's")
	}
	for _, tr := range d.Troubles {
		t.warnings = append(t.warnings, fmt.Sprintf("%s: %s: %s", tr.Name, tr.Kind, tr.Why))
	}
	return t
}

// saidOf says in lines what a tick changes, and what an operator should look at.
func saidOf(plan ops.Plan, found ops.Ticked) ticked {
	host, out := found.Tree.Root.Name, found.Out
	var t ticked
	add := func(format string, args ...any) { t.changes = append(t.changes, fmt.Sprintf(format, args...)) }
	if !found.Beat.Empty() {
		svc, known := plan.On.Nova().Service(host, nova.Compute)
		if known && svc.Version == nova.ServiceVersion {
			add("service %s on %s: up", nova.Compute, host)
		} else {
			add("service %s on %s: version %d, up", nova.Compute, host, nova.ServiceVersion)
		}
	}
	for _, d := range out.Differences {
		switch d.Verdict {
		case tracker.Written:
			add("%s: %s", d.Provider, differenceText(d))
		case tracker.Conflict:
			t.warnings = append(t.warnings, fmt.Sprintf("%s: %s: %s", d.Provider, d.What, d.Why))
		default:
		}
	}
	for _, f := range out.Findings {
		if f.Changed {
			add("%s: %s", f.Name, f.Text)
		} else if f.Warning {
			t.warnings = append(t.warnings, f.Name+" "+f.Text)
		}
	}
	columns := false
	for _, r := range out.Nova.Records {
		was, had := r.Before.(*nova.PciDevice)
		is, has := r.After.(*nova.PciDevice)
		switch {
		case !had && !has:
			columns = true
		case !had:
			add("PCI device %s: added: %s:%s %s", is.Address, is.VendorID, is.ProductID, is.DevType)
		case !has:
			add("PCI device %s: removed", was.Address)
		case was.Status != is.Status:
			add("PCI device %s: %s -> %s", is.Address, was.Status, is.Status)
		default:
			add("PCI device %s: what it is", is.Address)
		}
	}
	if columns {
		add("compute node %s: the columns of its record", host)
	}
	cards := discovered(host, found.Found)
	t.changes, t.warnings = append(t.changes, cards.changes...), append(t.warnings, cards.warnings...)
	return t
}

// differenceText says in words what is written because of a difference.
func differenceText(d tracker.Difference) string {
	switch {
	case d.Has == "" && strings.HasSuffix(d.What, d.Want):
		return d.What + " added" // a trait, which is named twice
	case d.Has == "":
		return d.What + " added: " + d.Want
	case d.Want == "":
		return d.What + " removed"
	}
	return d.What + " " + d.Has + " -> " + d.Want
}
