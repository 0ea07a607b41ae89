package problems

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// outcome is what became of one finding of a batch.
type outcome uint8

const (
	waits    outcome = iota // not known yet
	ready                   // it was tried on a copy, and will be written
	refused                 // it cannot be done, or was not
	gone                    // it no longer exists
	fixed                   // it is written
	prepared                // it is written, and the finding remains until another fix is taken
	unfixed                 // it is written, but the finding remains
)

// item is one finding of a batch.
type item struct {
	finding audit.Finding
	fix     audit.Fix
	task    ops.Task        // the task of the fix
	steps   int             // number of its steps
	preview ops.Preview     // its effect
	note    string          // the same in a line
	base    *cloud.Snapshot // that it was planned on
	outcome outcome
	why     string         // if refused, or not fixed
	taken   ops.StepDone   // the last step; number 0 before the first
	done    cloud.Revision // the revision that was written
}

// batch is the page that applies one fix to several findings of a rule. It shows the
// effect of each, on top of those before it. Enter writes them one by one; the result of
// each stays on the page. A failed one is skipped, but if fixes take several steps it
// ends the batch: a course that stopped halfway should be looked at before the next
// begins.
type batch struct {
	env   screen.Env
	snap  *cloud.Snapshot
	names []string // of the possible fixes
	name  int      // the chosen one

	items   []item
	stage   batchStage
	known   bool
	plans   screen.Task[[]item]
	writes  screen.Task[item]
	at      int // the item being written
	steps   screen.Steps
	stop    bool
	failed  bool // the last write ended the batch
	grid    *component.Grid
	version uint64
}

// batchStage is the progress of a batch.
type batchStage uint8

const (
	rehearsing batchStage = iota // nothing is written; everything is planned on each new Snapshot
	applying                     // the items are written one after the other
	ended                        // all were tried, or the user stopped it
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

// rehearse plans everything on the newest Snapshot.
func (b *batch) rehearse() tea.Cmd {
	snap, items, p := b.snap, slices.Clone(b.items), planner{name: b.names[b.name], now: b.env.Clock()}
	return b.plans.Follow(b.env.Context, func(ctx context.Context) []item { return p.all(ctx, snap, items) })
}

// Title implements screen.Screen.
func (b *batch) Title() string {
	return fmt.Sprintf("fix %s of %s", b.items[0].finding.Rule, component.Plural(len(b.items), "finding"))
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

// count returns how many items have an outcome.
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
	}{{prepared, "prepared"}, {unfixed, "not fixed"}, {refused, "refused"}, {gone, "gone by themselves"}, {ready, "not tried"}} {
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
	case screen.StepMsg:
		return b.stepped(msg)
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
		off = "this fixes none of them"
	}
	switch {
	case b.stage != rehearsing:
		one = "it is too late for another fix"
	case len(b.names) == 1:
		one = "there is one fix only"
	}
	list := []action.Action{
		{ID: "batch.apply", Keys: "enter", Title: b.names[b.name] + " all", Help: "write what is shown, one after the other; nothing is written before", Priority: 95, Writes: []intent.Op{placement.ReplaceAllocations{}}, Disabled: off, Run: b.start},
		{ID: "batch.way", Keys: "tab", Title: "other fix", Help: "apply the next possible fix", Priority: 80, Disabled: one, Run: func() tea.Cmd {
			b.name = (b.name + 1) % len(b.names)
			b.known = false
			b.plans.Drop()
			return b.rehearse()
		}},
	}
	return append(list, panel.GridMoves()...)
}

// oneLine returns the text of an error on one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
