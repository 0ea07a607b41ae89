package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// track decides a tick and writes it. What somebody else wrote in between is read
// again, and the tick is decided anew.
func (p *program) track(ctx context.Context, store storage.Store, tree tracker.Tree, o agentOptions) (ticked, error) {
	for try := 1; ; try++ {
		snap := store.Snapshot()
		change, plan, err := p.planTick(snap, tree, o.probeOptions, "agent of", max(tracker.HeartbeatEvery, o.interval))
		if err != nil {
			return ticked{}, err
		}
		done := plan.said(snap)
		done.warnings = append(done.warnings, unseen(plan.tree)...)
		if change.Empty() {
			return done, nil
		}
		if o.dryRun {
			_, _, err := snap.Apply(storage.Stamp(change, p.now))
			return done, err
		}
		commit, err := store.Apply(ctx, change)
		if errors.Is(err, placement.ErrConflict) && try < writeTries {
			p.log.LogAttrs(ctx, slog.LevelWarn, "conflict, decides again", slog.Int("try", try), slog.String("error", err.Error()))
			continue
		}
		if err != nil {
			return ticked{}, err
		}
		p.log.LogAttrs(ctx, slog.LevelInfo, "tick written", slog.Uint64("revision", uint64(commit.Snapshot.Revision())))
		return done, nil
	}
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
	done, err := ops.RevertDue(ctx, store, store, p.now(), ops.AdvanceOptions{Actor: p.actor(), Now: p.now})
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

// tickPlan is what a tick would do.
type tickPlan struct {
	tree  tracker.Tree    // as it is reported: under the uuid on record
	beat  nova.PutRecords // of the service
	out   tracker.Outcome
	found ticked // of the devices that are Cyborg's
}

// planTick decides a tick: the heartbeat of the service, which says that it reports
// every so often, and what the tracker has to write; by whom it is, the note says.
func (p *program) planTick(snap *cloud.Snapshot, tree tracker.Tree, o probeOptions, by string, every time.Duration) (cloud.Change, tickPlan, error) {
	w := tracker.World{Placement: snap.Placement(), Nova: snap.Nova()}
	host, now := tree.Root.Name, p.now()
	change := cloud.Change{Actor: p.actor(), Note: by + " " + host}
	fail := func(err error) (cloud.Change, tickPlan, error) { return cloud.Change{}, tickPlan{}, err }
	tree = w.Adopt(host, tree)
	beat, err := w.Heartbeat(host, nova.ServiceVersion, every, now)
	if err != nil {
		return fail(err)
	}
	if w.Nova, _, err = w.Nova.Apply(nova.Change{Ops: []nova.Op{beat}}); err != nil {
		return fail(err)
	}
	node, err := w.NodeOf(host, tree, o.tree().Conf)
	if err != nil {
		return fail(err)
	}
	node.SharedStorage = o.shared
	out, err := w.Tick(node, tree, now)
	if err != nil {
		return fail(reportOn(err))
	}
	change.Ops = append(out.Ops, beat, out.Nova)
	found, err := p.discover(snap, &change, host, o)
	if err != nil {
		return fail(err)
	}
	return change, tickPlan{tree, beat, out, found}, nil
}

// reportOn says what to do where a host has reported its PCI devices and is not to any
// more.
func reportOn(err error) error {
	if still := (*tracker.StillReportedError)(nil); errors.As(err, &still) {
		return failed(err, "add --report-pci")
	}
	return err
}

// discover adds to a change of Nova's what Cyborg's agent reports of the cards of a
// host; nothing where no device is Cyborg's.
//
// Source: cyborg/agent/manager.py, update_available_resource.
func (p *program) discover(snap *cloud.Snapshot, change *cloud.Change, host string, o probeOptions) (ticked, error) {
	if len(o.cyborg) == 0 {
		return ticked{}, nil
	}
	next, _, err := snap.Apply(storage.Stamp(*change, p.now))
	if err != nil {
		return ticked{}, err
	}
	d, err := cyborg.Discover(next.Cyborg(), next.Placement(), host, o.cards, p.now())
	if err != nil {
		return ticked{}, err
	}
	change.Ops = append(append(change.Ops, d.Placement...), d.Cyborg)
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
	return t, nil
}

// said says in lines what a tick changes, and what an operator should look at.
func (plan tickPlan) said(snap *cloud.Snapshot) ticked {
	host, out := plan.tree.Root.Name, plan.out
	var t ticked
	add := func(format string, args ...any) { t.changes = append(t.changes, fmt.Sprintf(format, args...)) }
	if !plan.beat.Empty() {
		svc, known := snap.Nova().Service(host, nova.Compute)
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
	t.changes, t.warnings = append(t.changes, plan.found.changes...), append(t.warnings, plan.found.warnings...)
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
