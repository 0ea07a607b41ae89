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

	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// agentOptions are the flags of "placetop agent".
type agentOptions struct {
	probeOptions
	interval time.Duration
	once     bool
	pools    []string // NAME=PATH: measured instead of the machine
}

// agentCommand returns "placetop agent".
func (p *program) agentCommand() *cobra.Command {
	var o agentOptions
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Keep the cloud up to date with this machine, as nova-compute does",
		Long: `Act as the nova-compute of this machine: look at it every minute, compare, and
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
below the machine's root, and writes the size of pool NAME when that has changed. The
machine is then not reported, as a server of storage is no compute node.

Each change is a line on standard output; a quiet tick prints nothing and writes
nothing. The service reports that it is up every five minutes, not at every tick, as
each write is a revision in the journal. The record says so, and the service counts
as down after two missed reports. A service whose version is older than the fleet is
refused.

The file is open only during a tick, so that others can write it in between. While
a dashboard or a server has it open, a tick is written through that, which then also
does what is due; a tick that finds the file locked says so, and the next one tries
again. Interrupt it, or send SIGTERM, to end it; the change under way is finished or
dropped as a whole.`,
		Example: `  placetop agent
  placetop agent --once --dry-run
  placetop agent --interval 10s --mdev-type nvidia-35
  placetop agent --device-spec '{"address": "0000:3d:00.*"}' --report-pci
  placetop agent --cyborg 0000:84:00.0 --mdev-type nvidia-35
  placetop agent --pool nfs-1=/srv/nova
  placetop agent --endpoint http://127.0.0.1:8778 --token-file token --write`,
	}
	o.machineFlags(cmd)
	ofMachine := flagNames(cmd, func(f *pflag.Flag) bool { return f.Name != "root" })
	flags := cmd.Flags()
	flags.DurationVar(&o.interval, "interval", time.Minute, "wait `TIME` between ticks, such as 10s or 5m")
	flags.StringArrayVar(&o.pools, "pool", nil, "measure a shared pool, as `NAME=PATH`, instead of the machine; may be repeated")
	excludeFlag(cmd, "pool", ofMachine...)
	flags.BoolVar(&o.once, "once", false, "end after one tick")
	flags.BoolVar(&o.dryRun, "dry-run", false, "with --once: print what would be written, and write nothing")
	requireFlag(cmd, "once", "dry-run")
	excludeFlag(cmd, "once", "interval")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.interval <= 0 {
			return usageErrorf("give one such as 60s", "--interval must be above zero")
		}
		for _, text := range o.pools {
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
	if !o.dryRun {
		if err := p.mayWrite(); err != nil {
			return err
		}
	}
	out := p.printer()
	warned := map[string]bool{}
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
		case err != nil && (o.once || first && !mayPass(err)):
			return err
		case err != nil:
			p.say("%v; the next tick tries again", err)
			p.log.LogAttrs(ctx, slog.LevelWarn, "tick failed", slog.String("error", err.Error()))
		}
		warned = p.warnOnce(done.warnings, warned)
		if o.dryRun && len(done.changes) > 0 {
			p.say("dry run: nothing is written")
		}
		if o.once {
			return nil
		}
		wait := time.NewTimer(o.interval)
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

// ticked is the result of a tick, or what it would be.
type ticked struct {
	changes  []string
	warnings []string
}

// add adds the result of more that a tick does.
func (t *ticked) add(more ticked) {
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
func (p *program) tick(ctx context.Context, o agentOptions, resumed bool, live *storage.Store) (done ticked, err error) {
	var tree tracker.Tree
	if len(o.pools) == 0 {
		o.writes = true
		if _, tree, err = p.look(ctx, &o.probeOptions); err != nil {
			return ticked{}, err
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
			return ticked{}, err
		}
	} else if store, err = p.openForTick(ctx, o.dryRun); err != nil {
		return ticked{}, err
	}
	if far, ok := engine.Far(store); ok && *live == nil {
		*live = store
		far.Hold(ctx) // it is read once a tick
	}
	if why := asCopied(store); why != "" {
		return ticked{}, failed(errors.New(why), adoptHint)
	}
	if len(o.pools) > 0 {
		return p.measure(ctx, store, o)
	}
	if done, err = p.track(ctx, store, tree, o); err != nil {
		return ticked{}, fmt.Errorf("agent of %s: %w", tree.Root.Name, err)
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

// unseen returns which options match nothing on the machine, and what the tick therefore
// does not report, or could not find out.
func unseen(tree tracker.Tree) []string {
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
