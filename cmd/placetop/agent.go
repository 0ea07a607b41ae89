package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// agentOptions are the flags of "placetop agent".
type agentOptions struct {
	probeOptions
	Interval time.Duration `flag:"interval" not:"once" help:"wait <TIME> between ticks, such as 10s or 5m"`
	Once     bool          `flag:"once" help:"end after one tick"`
	DryRun   bool          `flag:"dry-run" needs:"once" help:"with --once: print what would be written, and write nothing"`
	Pools    []string      `flag:"pool" each:"yes" help:"measure a shared pool, as <NAME=PATH>, instead of the machine; may be repeated"`
}

// agentCommand returns "placetop agent".
func (p *program) agentCommand() *cobra.Command {
	o := agentOptions{Interval: time.Minute}
	cmd := command(`agent
Keep the cloud up to date with this machine, as nova-compute does

Act as the nova-compute of this machine: look at it every minute, compare, and
write only what changed. A tick reports inventories and traits, removes the
allocations of deleted instances, gives instances without allocations what their
flavor asks for, and keeps the old columns of the compute node up to date. All of
that is one change; if somebody else writes in between, it is decided again. Then it
reverts the moves that nobody confirmed in time. The first tick also finishes what
an interrupted command left unfinished and nobody can undo, such as a delete.

If Nova already has a compute node under the name of this machine with another uuid,
it is taken over as it is, as an upgraded nova-compute does.

With --cyborg it is Cyborg's agent too, for the devices named: each is a separate provider
below the compute node, with attach handles, for flavors with a device profile.
Nova reports none of them.

With --endpoint URL --token-file F, or --cloud NAME, and --write it reports to a Placement
elsewhere, as nova-compute's report client does: providers, inventories, traits, and
claims of instances that hold none. It removes only children that it made, and releases
nothing. Nova's own records, and Cyborg's, are left to these services.

With --pool it is the agent of shared pools instead: it measures the file system at PATH
below the machine's root, and writes the size of pool NAME when that has changed. A size
below what is allocated is not written, nor that of the root file system unless PATH is
/: most likely the pool is not mounted. The machine is then not reported, as a server of
storage is no compute node.

Each change is a line on standard output; a quiet tick prints nothing and writes
nothing. The service reports that it is up every five minutes, not at every tick, as
each write is a revision in the journal. The record says so, and the service counts
as down after two missed reports. A service whose version is older than the fleet is
refused.

The file is open only during a tick, so that others can write it in between. While
a dashboard or a server has it open, a tick is written through that, which then also
does what is due; a tick that finds the file locked says so, and the next one tries
again. Interrupt it, or send SIGTERM, to end it; the change under way is finished or
dropped as a whole.

Examples:
  placetop agent
  placetop agent --once --dry-run
  placetop agent --interval 10s --mdev-type nvidia-35
  placetop agent --device-spec '{"address": "0000:3d:00.*"}' --report-pci
  placetop agent --cyborg 0000:84:00.0 --mdev-type nvidia-35
  placetop agent --pool nfs-1=/srv/nova
  placetop agent --endpoint http://127.0.0.1:8778 --token-file token --write`)
	bindFlags(cmd, &o.probeOptions)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "root" {
			f.Annotations[excludedFlags] = []string{"pool"}
		}
	})
	bindFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.Interval <= 0 {
			return usageErrorf("give one such as 60s", "--interval must be above zero")
		}
		for _, text := range o.Pools {
			if name, path, ok := strings.Cut(text, "="); !ok || name == "" || !strings.HasPrefix(path, "/") {
				return usageErrorf("give one such as nfs-1=/srv/nova", "--pool %s is not NAME=PATH", text)
			}
		}
		return p.agent(cmd.Context(), o)
	}
	return cmd
}

// agent ticks until ctx ends. The first tick must work, unless a live cloud cannot be
// reached or was written to meanwhile; one that fails otherwise is reported, and retried.
func (p *program) agent(ctx context.Context, o agentOptions) error {
	if !o.DryRun {
		if err := p.mayWrite(); err != nil {
			return err
		}
	}
	out := p.printer()
	warned := map[string]bool{}
	p.jumps = p.newJumps()
	resumed := false       // a tick has worked
	var live storage.Store // a live cloud, which stays open
	for first := true; ; first = false {
		done, err := p.tick(ctx, o, resumed, &live)
		resumed = resumed || err == nil
		out.Lines(done.changes...)
		switch {
		case p.unprinted != nil:
			return nil //nolint:nilerr // run ends with what could not be printed
		case err != nil && ctx.Err() != nil:
			return nil //nolint:nilerr // a signal is how the agent ends, whatever it was at
		case err != nil && (o.Once || first && !mayPass(err)):
			return err
		case err != nil:
			p.say("%v; the next tick tries again", err)
			p.log.LogAttrs(ctx, slog.LevelWarn, "tick failed", slog.String("error", err.Error()))
		}
		warned = p.warnOnce(done.warnings, warned)
		if o.DryRun && len(done.changes) > 0 {
			p.say("dry run: nothing is written")
		}
		if o.Once {
			return nil
		}
		wait := time.NewTimer(o.Interval)
		select {
		case <-ctx.Done():
			wait.Stop()
			return nil
		case <-wait.C:
		}
	}
}

