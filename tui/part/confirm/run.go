package confirm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// outcome is the end of a run.
type outcome struct {
	lines []ops.StepDone
	snap  *cloud.Snapshot
	err   error
	// moved is how it would differ from what was shown. Nothing was written in that case.
	moved []string
	wrote []string // lines of sheet.WritersText about what was shown, if that is no longer possible
}

// revision returns that of the last step, or the newest where nothing was written here.
func (o *outcome) revision() cloud.Revision {
	if n := len(o.lines); n > 0 && o.lines[n-1].Event.Revision > 0 {
		return o.lines[n-1].Event.Revision
	}
	return o.snap.Revision()
}

// slowAfter is how long a write may take before the page says that it is under way.
const slowAfter = 300 * time.Millisecond

// slowMsg says that a write takes long.
type slowMsg struct{ of screen.Steps }

// linesAhead is how many steps may be taken before the first is drawn.
const linesAhead = 64

// cannot returns why the shown steps cannot be carried out here, nil if they can.
func (p *Page) cannot() error { return p.env.Can(p.writes()...) }

// writes returns the operations of the shown steps.
func (p *Page) writes() []cloud.Op {
	var out []cloud.Op
	for _, s := range p.prop.steps {
		if !s.Asked {
			out = append(out, s.Step.Change.Ops...)
		}
	}
	return out
}

// empty reports whether nothing is left to write.
func (p *Page) empty() bool { return p.stage == planned && len(p.prop.steps) == 0 }

// accept handles enter before anything is written: it begins, or says what is missing.
func (p *Page) accept() tea.Cmd {
	switch {
	case p.cannot() != nil:
		p.said = panel.Say(style.SeverityWarn, screen.LabelDenied, p.cannot().Error())
		return nil
	case p.stage == refused:
		return p.plans.Start(p.env.Context, p.rehearsal())
	case p.stage != planned:
		return nil
	case len(p.moved) > 0:
		// The page changed while the user was about to press enter: that enter was for
		// the old content.
		p.said = panel.Say(style.SeverityWarn, "AGAIN", append(p.moved, "enter again writes what is now shown")...)
		seen := p.prop
		p.seen, p.moved = &seen, nil
		p.scroll.Home()
		return nil
	}
	if p.spec.Word != nil {
		if word := p.spec.Word(p.prop.snap, p.prop.all); word != "" {
			what := "go ahead" // of one thing or of several
			if word != p.spec.Verb {
				what = p.spec.Verb + " it"
			}
			p.word = component.NewPrompt(p.env.Styles, fmt.Sprintf(" type %s to %s: ", word, what))
			p.word.SetNote(themes.Dim, "esc goes back")
			return nil
		}
	}
	return p.start(p.prop.task, &p.prop)
}

// wordKey is a key for the word that must be typed.
func (p *Page) wordKey(msg tea.KeyMsg) tea.Cmd {
	switch p.word.Key(msg) {
	case component.PromptSubmit:
		word := p.spec.Word(p.prop.snap, p.prop.all)
		if p.word.Value() != word {
			p.word.SetNote(themes.Warn, "type "+word+", or esc")
			return nil
		}
		p.word = nil
		return p.start(p.prop.task, &p.prop)
	case component.PromptCancel:
		p.word = nil
	case component.PromptChanged:
		p.word.SetNote(themes.Dim, "esc goes back")
	case component.PromptNone:
	}
	return nil
}

// start takes the steps of a course, off the event loop. With shown it does so only if
// they still lead to that. It is the only place where this package writes.
func (p *Page) start(c ops.Task, shown *proposal) tea.Cmd {
	if p.cannot() != nil || p.underWay() {
		return nil
	}
	p.plans.Drop()
	p.stage, p.said, p.request, p.moved, p.lines, p.slow = running, panel.Banner{}, false, nil, nil, false
	p.scroll.Home()
	ctx, cancel := context.WithCancel(p.env.Context)
	p.cancel = cancel
	p.steps = make(screen.Steps, linesAhead)
	run := runner{task: c, plans: p.pure(), env: p.env, shown: shown, goOn: p.spec.Partly, steps: p.steps}
	return tea.Batch(
		p.runs.Start(p.env.Context, func(context.Context) *outcome {
			defer cancel()
			return run.run(ctx)
		}),
		p.steps.Next(), p.slows(ctx))
}

