package course

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// outcome is how a run ended.
type outcome struct {
	lines []ops.StepDone
	snap  *cloud.Snapshot
	err   error
	// moved says what it would do otherwise than was shown. Nothing was written
	// then.
	moved []string
	wrote []string // lines of sheet.Wrote about what was shown, where it can be done no more
}

// stepMsg brings a step that was taken.
type stepMsg struct {
	page   *Page
	number int
	line   ops.StepDone
	more   <-chan ops.StepDone
}

// linesAhead is how many steps may be taken before the first is drawn.
const linesAhead = 64

// accept is enter before anything is written: it begins, or says what is missing.
func (p *Page) accept() tea.Cmd {
	switch {
	case p.env.ReadOnly() != "":
		p.said = sheet.Say(style.SeverityWarn, screen.LabelDenied, "nothing can be written: "+p.env.ReadOnly())
		return nil
	case p.stage == refused:
		return p.plans.Start(p.env.Context, p.rehearsal())
	case p.stage != planned:
		return nil
	case len(p.moved) > 0:
		// It changed while somebody was about to press enter: that enter was for
		// what stood there before.
		p.said = sheet.Say(style.SeverityWarn, "AGAIN", append(p.moved, "enter again does what is shown now")...)
		seen := p.prop
		p.seen, p.moved = &seen, nil
		p.scroll.Home()
		return nil
	case len(p.prop.steps) == 0:
		p.said = sheet.Say(style.SeverityInfo, screen.LabelEmpty, "there is nothing to do: the cloud is so already")
		return nil
	}
	if p.spec.Word != nil {
		if word := p.spec.Word(p.prop.snap); word != "" {
			p.word = component.NewPrompt(p.env.Styles, fmt.Sprintf(" type %s to %s it: ", word, p.spec.Verb))
			return nil
		}
	}
	return p.start(p.courses.Run, &p.prop)
}

// wordKey is a key for the word that must be typed.
func (p *Page) wordKey(msg tea.KeyMsg) tea.Cmd {
	switch p.word.Key(msg) {
	case component.PromptSubmit:
		word := p.spec.Word(p.prop.snap)
		if p.word.Value() != word {
			p.word.SetNote(themes.Warn, "type "+word+", or esc")
			return nil
		}
		p.word = nil
		return p.start(p.courses.Run, &p.prop)
	case component.PromptCancel:
		p.word = nil
	case component.PromptChanged:
		p.word.SetNote(themes.Blank, "")
	case component.PromptNone:
	}
	return nil
}

// start takes the steps of a course, off the event loop. With shown it does so
// only where they still lead where that says. It is the only place where this
// package writes.
func (p *Page) start(c ops.Task, shown *proposal) tea.Cmd {
	if p.env.ReadOnly() != "" || p.underWay() {
		return nil
	}
	p.plans.Drop()
	p.stage, p.said, p.request, p.moved, p.lines = running, sheet.Banner{}, false, nil, nil
	p.scroll.Home()
	p.number++
	ctx, cancel := context.WithCancel(p.env.Context)
	p.cancel = cancel
	steps := make(chan ops.StepDone, linesAhead)
	run := runner{page: p, course: c, courses: p.courses, env: p.env, shown: shown, steps: steps}
	return tea.Batch(
		p.runs.Start(p.env.Context, func(context.Context) outcome {
			defer cancel()
			return run.run(ctx)
		}),
		p.next(p.number, steps))
}

// next returns the command that waits for the next step.
func (p *Page) next(number int, steps <-chan ops.StepDone) tea.Cmd {
	return func() tea.Msg {
		line, ok := <-steps
		if !ok {
			return nil
		}
		return stepMsg{page: p, number: number, line: line, more: steps}
	}
}

// stepped shows a step that was taken.
func (p *Page) stepped(msg stepMsg) tea.Cmd {
	if msg.page != p {
		return nil
	}
	if msg.number == p.number && p.underWay() {
		p.lines = append(p.lines, msg.line)
	}
	return p.next(msg.number, msg.more)
}

// runner is what a run needs off the event loop.
type runner struct {
	page    *Page
	course  ops.Task
	courses Courses
	env     screen.Env
	shown   *proposal
	steps   chan<- ops.StepDone
}