// warnOnce prints the warnings that are new since the last tick, and returns those of this
// one.
func (p *program) warnOnce(warnings []string, before map[string]bool) map[string]bool {
	now := make(map[string]bool, len(warnings))
	for _, w := range warnings {
		if !before[w] && !now[w] {
			p.warn(w)
		}
		now[w] = true
	}
	return now
}

// tickReport is the result of a tick, or what it would be.
type tickReport struct {
	changes  []string
	warnings []string
}

// add adds the result of more that a tick does.
func (t *tickReport) add(more tickReport) {
	t.changes, t.warnings = append(t.changes, more.changes...), append(t.warnings, more.warnings...)
}

// mayPass reports whether an error of a live cloud may be gone at the next tick.
func mayPass(err error) bool {
	if held := (*storage.LockedError)(nil); errors.As(err, &held) {
		return false
	}
	return errors.Is(err, placement.ErrUnavailable) || errors.Is(err, cloud.ErrInDoubt) || errors.Is(err, placement.ErrConflict)
}

// tick probes the machine, writes what has changed, and does what is due. It closes the
// file before it returns. A live cloud is kept open in live, and only what changed of it is
// read.
func (p *program) tick(ctx context.Context, o agentOptions, resumed bool, live *storage.Store) (done tickReport, err error) {
	var tree tracker.Tree
	if len(o.Pools) == 0 {
		o.writes = true
		if _, tree, err = p.look(ctx, &o.probeOptions); err != nil {
			return tickReport{}, err
		}
	}
	before := len(p.opened)
	defer func() {
		if *live != nil {
			return
		}
		if closed := p.closeDownTo(before); err == nil {
			err = closed
		}
	}()
	store := *live
	if far, ok := engine.Far(store); ok {
		if err := far.Refresh(ctx); err != nil {
			return tickReport{}, err
		}
	} else if store, err = p.openForTick(ctx, o.DryRun); err != nil {
		return tickReport{}, err
	}
	if far, ok := engine.Far(store); ok && *live == nil {
		*live = store
		far.Hold(ctx) // it is read once a tick
	}
	if why := asCopied(store); why != "" {
		return tickReport{}, failed(errors.New(why), adoptHint)
	}
	if len(o.Pools) > 0 {
		return p.measure(ctx, store, o)
	}
	if done, err = p.track(ctx, store, tree, o); err != nil {
		return tickReport{}, fmt.Errorf("agent of %s: %w", tree.Root.Name, err)
	}
	done.add(p.doDue(ctx, store, o, resumed))
	return done, ctx.Err()
}

// openForTick opens the cloud to write to it, or to see what would be written.
func (p *program) openForTick(ctx context.Context, dryRun bool) (storage.Store, error) {
	if dryRun {
		return p.openToTry(ctx)
	}
	return p.openToWrite(ctx)
}

// unmatchedOptions returns which options match nothing on the machine, and what the tick therefore
// does not report, or could not find out.
func unmatchedOptions(tree tracker.Tree) []string {
	out := slices.Clone(tree.Notes)
	for _, l := range tree.Left {
		if l.Kind == tracker.PGPU && l.Remove && l.Why != providertree.HandedOut {
			out = append(out, fmt.Sprintf("%s %s is not reported: %s", l.Kind, l.Device(), l.Why))
		}
	}
	for _, u := range tree.Unknown {
		out = append(out, fmt.Sprintf("%s could not be reported: %s", u.Class, u.Why))
	}
	return out
}

// track decides a tick and writes it. If another write came in between, it reads that and
// decides again.
func (p *program) track(ctx context.Context, store storage.Store, tree tracker.Tree, o agentOptions) (tickReport, error) {
	t := o.tick(tree, "agent of")
	t.Every = max(tracker.HeartbeatEvery, o.Interval)
	plan, found, commit, err := p.writeTick(ctx, store, t, o.DryRun)
	if err != nil {
		return tickReport{}, err
	}
	done := newTickReport(plan, found)
	done.warnings = append(done.warnings, unmatchedOptions(found.Tree)...)
	if len(commit.Event.Changes) > 0 {
		p.log.LogAttrs(ctx, slog.LevelInfo, "tick written", slog.Uint64("revision", uint64(commit.Event.Revision)))
	}
	return done, nil
}

