package problems

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/ops/audit"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/panel"
)

// outcome is what became of one finding of a batch.
type outcome uint8

const (
	waits   outcome = iota // nothing is known yet
	ready                  // it was tried on a copy, and is to be written
	refused                // it cannot be done, or was not
	gone                   // it does not stand any more
	fixed                  // it is written
)

// item is one finding of a batch.
type item struct {
	finding audit.Finding
	plan    ops.Plan
	base    *cloud.Snapshot // that the plan was made on
	outcome outcome
	why     string         // of what is refused
	done    cloud.Revision // that it was written as
}

// batch is the page that applies one fix to several findings of a rule: each is
// shown before, one after the other on what those before it leave. Enter writes
// them one by one; what became of each stays on the page.
type batch struct {
	env   screen.Env
	snap  *cloud.Snapshot
	names []string // of the fixes that there are
	name  int      // which of them is applied

	items   []item
	stage   batchStage
	known   bool
	plans   screen.Task[[]item]
	writes  screen.Task[item]
	at      int // of the item that is written
	stop    bool
	grid    *component.Grid
	version uint64
}

// batchStage is how far a batch is.
type batchStage uint8

const (
	rehearsing batchStage = iota // nothing is written, all is planned on each new Snapshot
	applying                     // one after the other is written
	ended                        // all was tried, or somebody stopped it
)

var (
	_ screen.Screen  = (*batch)(nil)
	_ screen.Stater  = (*batch)(nil)
	_ screen.Backer  = (*batch)(nil)
	_ screen.Pending = (*batch)(nil)
)

func newBatch(env screen.Env, snap *cloud.Snapshot, found []audit.Noted, names []string) *batch {
	b := &batch{env: env, snap: snap, names: names}
	b.plans.Clock = env.Clock
	for _, f := range found {
		b.items = append(b.items, item{finding: f.Finding})
	}
	b.grid = component.NewGrid(env.Styles, nil, batchColumns())
	b.show()
	return b
}

// Init implements screen.Screen.
func (b *batch) Init() tea.Cmd { return b.rehearse() }

// rehearse plans all of it on the newest Snapshot.
func (b *batch) rehearse() tea.Cmd {
	snap, items, name, actor := b.snap, slices.Clone(b.items), b.names[b.name], b.env.Actor
	return b.plans.Follow(b.env.Context, func(ctx context.Context) []item { return planAll(ctx, snap, items, name, actor) })
}

// planAll plans to apply the fix with a name to each of items, on what the ones
// before it leave.
func planAll(ctx context.Context, snap *cloud.Snapshot, items []item, name, actor string) []item {
	out := make([]item, len(items))
	for i, it := range items {
		if ctx.Err() != nil {
			return out
		}
		out[i] = planOne(snap, it.finding, name, actor)
		if out[i].outcome != ready {
			continue
		}
		next, _, err := snap.Apply(out[i].plan.Change)
		if err != nil {
			out[i].outcome, out[i].why = refused, oneLine(err)
			continue
		}
		snap = next
	}
	return out
}

// planOne plans to apply the fix with a name to a finding.
func planOne(s *cloud.Snapshot, f audit.Finding, name, actor string) item {
	out := item{finding: f, base: s}
	now, stands := f.StandsOn(s)
	if !stands {
		out.outcome = gone
		return out
	}
	out.finding = now
	fix, err := audit.FixNamed(s, now, name)
	if err == nil {
		out.plan, err = fix.Plan(s)
	}
	if err != nil {
		out.outcome, out.why = refused, oneLine(err)
		return out
	}
	out.plan.Change.Actor = actor
	out.outcome = ready
	return out
}

// Title implements screen.Screen.
func (b *batch) Title() string {
	return fmt.Sprintf("fix %s of %s", b.items[0].finding.Rule, panel.Plural(len(b.items), "finding"))
}

// Status implements screen.Stater.
func (b *batch) Status() string {
	switch b.stage {
	case applying:
		text := fmt.Sprintf("writing %d of %d", b.at+1, len(b.items))
		if b.stop {
			text += ", stops after this one"
		}
		return text
	case ended:
		return b.summary()
	case rehearsing:
	}
	if !b.known {
		return "planning"
	}
	return "PREVIEW, nothing written yet"
}

