package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/view"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

// defaultSeed is the default seed of the made-up cloud.
const defaultSeed = 1

// largeDemo is the number of compute nodes from which the garbage of making a demo is
// worth the time of collecting it.
const largeDemo = 1000

// demoOptions are the flags of "placetop demo".
type demoOptions struct {
	Hosts    int    `flag:"hosts" range:"from 1 to 100000" help:"with <N> compute nodes, from 1 to 100000"`
	Seed     uint64 `flag:"seed" help:"make a different cloud of this size: <S> is any whole number from 0"`
	NoTUI    bool   `flag:"no-tui" needs:"db" help:"only write the cloud into the --db file"`
	Troubles bool   `flag:"troubles" help:"with the problems that operators are called for; =false: only those of the story about owners"`
	Script   string `flag:"script" help:"print the story <NAME> as text: transition"` // "" means the dashboard
}

// demoCommand returns "placetop demo".
func (p *program) demoCommand() *cobra.Command {
	o := demoOptions{Hosts: demo.DefaultHosts, Seed: defaultSeed, Troubles: true}
	cmd := command(`demo
Show the dashboard on a made-up cloud

Show the dashboard on a made-up cloud: racks, zones, GPUs of Nova and Cyborg, sharing
pools, instances, and the problems that operators are called for. It is kept in memory, or
with --db in that file, which must be empty or not exist yet.

With --script a story is played on it and printed step by step, with the figures of
the cloud: every write goes through the same code as the commands. Without --troubles,
its cloud has only the problems that the story needs. A --db file keeps the cloud as the
story leaves it. In the dashboard ":demo transition" shows the same steps on its screens.

Examples:
  placetop demo
  placetop demo --hosts 1000 --seed 7
  placetop demo --no-tui --db demo.db
  placetop demo --script transition`)
	cmd.Annotations = map[string]string{cloudless: "true"}
	bindFlags(cmd, &o)
	p.outputFlag(cmd, print.Documents())
	cmd.Flags().Lookup("output").Annotations = map[string][]string{requiredFlags: {"script"}}
	p.completeWith(cmd, "script", cobra.FixedCompletions([]string{demo.Transition().Name}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("script") {
			if _, err := o.scriptOf(); err != nil {
				return err
			}
		}
		if o.Script != "" && !cmd.Flags().Changed("troubles") {
			o.Troubles = false // the story has those that it needs
		}
		if o.Hosts < 1 || o.Hosts > demo.MaxHosts { // demo.Build takes 0 for its default
			return usageErrorf("", "--hosts %d: must be a whole number from 1 to %d", o.Hosts, demo.MaxHosts)
		}
		return p.demo(cmd.Context(), o, cmd.Flags().Changed("db"))
	}
	return cmd
}

func (p *program) demo(ctx context.Context, o demoOptions, inFile bool) error {
	var store storage.Store
	var err error
	where, what := "demo", demo.Options{Hosts: o.Hosts, Seed: o.Seed, Now: p.now(), Troubles: o.Troubles}
	if inFile {
		if err = p.mayWrite(); err != nil {
			return err
		}
		_, missing := os.Lstat(p.settings.DB)
		if store, err = p.openToWrite(ctx); err != nil {
			return err
		}
		where = p.settings.DB
		if store.Snapshot().Revision() > 0 {
			return failed(fmt.Errorf("%s already holds a cloud, at revision %d", p.settings.DB, store.Snapshot().Revision()),
				"name an empty "+p.called()+", or leave out --db for a demo in memory")
		}
		p.madeHere(store, missing == nil, true)
		err = p.fillDemo(ctx, store, what)
	} else {
		store, err = p.demoInMemory(ctx, what)
	}
	if err != nil {
		return err
	}
	p.fresh = nil
	if o.Script != "" {
		return p.playDemo(ctx, store, o, inFile)
	}
	if o.NoTUI {
		p.say("%s holds a made-up cloud of %s, at revision %d", where,
			counted(store.Snapshot().Placement().ProviderCount(), "provider"), store.Snapshot().Revision())
		return nil
	}
	if inFile && p.canDraw() {
		p.share(ctx, store, p.actor())
	}
	if p.settings.ReadOnly {
		store = view.ReadOnly(store, readOnlyRun)
	}
	return p.show(ctx, store, where)
}

// demoInMemory returns a made-up cloud in memory.
func (p *program) demoInMemory(ctx context.Context, o demo.Options) (storage.Store, error) {
	made := p.keep(memory.New(memory.Options{Clock: p.now}))
	if err := p.fillDemo(ctx, made, o); err != nil {
		return nil, err
	}
	d := demoStore{Store: made, quotas: demo.Quotas(made)}
	if compute, ok := demo.Compute(o); ok {
		d.probe = (&demoCompute{reports: compute, of: made, now: p.now}).probe
	}
	return d, nil
}

// demoStore is a demo cloud with what is not in its records: quotas, as a Nova tells
// them, and a compute node for the dashboard to look at.
type demoStore struct {
	storage.Store
	quotas func(ctx context.Context, project string) ([]*nova.Quota, error)
	probe  screen.Probe // nil for none
}

// Capabilities implements cloud.Cloud.
func (d demoStore) Capabilities() cloud.Capabilities {
	can := d.Store.Capabilities()
	can.Quotas = d.quotas
	return can
}

// ahead yields the same as changes, but makes the next few while one is being written, until
// ctx ends: making the cloud takes a third of the time.
func ahead(ctx context.Context, changes iter.Seq[cloud.Change]) iter.Seq[cloud.Change] {
	return func(yield func(cloud.Change) bool) {
		ctx, stop := context.WithCancel(ctx)
		made := make(chan cloud.Change, 4)
		var making sync.WaitGroup
		making.Go(func() {
			defer close(made)
			for c := range changes {
				select {
				case made <- c:
				case <-ctx.Done():
					return
				}
			}
		})
		defer making.Wait()
		defer stop()
		for c := range made {
			if !yield(c) {
				return
			}
		}
	}
}

// fillDemo writes the made-up cloud into an empty store.
func (p *program) fillDemo(ctx context.Context, store storage.Store, o demo.Options) error {
	changes, err := demo.Build(o) //nolint:contextcheck // it builds in memory, and is stopped between two changes
	if err != nil {
		return err
	}
	if o.Hosts >= largeDemo {
		defer debug.SetGCPercent(debug.SetGCPercent(200)) // a quarter of the time would go into collecting
		if isTerminal(p.stderr) {
			changes = p.telling(store, o.Hosts, changes)
		}
	}
	if _, err := (ops.Runner{}).Fill(ctx, store, ahead(ctx, changes)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // the cloud is incomplete
	}
	if o.Hosts >= largeDemo {
		// Making the cloud leaves more garbage than the cloud is large, and the dashboard
		// would keep it until it has made as much again.
		debug.FreeOSMemory()
	}
	if o.Troubles {
		return demo.Contend(ctx, store, o.Hosts, ops.Runner{Now: p.now})
	}
	return nil
}

// telling yields the same as changes, and shows in a line, which is erased in the end,
// how much of the cloud is there.
func (p *program) telling(store storage.Store, hosts int, changes iter.Seq[cloud.Change]) iter.Seq[cloud.Change] {
	say := func(format string, args ...any) {
		_, _ = fmt.Fprintf(p.stderr, "\r\x1b[K"+format, args...) // a failure to write this line does not matter
	}
	return func(yield func(cloud.Change) bool) {
		defer say("")
		for c := range changes {
			made := store.Snapshot().Placement()
			say("making up %s: %s and %s so far; ^c stops", counted(hosts, "host"), counted(made.ProviderCount(), "provider"), counted(made.ConsumerCount(), "consumer"))
			if !yield(c) {
				return
			}
		}
	}
}

// scriptWidth is how wide the text of a script is, in cells.
const scriptWidth = 88

// leastScripted is how many hosts a script needs: a demo of that size has all stories.
const leastScripted = demo.DefaultHosts

// scriptOf returns the script that the flags name.
func (o demoOptions) scriptOf() (demo.Script, error) {
	sc := demo.Transition()
	switch {
	case o.Script != sc.Name:
		return sc, usageErrorf("", "--script %q: the only script is %s", o.Script, sc.Name)
	case o.Hosts < leastScripted:
		return sc, usageErrorf("", "--hosts %d: a script needs %d or more", o.Hosts, leastScripted)
	}
	return sc, nil
}

// scriptStep is a step of a script, for programs.
type scriptStep struct {
	Number int            `json:"number"`
	Name   string         `json:"name"`
	Title  string         `json:"title"`
	Will   string         `json:"will"`
	Did    string         `json:"did"`
	Facts  []string       `json:"facts"`
	Writes []stepReport   `json:"writes"`
	Moved  []movedHolding `json:"moved"`
	Before []demo.Share   `json:"vgpu_before"`
	After  []demo.Share   `json:"vgpu_after"`
}

// newScriptStep returns a played step, for programs.
func newScriptStep(n int, st demo.Step, p demo.StepResult) scriptStep {
	out := scriptStep{
		Number: n + 1, Name: st.Name, Title: st.Title, Will: st.Will, Did: st.Did(p), Facts: filled(st.Facts(p.After)),
		Writes: []stepReport{}, Moved: []movedHolding{}, Before: demo.Shares(p.Before), After: demo.Shares(p.After),
	}
	for _, t := range p.Taken {
		out.Writes = append(out.Writes, stepReport{Name: t.Name, Title: t.Title, Revision: t.Event.Revision, Tries: t.Tries, Cause: causeText(t.Cause)})
		for _, d := range t.Holdings {
			out.Moved = append(out.Moved, movedHolding{t.Name, d})
		}
	}
	return out
}

// playDemo plays the script that the flags name.
func (p *program) playDemo(ctx context.Context, store storage.Store, o demoOptions, inFile bool) error {
	sc, err := o.scriptOf()
	if err != nil {
		return err
	}
	left, err := p.playScript(ctx, store, sc)
	if err != nil {
		return err
	}
	if inFile {
		p.say("%s holds the cloud as the story left it, at revision %d", p.settings.DB, left)
	}
	return nil
}

// playScript plays a script on the made-up cloud in store, from its current state, and
// prints what happens. It returns the revision that the last step led to.
func (p *program) playScript(ctx context.Context, store storage.Store, sc demo.Script) (cloud.Revision, error) {
	left, out := store.Snapshot().Revision(), p.printer()
	if err := sc.Ready(store.Snapshot()); err != nil {
		return 0, err
	}
	var told []scriptStep
	for n, st := range sc.Steps {
		played, err := st.Play(ctx, store, ops.Runner{Actor: p.actor(), Now: p.now})
		if err != nil {
			return 0, fmt.Errorf("step %d, %s: %w", n+1, st.Title, err)
		}
		for _, w := range played.Taken {
			left = w.Event.Revision
		}
		told = append(told, newScriptStep(n, st, played))
		if out.People() {
			printStep(out, len(sc.Steps), told[n])
		}
	}
	if out.People() {
		out.Lines("WHAT WAS SHOWN, and the VGPUs in use after it")
	}
	out.List(told, scriptList(told))
	return left, nil
}

// printStep prints one step for people.
func printStep(out *print.Printer, of int, st scriptStep) {
	out.Lines(fmt.Sprintf("%d/%d  %s", st.Number, of, strings.ToUpper(st.Title)))
	out.Lines(component.Wrap(out.Styles, st.Will, scriptWidth)...)
	if len(st.Writes)+len(st.Facts) > 0 {
		out.Lines("")
	}
	for i, w := range st.Writes {
		out.Lines(w.text(i + 1))
	}
	if len(st.Moved) > 0 {
		out.Lines("")
		out.Tables(movedList(st.Moved))
	}
	if len(st.Writes) > 0 && len(st.Facts) > 0 {
		out.Lines("")
	}
	for _, fact := range st.Facts {
		// A query has no spaces: it may break before each of its terms.
		out.Lines(hanging(component.Wrap(out.Styles, strings.ReplaceAll(fact, "&", " &"), scriptWidth-4), "  ", "    ")...)
	}
	out.Lines("")
	out.Lines(hanging(component.Wrap(out.Styles, st.Did, scriptWidth-3), "=> ", "   ")...)
	out.Lines("   "+sharesText(st.Before, st.After), "")
}

// hanging puts words before the first line, and others before the rest.
func hanging(lines []string, first, rest string) []string {
	for i, line := range lines {
		lines[i] = [2]string{first, rest}[min(i, 1)] + strings.TrimRight(line, " ")
	}
	return lines
}

// sharesText returns how many VGPUs of each owner are in use, before and after.
func sharesText(before, after []demo.Share) string {
	var words []string
	var was, is, held int64
	change := func(b, a int64) string {
		if a == b {
			return fmt.Sprint(a)
		}
		return fmt.Sprintf("%d > %d", b, a)
	}
	for i, a := range after {
		b := before[i]
		was, is, held = was+b.Used, is+a.Used, held+a.Held
		if a.Capacity+b.Capacity > 0 {
			words = append(words, fmt.Sprintf("%s %s/%d", a.Owner, change(b.Used, a.Used), a.Capacity))
		}
	}
	return fmt.Sprintf("VGPU in use: %s, all %s; migrations hold %d", strings.Join(words, ", "), change(was, is), held)
}

// scriptList lists the steps, one line for each.
func scriptList(told []scriptStep) *print.List {
	list := print.Columns("step", "title", "writes", "nova", "cyborg", "both", "in_all", "held")
	for _, s := range told {
		used, all, held := map[placement.Owner]int64{}, int64(0), int64(0)
		for _, sh := range s.After {
			used[sh.Owner], all, held = sh.Used, all+sh.Used, held+sh.Held
		}
		list.Row(s.Number, s.Title, len(s.Writes), used[placement.OwnedByNova], used[placement.OwnedByCyborg], used[placement.OwnedByBoth], all, held)
	}
	return list
}