// tick returns the resource tracker's tick for the flags.
func (o probeOptions) tick(tree tracker.Tree, by string) ops.Tick {
	return ops.Tick{By: by, Tree: tree, Conf: o.conf, Shared: o.SharedStorage, Agent: len(o.Cyborg) > 0, Cards: o.cards}
}

// writeTick decides a tick, and writes it unless it is a dry run. It returns what was
// written last.
func (p *program) writeTick(ctx context.Context, store storage.Store, t ops.Tick, dryRun bool) (plan ops.Plan, found ops.TickResult, commit cloud.Commit, err error) {
	if t.Elsewhere = distant(store); t.Elsewhere && !dryRun {
		if err := store.Capabilities().Can(); err != nil {
			return plan, found, commit, err
		}
	}
	if dryRun {
		plan, found, err = t.Plan(store.Snapshot(), p.now())
		can := store.Capabilities()
		can.ReadOnly = "" // a dry run says what would become of it if anything could be written
		if may := can.Can(plan.Change.Ops...); err == nil && may != nil {
			found.Out.Remarks = append(found.Out.Remarks, tracker.Remark{Name: t.Tree.Root.Name + ":", Text: may.Error(), Warning: true})
		}
		return plan, found, commit, reportOn(err)
	}
	runner := p.runner(ctx)
	log := runner.Again
	runner.Again = func(try int, why error) {
		if log(try, why); errors.Is(why, cloud.ErrOvertaken) {
			p.say("%v; the rest is decided again", why)
		}
	}
	plan, found, commit, err = t.Write(ctx, runner, store)
	return plan, found, commit, reportOn(err)
}

// doDue does what is due in the cloud, since there may be no other process to do it.
func (p *program) doDue(ctx context.Context, store storage.Store, o agentOptions, resumed bool) (t tickReport) {
	if follows(store) != nil || distant(store) {
		return t // the process that has the cloud open does it, or the cloud itself
	}
	k := p.newKeeper(store, resumed, p.log)
	if o.DryRun {
		for _, x := range k.Due() {
			t.changes = append(t.changes, x.Done())
		}
		return t
	}
	k.Settle(ctx)
	for _, d := range k.Results() {
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
func discovered(host string, records []versioned.Change, d cyborg.Discovery) tickReport {
	var t tickReport
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

// newTickReport returns what a tick changes, and what an operator should look at, in lines.
func newTickReport(plan ops.Plan, found ops.TickResult) tickReport {
	host, out := found.Tree.Root.Name, found.Out
	var t tickReport
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

// measure writes the size of each pool that has changed. A pool that cannot be measured, or
// is none, stays as it is and does not keep the others from being written.
func (p *program) measure(ctx context.Context, store storage.Store, o agentOptions) (tickReport, error) {
	var done tickReport
	var failed []error
	for _, text := range o.Pools {
		name, path, _ := strings.Cut(text, "=")
		change, err := p.measureOne(ctx, store, o, name, path)
		switch {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case err != nil:
			failed = append(failed, fmt.Errorf("pool %s: %w", name, err))
		case change != "":
			done.changes = append(done.changes, change)
		}
	}
	return done, errors.Join(failed...)
}

// measureOne writes the size of one pool, and returns what it changed; "" for nothing.
func (p *program) measureOne(ctx context.Context, store storage.Store, o agentOptions, name, path string) (string, error) {
	const gib = 1 << 30
	size, err := hw.MeasureFilesystem(ctx, o.Root, path)
	if err != nil {
		return "", err
	}
	total := int64(size.Total / gib)
	if total == 0 {
		return "", fmt.Errorf("the file system of %s has less than 1 GiB: %w", path, placement.ErrInvalid)
	}
	change := ""
	plan, err := ops.Planner(func(s *cloud.Snapshot) (ops.Plan, error) {
		change = ""
		pool, err := finderOf(s).Provider(name)
		if err != nil {
			return ops.Plan{}, err
		}
		plan, err := ops.PlanPool(s, pool.ID(), ops.PoolWish{Class: placement.DiskGB, Total: total})
		if err == nil && !plan.Empty() {
			class, _ := s.Placement().ClassID(placement.DiskGB)
			was, _ := pool.Inventory(class)
			then := was
			if then.Total = total; total < was.Total && then.OverCapacity() {
				return ops.Plan{}, fmt.Errorf("the file system of %s has %d GiB, too few for the %d that are allocated; if that is right, use \"placetop set pool %s --total %d\"",
					path, total, was.Used, pool.Name(), total)
			}
			change = fmt.Sprintf("%s: %s total %d -> %d", pool.Name(), placement.DiskGB, was.Total, total)
		}
		return plan, err
	}).Plan(store.Snapshot())
	if err == nil && !o.DryRun && !plan.Empty() {
		_, err = p.runner(ctx).Write(ctx, store, plan)
	}
	return change, err
}
