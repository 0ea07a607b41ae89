package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
)

// track decides a tick and writes it. If another write came in between, it reads that and
// decides again.
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

// tick returns the resource tracker's tick for the flags.
func (o probeOptions) tick(tree tracker.Tree, by string) ops.Tick {
	return ops.Tick{By: by, Tree: tree, Conf: o.conf, Shared: o.shared, Agent: len(o.cyborg) > 0, Cards: o.cards}
}

// writeTick decides a tick, and writes it unless it is a dry run. It returns what was
// written last.
func (p *program) writeTick(ctx context.Context, store storage.Store, t ops.Tick, dryRun bool) (plan ops.Plan, found ops.Ticked, commit cloud.Commit, err error) {
	if t.Elsewhere = distant(store); t.Elsewhere && !dryRun {
		if err := store.Capabilities().Can(); err != nil {
			return plan, found, commit, err
		}
	}
	first, err := ops.Planner(func(s *cloud.Snapshot) (ops.Plan, error) {
		var err error
		plan, found, err = t.Plan(s, p.now())
		return plan, reportOn(err)
	}).Plan(store.Snapshot())
	switch {
	case err == nil && !dryRun:
		runner := p.runner(ctx)
		log := runner.Again
		runner.Again = func(try int, why error) {
			if log(try, why); errors.Is(why, cloud.ErrOvertaken) {
				p.say("%v; the rest is decided again", why)
			}
		}
		commit, err = runner.Write(ctx, store, first)
	case err == nil:
		can := store.Capabilities()
		can.ReadOnly = "" // a dry run says what would become of it if anything could be written
		if may := can.Can(plan.Change.Ops...); may != nil {
			found.Out.Remarks = append(found.Out.Remarks, tracker.Remark{Name: t.Tree.Root.Name + ":", Text: may.Error(), Warning: true})
		}
	}
	return plan, found, commit, err
}

// doDue does what is due in the cloud, since there may be no other process to do it.
func (p *program) doDue(ctx context.Context, store storage.Store, o agentOptions, resumed bool) (t ticked) {
	if follows(store) != nil || distant(store) {
		return t // the process that has the cloud open does it, or the cloud itself
	}
	k := p.newKeeper(store, resumed)
	if o.dryRun {
		for _, x := range k.Due() {
			t.changes = append(t.changes, x.Done())
		}
		return t
	}
	k.Settle(ctx)
	for _, d := range k.Deeds() {
		if d.Err != nil {
			t.warnings = append(t.warnings, d.Text)
		} else {
			t.changes = append(t.changes, d.Text)
		}
	}
	return t
}

// reportOn returns what to do if a host has reported its PCI devices and is not to report
// them any more.
func reportOn(err error) error {
	if still := (*tracker.StillReportedError)(nil); errors.As(err, &still) {
		return failed(err, "add --report-pci")
	}
	return err
}

// discovered returns what Cyborg's agent reports of the cards of a host.
func discovered(host string, records []versioned.Change, d cyborg.Discovery) ticked {
	var t ticked
	for _, r := range records {
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

// saidOf returns what a tick changes, and what an operator should look at, in lines.
func saidOf(plan ops.Plan, found ops.Ticked) ticked {
	host, out := found.Tree.Root.Name, found.Out
	var t ticked
	add := func(format string, args ...any) { t.changes = append(t.changes, fmt.Sprintf(format, args...)) }
	if len(found.Beat) > 0 {
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
	for _, f := range out.Remarks {
		if f.Changed {
			add("%s: %s", f.Name, f.Text)
		} else if f.Warning {
			t.warnings = append(t.warnings, f.Name+" "+f.Text)
		}
	}
	columns := false
	for _, r := range plan.Preview.Records {
		if r.Kind() == nova.KindComputeNode {
			columns = true
		}
		was, had := r.Before.(*nova.PciDevice)
		is, has := r.After.(*nova.PciDevice)
		switch {
		case !had && !has:
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
	t.add(discovered(host, plan.Preview.Records, found.Found))
	return t
}

// differenceText returns in words what is written because of a difference.
func differenceText(d tracker.Difference) string {
	switch {
	case d.Has == "" && d.Trait != "": // What names the trait
		return d.What + " added"
	case d.Has == "":
		return d.What + " added: " + d.Want
	case d.Want == "":
		return d.What + " removed"
	}
	return d.What + " " + d.Has + " -> " + d.Want
}