// count returns how many items became what.
func (b *batch) count(o outcome) int {
	n := 0
	for i := range b.items {
		if b.items[i].outcome == o {
			n++
		}
	}
	return n
}

// summary says what became of all of it.
func (b *batch) summary() string {
	text := fmt.Sprintf("%d fixed", b.count(fixed))
	for _, s := range []struct {
		outcome outcome
		word    string
	}{{refused, "refused"}, {gone, "gone by themselves"}, {ready, "not tried"}} {
		if n := b.count(s.outcome); n > 0 {
			text += fmt.Sprintf(", %d %s", n, s.word)
		}
	}
	return text
}

// Pending implements screen.Pending.
func (b *batch) Pending() string {
	if b.stage == applying {
		return "fixes are being written; leaving stops between two of them"
	}
	return ""
}

// Back implements screen.Backer: esc stops between two writes.
func (b *batch) Back() bool {
	if b.stage != applying {
		return false
	}
	b.stop = true
	return true
}

// Update implements screen.Screen.
func (b *batch) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot == b.snap {
			return nil
		}
		b.snap = msg.Snapshot
		if b.stage == rehearsing {
			return b.rehearse()
		}
		return nil
	case tea.KeyMsg:
		if !msg.Paste {
			b.grid.Key(msg.String())
		}
		return nil
	}
	items, ok, next := b.plans.Take(msg)
	if ok && b.stage == rehearsing {
		b.items, b.known = items, true
		b.show()
	}
	it, ok, cmd := b.writes.Take(msg)
	if ok {
		cmd = tea.Batch(cmd, b.wrote(it))
	}
	return tea.Batch(next, cmd)
}

// start writes what was shown, one after the other.
func (b *batch) start() tea.Cmd {
	if b.stage != rehearsing || !b.known || b.env.ReadOnly() != "" {
		return nil
	}
	b.plans.Drop()
	b.stage, b.at = applying, -1
	return b.apply()
}

// apply writes the next item that is ready.
func (b *batch) apply() tea.Cmd {
	for b.at++; b.at < len(b.items); b.at++ {
		if b.items[b.at].outcome == ready && !b.stop {
			it, c := b.items[b.at], b.env.Cloud
			return b.writes.Start(b.env.Context, func(ctx context.Context) item { return write(ctx, c, it) })
		}
	}
	b.stage = ended
	b.show()
	return nil
}

// write writes one item. Where the cloud has changed so that it would do something
// else than was shown, it is refused.
func write(ctx context.Context, c screen.Cloud, it item) item {
	if _, stands := it.finding.StandsOn(c.Snapshot()); !stands {
		it.outcome = gone
		return it
	}
	commit, err := ops.Run(ctx, c, c, it.plan)
	if err != nil {
		it.outcome, it.why = refused, oneLine(err)
		return it
	}
	it.outcome, it.done = fixed, commit.Snapshot.Revision()
	return it
}

// wrote takes what became of an item, and goes on with the next.
func (b *batch) wrote(it item) tea.Cmd {
	b.items[b.at] = it
	b.show()
	return b.apply()
}

// Actions implements screen.Screen.
func (b *batch) Actions() []action.Action {
	off, one := "", ""
	switch {
	case b.stage == applying:
		off = "it is being written"
	case b.stage == ended:
		off = "it is done; esc goes back"
	case !b.known:
		off = "it is still being planned"
	case b.count(ready) == 0:
		off = "none of them can be fixed so"
	}
	switch {
	case b.stage != rehearsing:
		one = "another fix cannot be chosen any more"
	case len(b.names) == 1:
		one = "there is one fix only"
	}
	list := []action.Action{
		{ID: "batch.apply", Keys: []string{"enter"}, Title: b.names[b.name] + " all", Help: "write what is shown, one after the other; nothing is written before", Priority: 95, Writes: true, Disabled: off, Run: b.start},
		{ID: "batch.way", Keys: []string{"tab"}, Title: "other fix", Help: "apply the next of the fixes that there are", Priority: 80, Disabled: one, Run: func() tea.Cmd {
			b.name = (b.name + 1) % len(b.names)
			b.known = false
			b.plans.Drop()
			return b.rehearse()
		}},
	}
	return append(list, panel.GridMoves()...)
}

// oneLine returns what an error says on one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
