package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/tui/part/component"
)

// scriptWidth is how wide the text of a script is, in cells.
const scriptWidth = 88

// leastScripted is how many hosts a script needs: a demo of that size has all stories.
const leastScripted = demo.DefaultHosts

// scriptOf returns the script that the flags name.
func (o demoOptions) scriptOf() (demo.Script, error) {
	sc := demo.Transition()
	switch {
	case o.script != sc.Name:
		return sc, usageErrorf("", "--script %q: is one of %s", o.script, sc.Name)
	case o.hosts < leastScripted:
		return sc, usageErrorf("", "--hosts %d: a script needs %d or more", o.hosts, leastScripted)
	}
	return sc, nil
}

// scriptStep is a step of a script, for programs.
type scriptStep struct {
	Number int          `json:"number"`
	Name   string       `json:"name"`
	Title  string       `json:"title"`
	Will   string       `json:"will"`
	Did    string       `json:"did"`
	Facts  []string     `json:"facts"`
	Writes []stepReport `json:"writes"`
	Moved  []movedRow   `json:"moved"`
	Before []demo.Share `json:"vgpu_before"`
	After  []demo.Share `json:"vgpu_after"`
}

// newScriptStep returns a played step, for programs.
func newScriptStep(n int, st demo.Step, p demo.Played) scriptStep {
	out := scriptStep{
		Number: n + 1, Name: st.Name, Title: st.Title, Will: st.Will, Did: st.Did(p), Facts: filled(st.Facts(p.After)),
		Writes: []stepReport{}, Moved: []movedRow{}, Before: demo.Shares(p.Before), After: demo.Shares(p.After),
	}
	for _, t := range p.Taken {
		out.Writes = append(out.Writes, stepReport{Name: t.Name, Title: t.Title, Revision: t.Event.Revision, Tries: t.Tries, Cause: causeText(t.Cause)})
		for _, d := range t.Holdings {
			out.Moved = append(out.Moved, movedRow{t.Name, d})
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
	left, err := p.playScript(ctx, store, sc, o)
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
func (p *program) playScript(ctx context.Context, store storage.Store, sc demo.Script, o demoOptions) (cloud.Revision, error) {
	left, out := store.Snapshot().Revision(), p.printer()
	if err := sc.Ready(store.Snapshot()); err != nil {
		return 0, err
	}
	var enter *bufio.Scanner
	if o.pause && isTerminal(p.stdin) && out.People() {
		enter = bufio.NewScanner(&untilDone{ctx: ctx, from: p.stdin})
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
		if !out.People() {
			continue
		}
		tellStep(out, len(sc.Steps), told[n])
		if enter != nil && n < len(sc.Steps)-1 {
			p.say("enter goes on: %d/%d %s", n+2, len(sc.Steps), sc.Steps[n+1].Title)
			if !enter.Scan() {
				return 0, errors.Join(enter.Err(), ctx.Err())
			}
		}
	}
	if out.People() {
		out.Lines("WHAT WAS SHOWN, and the VGPUs in use after it")
	}
	out.List(told, scriptList(told))
	return left, nil
}

// tellStep prints one step for people.
func tellStep(out *print.Printer, of int, st scriptStep) {
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
