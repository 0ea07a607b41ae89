package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// undertaking is a use-case of several changes that a command takes to its end.
type undertaking struct {
	note      string // "boot web-1"
	course    ops.Task
	instance  placement.ConsumerID
	migration placement.ConsumerID // zero for what is no move
	asks      string               // the command line that asks who could take it; "" where nobody is asked
	warnings  []string             // what to know before it begins
}

// courseReport is what a course did, or would do, as it is printed for programs.
type courseReport struct {
	Note      string                `json:"note"`
	DryRun    bool                  `json:"dry_run"`
	Instance  placement.ConsumerID  `json:"instance_uuid"`
	Migration *placement.ConsumerID `json:"migration_uuid,omitempty"`
	Revision  cloud.Revision        `json:"revision"`
	Warnings  []string              `json:"warnings"`
	Steps     []courseStep          `json:"steps"`
	RevertAt  *time.Time            `json:"revert_at,omitempty"` // of a move that waits, unless it is confirmed before
	LeftOut   []leftOut             `json:"left_out,omitempty"`  // the hosts that are no place, where none is
	Plan      *planReport           `json:"plan,omitempty"`      // of all steps together, with DryRun
	Error     string                `json:"error,omitempty"`     // why it did not come to its end
}

// courseStep is a step that was taken, or would be.
type courseStep struct {
	Name     string         `json:"name"`
	Title    string         `json:"title"`
	Revision cloud.Revision `json:"revision,omitempty"`
	Elapsed  float64        `json:"elapsed_ms,omitempty"`
	Tries    int            `json:"tries,omitempty"`
	Cause    string         `json:"cause,omitempty"` // why the course turned round here
	Moved    []movedRow     `json:"moved,omitempty"` // what it did in Placement
}

// revertAt returns when the move of u is reverted unless it is confirmed before, nil
// where it does not wait, or for ever.
func (u undertaking) revertAt(s *cloud.Snapshot) *time.Time {
	m, ok := s.Nova().Migration(u.migration)
	if !ok || m.Status != nova.Finished {
		return nil
	}
	return moment(m.Deadline)
}

// sayRevert says when a move is reverted that is not confirmed; nothing for nil.
func (p *program) sayRevert(at *time.Time) {
	if at != nil {
		p.say(`unless it is confirmed by %s it is reverted, by the dashboard or the agent where one runs, or by "placetop recover"`, stamp(at))
	}
}

// warningsOf returns what to know before a course begins.
//
// Errors: why it may not begin.
func warningsOf(s *cloud.Snapshot, c ops.Checker, at time.Time) ([]string, error) {
	var out []string
	for _, check := range c.Checks(s, at) {
		switch {
		case check.Refusal != nil:
			return nil, check.Refusal
		case check.Warning:
			out = append(out, check.Text)
		}
	}
	return out, nil
}

func newCourseReport(u undertaking, dryRun bool) courseReport {
	r := courseReport{Note: u.note, DryRun: dryRun, Instance: u.instance, Warnings: filled(u.warnings), Steps: []courseStep{}}
	if !u.migration.IsZero() {
		r.Migration = &u.migration
	}
	return r
}

// moved returns what all steps did.
func (r courseReport) moved() []movedRow {
	var out []movedRow
	for _, step := range r.Steps {
		out = append(out, step.Moved...)
	}
	return out
}

// messages returns out as it prints for people beside the steps that they are told of.
func (p *program) messages(out *printer) *printer {
	own := *out
	own.w, own.terminal = p.stderr, isTerminal(p.stderr)
	return &own
}

// halfwayError reports a course that was left between two steps. It matches its
// cause.
type halfwayError struct {
	note  string
	steps int // that were taken
	cause error
	first string // what to do before it can go on; "" for nothing
	final bool   // there is no way back
}

// Error implements error.
func (e *halfwayError) Error() string {
	why := e.cause.Error()
	if errors.Is(e.cause, context.Canceled) {
		why = "interrupted"
	}
	why = strings.TrimPrefix(why, fmt.Sprintf("stopped after step %d: ", e.steps))
	text := fmt.Sprintf("%s: stopped after step %d: %s; ", e.note, e.steps, why)
	if e.first != "" {
		text += e.first + ", then "
	}
	return text + recoverHint(!e.final)
}