// slows returns a command that reports that a write takes long; steps report themselves.
func (p *Page) slows(ctx context.Context) tea.Cmd {
	if !p.one() {
		return nil
	}
	return screen.After(ctx, slowAfter, slowMsg{p.steps})
}

// stepped shows a step that was taken.
func (p *Page) stepped(msg screen.StepMsg) tea.Cmd {
	if msg.Of != p.steps || !p.underWay() {
		return nil
	}
	p.lines = append(p.lines, msg.Done)
	return msg.Of.Next()
}

// runner is what a run needs off the event loop.
type runner struct {
	task  ops.Task
	plans plans
	env   screen.Env
	shown *proposal // nil if nothing was shown
	goOn  bool      // as ops.Runner's GoOn
	steps screen.Steps
}

// run completes the task. It does not begin a course that differs now from what was
// shown, even if it would lead to the same.
func (r runner) run(ctx context.Context) *outcome {
	out := new(outcome)
	defer close(r.steps)
	o := r.steps.Runner(ctx, r.env, func(d ops.StepDone) { out.lines = append(out.lines, d) })
	o.GoOn = r.goOn
	if r.shown != nil {
		o.Shown = r.shown.shown()
		out.moved, out.err = r.meanwhile()
	}
	if out.err == nil && len(out.moved) == 0 {
		out.err = o.Run(ctx, r.env.Cloud, r.task)
	}
	var changed *ops.ChangedError
	if errors.As(out.err, &changed) && changed.Now == nil && len(out.lines) == 0 {
		out.err, out.moved = nil, changed.Differences
	}
	out.snap = r.env.Cloud.Snapshot()
	if r.shown != nil && len(out.lines) == 0 && (out.err != nil || len(out.moved) > 0) {
		out.wrote = panel.WritersText(ctx, r.env.Cloud, r.shown.all, r.shown.snap.Revision(), out.snap.Revision())
	}
	return out
}

// meanwhile returns how a course on the newest Snapshot differs from what was shown, or
// why it is impossible there.
func (r runner) meanwhile() ([]string, error) {
	s := r.env.Cloud.Snapshot()
	asked := ops.IsNovaTask(r.task) // a forecast of it was shown
	if asked || r.plans.one != nil || s == r.shown.snap {
		return nil, nil
	}
	now := proposal{snap: s}
	if _, _, err := rehearse(&now, s, r.plans, r.env.Clock()); err != nil {
		return nil, err
	}
	return panel.ChangesSince(r.shown.all, now.all), nil
}

// ended handles the end of a run.
func (p *Page) ended(out *outcome) tea.Cmd {
	wasStopped := p.stage == stopping
	p.lines, p.snap = out.lines, out.snap
	cause, stuck := why(out.err)
	var turned *ops.FailedError
	switch {
	case len(out.moved) > 0:
		lines := append([]string{"someone else wrote in between; " + p.nothing() + ". enter shows it as it is now"}, out.wrote...)
		p.said = panel.Say(style.SeverityWarn, screen.LabelConflict, append(lines, out.moved...)...)
	case out.err == nil, p.undoes && errors.As(out.err, &turned) && stuck == nil:
		return p.finished(out)
	case p.asked() && wasStopped && errors.Is(out.err, context.Canceled):
		p.stage = left
		p.said = panel.Say(style.SeverityInfo, "STOPPED", "it is no longer followed, and "+p.goesOn()+"; :instances shows how far it is")
		return nil
	case errors.As(out.err, &turned) && stuck == nil:
		p.stage = failed
		p.said = panel.Say(style.SeverityCritical, "FAILED", append([]string{turned.Step.Title + ": " + cause.Error()}, p.undone(turned.Undone))...)
		return nil
	case len(out.lines) == 0:
		p.said = p.nothingDone(cause, wasStopped, out.wrote)
	case p.spec.Partly: // the rest may do something else by now, and is shown before it is done
		p.said = p.halfWay(out.err, "what is left is shown below as it would be done now")
		p.taken, p.lines = slices.Concat(p.taken, p.lines), nil
		p.first, p.seen, p.moved = nil, nil, nil
	default:
		p.stage = stopped
		p.said = p.halfWay(out.err, p.ways())
		return nil
	}
	p.stage = planning // so that new things are not marked a second time
	return p.plans.Start(p.env.Context, p.rehearsal())
}

