package confirm

import (
	"cmp"
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Spec is what the user is to see and to accept: one write, or a course.
type Spec struct {
	Title string // of the page, in the crumb line: "resize vm-1"
	Verb  string // what enter does: "resize"
	// Says is the first line of the preview: what will be done, in a sentence. "" is for that
	// of the journal, which a course lacks.
	Says string
	// Some returns the title for only n of several tasks: "resize 2 of 3 instances". It is
	// set if Make returns several.
	Some func(n int) string
	// Partly leaves out at once, with the reasons, those of several tasks that cannot be
	// done, and goes on after one that turns out so; else that takes a key, and it stops.
	Partly bool

	// Plan decides the one write, off the event loop; nil for a course.
	Plan ops.Planner
	// Make returns the courses. It is called once, and again for a retry after a
	// failure that was undone, so that the retry has its own id.
	Make func() Courses

	// Word returns what must be typed before anything is written, "" where enter
	// is enough; nil never asks. The Preview is of all that is shown.
	Word func(*cloud.Snapshot, ops.Preview) string

	// InTheWay returns a title and lines about what has to go first, shown below a refusal;
	// nil for nothing.
	InTheWay func(*cloud.Snapshot) (title string, lines []string)

	// Makes is the id of what is made, or comes next, where lists show it: the cursor of
	// the list below goes there. "" for nothing.
	Makes string

	// Back says how the user can take back what was done, or goes on, if not as after any
	// other write: no undo of one revision takes back a course of several. It is shown at
	// the end: "r resizes it again".
	Back string

	// Done says what comes after the end; nil says so and closes the page.
	Done func(WriteResult) tea.Cmd

	// Keys are what can be set before something is written, such as a clock; nil
	// for nothing.
	Keys func() []Key

	// Taken are steps that were taken before, which the page shows above its own.
	Taken []ops.StepDone
	// Of is the course whose earlier steps a page that resumes it reads from the
	// journal; the zero value for none.
	Of ops.CourseOf

	// Steps are those of a form, At the place of the preview among them; writing is
	// the one after it. None for a page that stands alone.
	Steps []string
	At    int
}

// WriteResult is what a page has done.
type WriteResult struct {
	Snap     *cloud.Snapshot
	Note     string // what was done
	Revision cloud.Revision
	Taken    []ops.StepDone // the steps
	back     string         // how to take it back, or to go on
}

// Finish says what was written and then asks for what comes next.
func (w WriteResult) Finish(next tea.Msg) tea.Cmd {
	toast := screen.ToastMsg{Severity: style.SeverityOK, Text: fmt.Sprintf("%s, revision %s", w.Note, component.Count(w.Revision)), Hint: w.back}
	return tea.Sequence(screen.Send(toast), screen.Send(next))
}

// Courses are what a page rehearses and runs.
type Courses struct {
	// Run is what happens. If it is an ops.Checker, what it checks first is
	// among the checks on the page.
	Run ops.Task
	// Then is what the operator would have to do next, such as to confirm; it is
	// rehearsed, so that the page can show where it all leads, but never run. nil
	// for nothing.
	Then ops.Task
	// Undo undoes what Run has left unfinished; nil if that is impossible.
	Undo ops.Task
	// Needed reports whether Run, or one of several tasks of it that has not begun, is still
	// needed; nil if they always are. One that is not is left out without a word.
	Needed func(*cloud.Snapshot, ops.Task) (bool, error)
}

// Key is something that can be set before the course begins.
type Key struct {
	Key, Title, Help string
	// Set changes it, and returns what plans the one write from now on. Plans are made off
	// the event loop, while Set may be called again: a Planner holds values of its own. For
	// courses it returns nil, and they are made again.
	Set func() ops.Planner
	To  place.Place // where it leads, in place of Set
}

// stage is the progress of a Page.
type stage uint8

const (
	planning stage = iota // nothing has been rehearsed yet
	planned               // the page shows the effect
	refused               // it is not possible in the cloud's current state
	running               // steps are taken
	asking                // the same, with the question whether to stop
	stopping              // the step under way is the last one
	stopped               // halfway: to be continued or undone
	failed                // a step failed, and everything was undone
	left                  // Nova was asked, and carries on with nobody watching here
	done                  // finished
)

// Page shows a course and runs it. It follows the cloud: the course is rehearsed
// on each new Snapshot until it begins.
type Page struct {
	env  screen.Env
	spec Spec
	snap *cloud.Snapshot

	courses Courses
	title   string // of the tasks that were not left out
	stage   stage
	prop    proposal
	first   *ops.Preview // as first shown, to mark what has changed since
	seen    *proposal    // as the user last saw it
	moved   []string     // what differs from that
	said    panel.Banner

	plans  screen.Task[*proposal]
	runs   screen.Task[*outcome]
	reads  screen.Task[*courseHistory]
	steps  screen.Steps // of the newest run
	cancel context.CancelFunc
	lines  []ops.StepDone // steps taken so far
	undoes bool           // the run undoes an earlier one

	word    *component.Prompt // nil unless a word must be typed
	slow    bool              // a write takes long enough to say so
	request bool              // the requests are shown in full
	leftOut []error           // why several tasks were left out
	taken   []ops.StepDone    // before those of this run
	scroll  panel.Scroll
}

var (
	_ screen.Screen  = (*Page)(nil)
	_ screen.Typist  = (*Page)(nil)
	_ screen.Stater  = (*Page)(nil)
	_ screen.Backer  = (*Page)(nil)
	_ screen.Pending = (*Page)(nil)
)

// New returns the page for what is rehearsed on snap.
func New(env screen.Env, snap *cloud.Snapshot, spec Spec) *Page {
	p := &Page{env: env, spec: spec, snap: snap, title: spec.Title, taken: spec.Taken}
	if !p.one() {
		p.make()
	}
	p.plans.Clock = env.Clock
	return p
}

// make makes the courses, as the cloud carries them out. What its Nova is asked to do,
// Nova undoes by itself.
func (p *Page) make() {
	p.courses, p.title, p.leftOut = p.spec.Make(), p.spec.Title, nil
	p.courses.Run = ops.TaskFor(p.env.Cloud.Capabilities(), p.courses.Run)
	if p.asked() {
		p.courses.Undo = nil
	}
}

// Write returns the page for a write that plan decides. Verb says what enter does; word
// must be typed first, unless it is empty.
func Write(env screen.Env, snap *cloud.Snapshot, verb, title string, plan ops.Planner, word string) *Page {
	return New(env, snap, Spec{
		Title: title, Verb: verb, Plan: plan,
		Word: func(*cloud.Snapshot, ops.Preview) string { return word },
	})
}

// WriteAll returns the page for one write about several marked things, such as flavors;
// plan decides what to write of each. The verb must be typed.
func WriteAll[T any](env screen.Env, verb, thing string, all []T, plan func(*cloud.Snapshot, T) (ops.Plan, error)) *Page {
	title := verb + " " + component.Plural(len(all), thing)
	plans := make([]ops.Planner, len(all))
	for i, one := range all {
		plans[i] = func(s *cloud.Snapshot) (ops.Plan, error) { return plan(s, one) }
	}
	return Write(env, env.Cloud.Snapshot(), verb, title, func(s *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanAll(s, title, plans...)
	}, verb)
}

// one reports whether the page is about one write.
func (p *Page) one() bool { return p.spec.Plan != nil }

// Resume returns the page for an unfinished course: why says how it came about,
// and enter resumes it.
func Resume(env screen.Env, snap *cloud.Snapshot, spec Spec, why ...string) *Page {
	p := New(env, snap, spec)
	p.stage = stopped
	p.said = panel.Say(style.SeverityWarn, "UNFINISHED", append(why, p.ways())...)
	return p
}

// Init implements screen.Screen.
func (p *Page) Init() tea.Cmd {
	plan := p.plans.Start(p.env.Context, p.rehearsal())
	if p.stage != stopped || p.spec.Of.Instance.IsZero() {
		return plan
	}
	return tea.Batch(plan, p.reads.Start(p.env.Context, func(ctx context.Context) *courseHistory {
		steps, err := ops.StepsTaken(ctx, p.env.Cloud, p.spec.Of)
		return &courseHistory{steps, err}
	}))
}

// courseHistory is what the journal knows about a course.
type courseHistory struct {
	steps []ops.StepDone
	err   error
}

// Title implements screen.Screen.
func (p *Page) Title() string { return p.title }

// Status implements screen.Stater.
func (p *Page) Status() string {
	text := map[stage]string{
		planning: "planning", planned: "PREVIEW, nothing written yet", refused: "cannot be done now", running: "under way", asking: "under way",
		stopping: "stopping", stopped: "halfway", failed: "failed, undone",
		left: "no longer followed", done: "done",
	}[p.stage]
	if p.one() {
		text = cmp.Or(map[stage]string{running: "writing", done: "written"}[p.stage], text)
	}
	if p.goesOnWith() && p.stage == planned {
		text = "PREVIEW of what is left"
	}
	if len(p.spec.Steps) > 0 {
		text = fmt.Sprintf("step %d of %d   %s", p.step()+1, len(p.spec.Steps), text)
	}
	return text
}

// step returns the step of the form that the page is at, from 0. A page at the last step
// also writes there.
func (p *Page) step() int {
	if p.Before() {
		return p.spec.At
	}
	return min(p.spec.At+1, max(len(p.spec.Steps)-1, 0))
}

// Before reports whether nothing has been written yet of what is shown.
func (p *Page) Before() bool { return p.stage <= refused }

// goesOnWith reports whether what is shown is what is left of several tasks.
func (p *Page) goesOnWith() bool { return p.spec.Partly && len(p.taken) > 0 }

// nothing says that nothing was written.
func (p *Page) nothing() string {
	if p.goesOnWith() {
		return "nothing more was written"
	}
	return "nothing was written"
}

// Stays reports whether the user can no longer go back to what led here: something
// was written that is not undone.
func (p *Page) Stays() bool { return !p.Before() && p.stage != failed }

// Over reports whether there is nothing more to do here: the course has ended, was undone,
// or goes on without this page.
func (p *Page) Over() bool { return p.stage >= failed }

// Snapshot returns the newest Snapshot that the page knows.
func (p *Page) Snapshot() *cloud.Snapshot { return p.snap }

// Typing implements screen.Typist.
func (p *Page) Typing() bool { return p.word != nil }

// Pending implements screen.Pending.
func (p *Page) Pending() string {
	switch {
	case !p.underWay():
		return ""
	case p.one():
		return "a write is under way"
	}
	return "steps are being taken; leaving stops between two of them"
}

func (p *Page) underWay() bool { return p.stage == running || p.stage == asking || p.stage == stopping }

// Back implements screen.Backer: esc first closes the requests, or asks whether to
// stop; it stops waiting for a single write.
func (p *Page) Back() (bool, tea.Cmd) {
	switch {
	case p.request:
		p.request = false
		p.scroll.Home()
	case p.stage == running && p.one():
		p.stage = stopping
		p.cancel()
	case p.stage == running:
		p.stage = asking
	case p.stage == asking:
		p.stage = running
	case p.stage == stopping && !p.one():
	default:
		return false, nil
	}
	return true, nil
}

// Update implements screen.Screen.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return p.follow(msg.Snapshot)
	case screen.StepMsg:
		return p.stepped(msg)
	case slowMsg:
		if msg.of == p.steps && p.stage == running {
			p.slow = true
		}
		return nil
	case tea.KeyMsg:
		if p.word != nil {
			return p.wordKey(msg)
		}
		if !msg.Paste {
			p.scroll.Key(msg.String())
		}
		return nil
	}
	prop, ok, cmd := p.plans.Take(msg)
	if ok {
		p.plannedIs(*prop)
		if p.spec.Partly && p.stage == refused && len(p.prop.able) > 0 && len(p.prop.rest) > 0 {
			return p.leaveOut()
		}
	}
	out, ended, next := p.runs.Take(msg)
	if ended {
		next = tea.Batch(next, p.ended(out))
	}
	told, ok, again := p.reads.Take(msg)
	if ok {
		p.told(told)
	}
	return tea.Batch(cmd, next, again)
}

// told adds the journal's steps of the course, unless it continued since: then these
// would be steps of this page again.
func (p *Page) told(e *courseHistory) {
	if !p.Resumes() {
		return
	}
	p.taken = e.steps
	if e.err != nil {
		p.said.Lines = append(p.said.Lines, e.err.Error())
	}
}

// Resumes reports whether the page will continue a course, and has not yet.
func (p *Page) Resumes() bool { return p.stage == stopped && len(p.lines) == 0 }

// follow takes a newer Snapshot and rehearses on it, unless the course is under way, when
// its outcome counts.
func (p *Page) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == p.snap {
		return nil
	}
	p.snap = snap
	if !p.Before() && !p.Resumes() {
		return nil
	}
	return p.plans.Follow(p.env.Context, p.rehearsal())
}
