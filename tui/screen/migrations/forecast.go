package migrations

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/style"
)

// forecast is where the two ways out of a move lead, as far as that can be predicted.
type forecast struct{ confirm, revert end }

// end is where one of them leads: how full providers become, which problems end and
// begin, and by which steps.
type end struct {
	full    []string // "VGPU 9/8 > 8/8 on pci_0000_41_00_0", scarce things first
	becomes []sheet.Check
	asked   []sheet.Check // before it begins
	steps   []ops.RehearsedStep
}

// checked is a Task that lists objections beforehand.
type checked interface {
	ops.Task
	ops.Checker
}

// foretell rehearses both ways out of a waiting move.
func (d *decision) foretell() tea.Cmd {
	w := d.w
	if w.asked() {
		return nil // what Nova does cannot be predicted
	}
	snap, now, id := w.Snap, w.env.Now(), w.id
	return d.aheads.Follow(w.env.Context, func(ctx context.Context) *forecast {
		lead := func(t checked) end {
			if ctx.Err() != nil {
				return end{}
			}
			leads := end{asked: sheet.CheckList(t.Checks(snap, now))}
			r, err := ops.Rehearse(snap, t, now)
			if err != nil {
				return leads // the reason for the refusal is shown already
			}
			clears, brings := sheet.Consequences(r.Start, r.Final)
			leads.full, leads.becomes, leads.steps = fuller(snap, r.Outcome()), sheet.ConsequenceChecks(clears, brings), r.Steps
			return leads
		}
		return &forecast{lead(ops.Confirm{Migration: id}), lead(ops.Revert{Migration: id})}
	})
}

// fuller returns the usage of each provider now and after an outcome, if it differs.
func fuller(snap *cloud.Snapshot, to ops.Preview) []string {
	pl := snap.Placement()
	type change struct {
		text string
		rank int
	}
	var all []change
	for _, p := range to.Providers {
		for _, c := range p.Classes {
			if c.UsedBefore == c.UsedAfter {
				continue
			}
			unit := panel.Unit(c.Class)
			of := func(l component.Load) string {
				return component.Amount(l.Used, unit) + "/" + component.Amount(l.Capacity, unit)
			}
			name := p.Name
			if rp, ok := pl.Provider(p.Provider); ok {
				name = panel.ShortName(pl, rp)
			}
			all = append(all, change{fmt.Sprintf("%s %s > %s on %s", c.Class, of(sheet.LoadIn(c.Before, c.UsedBefore)), of(sheet.LoadIn(c.After, c.UsedAfter)), name), kinds.Rank(c.Class)})
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return a.rank - b.rank })
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = c.text
	}
	return out
}

// lines draws the effect, below the choice that has it.
func (e end) lines(st *style.Styles, width int) []string {
	const indent = 12
	var out []string
	if len(e.full) > 0 {
		text := e.full[0]
		for i, more := range e.full[1:] {
			left := ""
			if n := len(e.full) - 2 - i; n > 0 {
				left = fmt.Sprintf("   and %d more", n)
			}
			if component.Width(st, text+"   "+more+left) > width-indent {
				text += fmt.Sprintf("   and %d more", len(e.full)-1-i)
				break
			}
			text += "   " + more
		}
		out = append(out, component.NewLine(st, width).To(indent).Add(themes.Dim, text).String())
	}
	for _, c := range e.becomes {
		out = append(out, component.Marked(st, width, indent, c.Severity, themes.Dim, c.Text)...)
	}
	return out
}