// nothingDone says why nothing was written, and what to do. Wrote is who wrote to what
// was shown.
func (p *Page) nothingDone(err error, stopped bool, wrote []string) panel.Banner {
	say := func(severity style.Severity, label, text, more string) panel.Banner {
		return panel.Say(severity, label, append(append([]string{text}, wrote...), more)...)
	}
	again := p.nothing() + ". enter tries again"
	doubt := errors.Is(err, cloud.ErrInDoubt)
	if doubt {
		again = "look at what is shown now; enter tries again"
	}
	var changed *ops.ChangedError
	switch {
	case errors.As(err, &changed):
		return say(style.SeverityCritical, screen.LabelConflict, "someone else wrote in between; it can no longer be done: "+changed.Now.Error(), p.nothing())
	case errors.Is(err, context.Canceled) && stopped && !doubt:
		return say(style.SeverityInfo, "STOPPED", "you stopped it before it was decided", again)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return say(style.SeverityWarn, "STOPPED", err.Error(), again)
	case errors.Is(err, placement.ErrConflict):
		return say(style.SeverityWarn, screen.LabelConflict, "someone else wrote in between: "+err.Error(), again)
	case errors.Is(err, placement.ErrUnsupported):
		return say(style.SeverityCritical, screen.LabelDenied, err.Error(), p.nothing())
	}
	return say(style.SeverityCritical, label(err), err.Error(), again)
}

// finished handles the end of a course.
func (p *Page) finished(out *outcome) tea.Cmd {
	p.stage = done
	if p.undoes {
		p.stage = failed
		p.said = panel.Say(style.SeverityOK, "UNDONE", "everything is as it was")
		return nil
	}
	w := WriteResult{Snap: out.snap, Note: p.title, Revision: out.revision(), Taken: slices.Concat(p.taken, p.lines), back: p.spec.Back}
	p.said = panel.Say(style.SeverityOK, "DONE", fmt.Sprintf("%s in revision %s", w.Note, component.Count(w.Revision)))
	if w.back != "" {
		p.said.Lines = append(p.said.Lines, w.back)
	}
	if p.one() {
		if p.env.Cloud.Capabilities().Can(intent.PutRecords{}) == nil {
			w.back = cmp.Or(w.back, "z to undo") // as a whole
		}
		if len(out.lines) > 0 {
			ev := out.lines[0].Event
			w.Note, w.Revision = ev.Note, ev.Revision
		}
		p.said = panel.Say(style.SeverityOK, "WRITTEN", "revision "+component.Count(w.Revision))
	}
	next := w.Finish(screen.PopMsg{})
	if p.spec.Done != nil {
		next = p.spec.Done(w)
	}
	if p.spec.Makes == "" {
		return next
	}
	return tea.Sequence(screen.Send(screen.MadeMsg{ID: p.spec.Makes}), next)
}

// halfWay says where a run stopped, and what now.
func (p *Page) halfWay(err error, now string) panel.Banner {
	if errors.Is(err, context.Canceled) {
		return panel.Say(style.SeverityWarn, "STOPPED", fmt.Sprintf("after step %d, as you asked", len(p.lines)), now)
	}
	return panel.Say(style.SeverityCritical, label(err), err.Error(), now)
}

// ways says how to continue from halfway.
func (p *Page) ways() string {
	undo, rest := "", "esc leaves it, listed in :unfinished"
	if _, several := p.courses.Run.(ops.Each); several {
		rest = "esc leaves the rest; one that has begun is listed in :unfinished"
	}
	if p.courses.Undo != nil {
		undo = "v undoes it; "
	}
	return "enter continues from there; " + undo + rest
}

// undone says what became of the steps before one that failed.
func (p *Page) undone(steps int) string {
	if steps == 0 {
		return "nothing else was written"
	}
	return "earlier steps were undone. enter tries again"
}

// label returns the kind of an error in capitals.
func label(err error) string {
	switch {
	case errors.Is(err, placement.ErrUnsupported):
		return screen.LabelDenied
	case errors.Is(err, placement.ErrUnavailable):
		return "UNAVAILABLE"
	case errors.Is(err, placement.ErrConflict):
		return screen.LabelConflict
	default:
		return "REFUSED"
	}
}

// again plans another try after a failure that was undone.
func (p *Page) again() tea.Cmd {
	p.make() // one write cannot fail halfway
	p.stage, p.said, p.lines, p.first, p.undoes = planning, panel.Banner{}, nil, nil, false
	p.scroll.Home()
	return p.plans.Start(p.env.Context, p.rehearsal())
}