// run takes the course to its end.
func (r runner) run(ctx context.Context) (out outcome) {
	defer close(r.steps)
	defer func() { out.snap = r.env.Cloud.Snapshot() }()
	if r.shown != nil {
		if s := r.env.Cloud.Snapshot(); s != r.shown.snap {
			now := proposal{snap: s}
			_, err := rehearse(&now, s, r.courses, r.env.Clock())
			if err != nil {
				return outcome{err: err, wrote: r.wrote(ctx, s)}
			}
			if diff := sheet.Meanwhile(r.shown.all, now.all); len(diff) > 0 {
				return outcome{moved: append(r.wrote(ctx, s), diff...)}
			}
		}
	}
	out.err = ops.Runner{
		Actor: r.env.Actor, Now: r.env.Clock, Begin: r.env.UnderWay.Begin,
		Report: func(d ops.StepDone) {
			out.lines = append(out.lines, d)
			select {
			case r.steps <- d:
			case <-ctx.Done():
			}
		},
	}.Run(ctx, r.env.Cloud, r.course)

	return out
}

// wrote says who wrote to what was shown, since it was, up to s.
func (r runner) wrote(ctx context.Context, s *cloud.Snapshot) []string {
	return sheet.Wrote(ctx, r.env.Cloud, r.shown.all, r.shown.snap.Revision(), s.Revision())
}

// ended takes how a run ended.
func (p *Page) ended(out outcome) tea.Cmd {
	p.lines, p.snap = out.lines, out.snap
	cause, stuck := why(out.err)
	var turned *ops.FailedError
	switch {
	case len(out.moved) > 0:
		p.stage, p.moved = planned, nil
		p.said = sheet.Say(style.SeverityWarn, screen.LabelConflict,
			append([]string{"someone else wrote in between, and nothing was written. look at it as it is now; enter does that"}, out.moved...)...)
		p.stage = planning // so that what is new is not marked a second time
		return p.plans.Start(p.env.Context, p.rehearsal())
	case out.err == nil, p.undoes && errors.As(out.err, &turned) && stuck == nil:
		return p.finished(out)
	case errors.As(out.err, &turned) && stuck == nil:
		p.stage = failed
		p.said = sheet.Say(style.SeverityCritical, "FAILED", append([]string{turned.Step.Title + ": " + cause.Error()}, undone(turned.Undone))...)
	case len(out.lines) == 0:
		p.stage = planning
		p.said = sheet.Say(style.SeverityCritical, label(cause), append(append([]string{cause.Error()}, out.wrote...), "nothing was written")...)
		return p.plans.Start(p.env.Context, p.rehearsal())
	default:
		p.stage = stopped
		p.said = p.halfWay(out.err)
	}
	return nil
}

// finished is the end of a course.
func (p *Page) finished(out outcome) tea.Cmd {
	p.stage = done
	if p.undoes {
		p.stage = failed
		p.said = sheet.Say(style.SeverityOK, "UNDONE", "all is as it was")
		return nil
	}
	p.said = sheet.Say(style.SeverityOK, "DONE", fmt.Sprintf("%s in revision %s", p.spec.Title, component.Count(int64(out.snap.Revision()))))
	if p.spec.Done != nil {
		return p.spec.Done(out.snap)
	}
	return tea.Sequence(
		screen.Send(screen.ToastMsg{Severity: style.SeverityOK, Text: fmt.Sprintf("%s: revision %s", p.spec.Title, component.Count(int64(out.snap.Revision())))}),
		screen.Send(screen.PopMsg{}))
}

// halfWay says where a run was left.
func (p *Page) halfWay(err error) sheet.Banner {
	if errors.Is(err, context.Canceled) {
		return sheet.Say(style.SeverityWarn, "STOPPED", fmt.Sprintf("after step %d, as you asked", len(p.lines)), p.ways())
	}
	return sheet.Say(style.SeverityCritical, label(err), err.Error(), p.ways())
}

// ways says how to go on from half-way.
func (p *Page) ways() string {
	if p.courses.Undo == nil {
		return "enter goes on from there; esc leaves it so, to be found among the unfinished"
	}
	return "enter goes on from there; v undoes it; esc leaves it so, to be found among the unfinished"
}

// undone says what became of the steps before one that failed.
func undone(steps int) string {
	if steps == 0 {
		return "nothing else was written"
	}
	return "what was done before is undone. enter tries again"
}

// label names an error in capitals.
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

// again plans another try after one that was undone.
func (p *Page) again() tea.Cmd {
	p.courses = p.spec.Make()
	p.stage, p.said, p.lines, p.first, p.undoes = planning, sheet.Banner{}, nil, nil, false
	p.scroll.Home()
	return p.plans.Start(p.env.Context, p.rehearsal())
}