// Unwrap returns the cause.
func (e *halfwayError) Unwrap() error { return e.cause }

// conduct takes what plan returns to its end, or with --dry-run prints what it
// would do. Each step is told on standard error once it is on disk; done prints
// what the user asked for on standard output, nil nothing.
func (p *program) conduct(ctx context.Context, w *writing, plan func(finder) (undertaking, error), done func(io.Writer) error) error {
	out, err := p.printer(*w.format)
	if err != nil {
		return err
	}
	store, err := p.openForWrite(ctx, w, nil)
	if err != nil {
		return err
	}
	u, err := plan(finderOf(store.Snapshot()))
	if err != nil {
		return p.orRecover(store.Snapshot(), u.instance, err)
	}
	if *w.format == formatTable {
		for _, warning := range u.warnings {
			p.say("warning: %s", warning)
		}
	}
	if w.dryRun {
		return p.rehearse(out, store.Snapshot(), u)
	}
	if err := p.advance(ctx, out, store, u); err != nil || done == nil || *w.format != formatTable {
		return err
	}
	return done(p.stdout)
}

// rehearse prints what a course would do, step by step and in all.
func (p *program) rehearse(out *printer, s *cloud.Snapshot, u undertaking) error {
	r, failed := ops.Rehearse(s, u.course, p.now())
	report := newCourseReport(u, true)
	report.Revision = s.Revision()
	var text []string
	for i, step := range r.Steps {
		report.Steps = append(report.Steps, courseStep{
			Name: step.Name, Title: step.Title, Cause: causeText(step.Cause), Moved: movedBy(step.Name, step.Preview),
		})
		text = append(text, stepText(i+1, step.Name, step.Title))
	}
	report.RevertAt = u.revertAt(r.Final)
	all := r.Outcome()
	if out.format != formatTable {
		of := newPlanReport(outcome{note: u.note, preview: all, revision: s.Revision(), dryRun: true, problems: p.consequencesOf(r.Start, r.Final)})
		report.Plan, report.Error, report.LeftOut = &of, causeText(failed), leftOutOf(s, failed)
		return errors.Join(out.value(report), p.failedCourse(u, failed, 0))
	}
	if len(r.Steps) > 0 {
		text = append(append(text, ""), all.Lines()...)
		text = append(text, p.consequencesOf(r.Start, r.Final).lines()...)
	}
	if err := lines(out, text...); err != nil {
		return err
	}
	if moved := report.moved(); len(moved) > 0 {
		if err := errors.Join(lines(out, ""), printMoved(out, moved)); err != nil {
			return err
		}
	}
	if failed != nil {
		return p.failedCourse(u, failed, 0)
	}
	p.sayRevert(report.RevertAt)
	p.say("dry run: nothing is written")
	return nil
}

// advance takes a course to its end.
func (p *program) advance(ctx context.Context, out *printer, store storage.Store, u undertaking) error {
	report, last := newCourseReport(u, false), store.Snapshot()
	failed := ops.Runner{
		Actor: p.actor(), Now: p.now,
		Report: func(d ops.StepDone) {
			step := courseStep{
				Name: d.Name, Title: d.Title, Revision: d.Event.Revision, Tries: d.Tries, Cause: causeText(d.Cause),
				Elapsed: float64(d.Elapsed) / float64(time.Millisecond),
			}
			if did, err := ops.PreviewEvent(last, d.Event); err == nil {
				step.Moved = movedBy(d.Name, did)
			}
			report.Steps, last = append(report.Steps, step), store.Snapshot()
			p.log.LogAttrs(ctx, slog.LevelInfo, "step", slog.String("course", u.note), slog.String("step", d.Name),
				slog.Uint64("revision", uint64(d.Event.Revision)), slog.Int("tries", d.Tries))
			if out.format == formatTable {
				p.say("%s  (%s)", stepText(d.Number, d.Name, d.Title), d.Elapsed.Round(10*time.Microsecond))
			}
		},
	}.Run(ctx, store, u.course)

	report.Revision, report.RevertAt = store.Snapshot().Revision(), u.revertAt(store.Snapshot())
	failed = p.failedCourse(u, failed, len(report.Steps))
	var halfway *halfwayError
	if errors.As(failed, &halfway) {
		halfway.final = !slices.ContainsFunc(ops.Unfinished(store.Snapshot(), p.now(), 0), func(x ops.Interrupted) bool {
			return x.Instance == u.instance && x.Undo != nil
		})
	}
	if out.format != formatTable {
		report.Error, report.LeftOut = causeText(failed), leftOutOf(store.Snapshot(), failed)
		return errors.Join(out.value(report), failed)
	}
	if moved := report.moved(); len(moved) > 0 {
		if err := printMoved(p.messages(out), moved); err != nil {
			return errors.Join(failed, err)
		}
	}
	switch {
	case failed != nil:
		return failed
	case len(report.Steps) == 0:
		p.say("nothing to do: the cloud is so already (%s)", u.note)
	default:
		p.say("%s: done in %s, at revision %d", u.note, counted(len(report.Steps), "step"), report.Revision)
		p.sayRevert(report.RevertAt)
	}
	return nil
}

// failedCourse says how the cloud was left by a course that failed after some
// steps; nil for nil.
func (p *program) failedCourse(u undertaking, err error, steps int) error {
	var failed *ops.FailedError
	var none *ops.NoValidHostError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed) && failed.Stuck != nil && steps > 0:
		return &halfwayError{note: u.note, steps: steps, cause: err, first: sayFreed(err)}
	case errors.As(err, &none):
		return &exitError{code: exitNothingFits, err: err, hint: u.whyNot(none)}
	case failed == nil && steps > 0:
		return &halfwayError{note: u.note, steps: steps, cause: err, first: sayFreed(err)}
	case sayFreed(err) != "":
		return &exitError{code: exitCode(err), err: err, hint: sayFreed(err)}
	case failed != nil && failed.Undone > 0:
		return &exitError{code: exitCode(err), err: err, hint: "all that was done is undone"}
	}
	return err
}

// sayFreed says how to let a course go on that a stuck device holds up, "" where none
// does.
func sayFreed(err error) string {
	var stuck *ops.StuckDeviceError
	if !errors.As(err, &stuck) {
		return ""
	}
	return fmt.Sprintf("say so with %q", freedCommand())
}

// whyNot says what would find a place where there is none, or how to learn why.
func (u undertaking) whyNot(none *ops.NoValidHostError) string {
	if i := slices.IndexFunc(none.Left, func(p ops.Place) bool { return p.Stays }); i >= 0 {
		return sayStay(none.Left[i])
	}
	if u.asks == "" {
		return ""
	}
	return fmt.Sprintf("see why with \"%s --explain\"", u.asks)
}

// leftOut is a host on which there is no place, and why.
type leftOut struct {
	Host string `json:"host"`
	Why  string `json:"why"`
}

// hostsLeftOut names the first of hosts, each with why, and how many more there are.
func hostsLeftOut(hosts []leftOut) string {
	const most = 4
	var first []string
	for _, h := range hosts[:min(most, len(hosts))] {
		first = append(first, fmt.Sprintf("%s (%s)", h.Host, h.Why))
	}
	out := strings.Join(first, ", ")
	if more := len(hosts) - len(first); more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// leftOutOf returns why each host is no place, where err says that none is.
func leftOutOf(s *cloud.Snapshot, err error) []leftOut {
	var none *ops.NoValidHostError
	if !errors.As(err, &none) {
		return nil
	}
	var out []leftOut
	for e := range none.Excluded(s) {
		out = append(out, leftOut{e.Host, e.Why((*placement.ResourceProvider).Name)})
	}
	slices.SortFunc(out, func(a, b leftOut) int { return strings.Compare(a.Host, b.Host) })
	return out
}

// stepText is a step as one line.
func stepText(number int, name, title string) string {
	return fmt.Sprintf("%2d %-8s %s", number, name, title)
}

func causeText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
