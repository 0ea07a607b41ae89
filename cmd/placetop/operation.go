package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// operation is what a command carries out: one write, or a task of several steps.
type operation struct {
	note      string // "boot web-1"
	task      ops.Task
	plan      *ops.Plan            // the newest plan of one write; nil for several
	shown     *ops.ExpectedOutcome // what the plan must agree with; nil for anything
	instance  placement.ConsumerID
	migration placement.ConsumerID // zero unless it is a move
	asks      string               // the command line that lists possible hosts; "" if there is none
	warnings  []string             // what the user should know before
}

// operationReport is what an operation of several steps did, or would do, for programs.
type operationReport struct {
	Note      string                `json:"note"`
	DryRun    bool                  `json:"dry_run"`
	Instance  placement.ConsumerID  `json:"instance_uuid"`
	Migration *placement.ConsumerID `json:"migration_uuid,omitempty"`
	Revision  cloud.Revision        `json:"revision"`
	Warnings  []string              `json:"warnings"`
	Steps     []stepReport          `json:"steps"`
	RevertAt  *time.Time            `json:"revert_at,omitempty"` // of a move that waits, unless it is confirmed before that
	LeftOut   []excludedHost        `json:"left_out,omitempty"`  // the hosts and why each is ruled out, if all are
	Plan      *planReport           `json:"plan,omitempty"`      // of all steps together, with DryRun
	Error     string                `json:"error,omitempty"`     // why it did not finish
}

// stepReport is a step that was taken, or would be.
type stepReport struct {
	Name     string         `json:"name"`
	Title    string         `json:"title"`
	Revision cloud.Revision `json:"revision,omitempty"`
	Elapsed  float64        `json:"elapsed_ms,omitempty"`
	Tries    int            `json:"tries,omitempty"`
	Cause    string         `json:"cause,omitempty"` // why the operation turned back here
	Moved    []movedHolding `json:"moved,omitempty"` // what it did in Placement
}

// text is the step as one line.
func (s stepReport) text(number int) string {
	return fmt.Sprintf("%2d %-8s %s", number, s.Name, s.Title)
}

// revertTime returns when the move of u is reverted unless it is confirmed before that; nil
// if it does not wait, or waits for ever.
func (u operation) revertTime(s *cloud.Snapshot) *time.Time {
	m, ok := s.Nova().Migration(u.migration)
	if !ok || m.Status != nova.Finished {
		return nil
	}
	return moment(m.Deadline)
}

// placementAlone reports whether u only writes to Placement, regardless of what other
// services report.
func (u operation) placementAlone() bool {
	return u.plan != nil && !slices.ContainsFunc(u.plan.Change.Ops, func(op cloud.Op) bool { return !placement.Owns(op) })
}

// sayRevert prints when an unconfirmed move is reverted; nothing for nil.
func (p *program) sayRevert(at *time.Time) {
	if at != nil {
		p.say(`unless it is confirmed by %s it is reverted, by a running dashboard or agent, or by "placetop recover"`, stamp(at))
	}
}

// warningsOf returns what the user should know before a task begins.
//
// Errors: why it may not begin.
func warningsOf(s *cloud.Snapshot, t ops.Task, at time.Time) ([]string, error) {
	asks, ok := t.(ops.Checker)
	if !ok {
		return nil, nil
	}
	var out []string
	for _, check := range asks.Checks(s, at) {
		switch {
		case check.Refusal != nil:
			return nil, check.Refusal
		case check.Warning:
			out = append(out, check.Text)
		}
	}
	return out, nil
}

// report returns what was done, or would be, for programs.
func (o outcome) report() any {
	plan := newPlanReport(o)
	if o.plan != nil {
		return plan
	}
	r := operationReport{
		Note: o.note, DryRun: o.dryRun, Instance: o.instance, Revision: o.revision, Warnings: filled(o.warnings), Steps: filled(o.steps),
		RevertAt: o.revertAt, LeftOut: leftOutOf(cmp.Or(o.now, o.of[0]), o.failed), Error: causeText(o.failed),
	}
	if !o.migration.IsZero() {
		r.Migration = &o.migration
	}
	if o.dryRun {
		r.Plan = &plan
	}
	return r
}

// partialError reports an operation that stopped between two steps. It wraps its cause.
type partialError struct {
	note  string
	steps int // taken
	cause error
	first string // what to do before it can continue; "" for nothing
	final bool   // it cannot be undone
	far   bool   // in a live cloud, which keeps no courses to resume
}

func (e *partialError) Error() string {
	why := e.cause.Error()
	if errors.Is(e.cause, context.Canceled) {
		why = "interrupted"
	}
	why = strings.TrimPrefix(why, fmt.Sprintf("stopped after step %d: ", e.steps))
	text := fmt.Sprintf("%s: stopped after step %d: %s; ", e.note, e.steps, why)
	if e.first != "" {
		text += e.first + ", then "
	}
	if e.far {
		return text + "what was done stays; run the same command for the rest"
	}
	return text + recoverHint(!e.final)
}

// Unwrap returns the cause.
func (e *partialError) Unwrap() error { return e.cause }

// outcome is what an operation did, or would do.
type outcome struct {
	operation
	dryRun   bool
	revision cloud.Revision     // the newest that it wrote, else that of the cloud
	steps    []stepReport       // of several, so far
	revertAt *time.Time         // see operation.revertTime
	preview  ops.Preview        // of all steps, or of what would be done
	now      *cloud.Snapshot    // once done
	of       [2]*cloud.Snapshot // before and after, as planned; nil if unknown
	problems consequences       // of of, once requested
	failed   error              // why it did not finish
}

// operate carries out what plan returns, or with --dry-run prints what it would do. It
// reports each of several steps on standard error once it is on disk. made returns what
// the user asked for, such as the uuid of what was made, to be printed; nil for nothing.
func (p *program) operate(ctx context.Context, w *writing, plan func(finder) (operation, error), made func(outcome) any) error {
	p.writes = true
	store, err := p.openForWrite(ctx, w, func(f finder) error {
		_, err := plan(f)
		return err
	})
	if err != nil {
		return err
	}
	return p.operateOn(ctx, w, store, plan, made)
}

// operateOn is operate on an open store.
func (p *program) operateOn(ctx context.Context, w *writing, store storage.Store, plan func(finder) (operation, error), made func(outcome) any) error {
	u, err := plan(finderOf(store.Snapshot()))
	if p.writes && p.tellUnread != nil && (err != nil || !u.placementAlone()) {
		p.tellUnread()
	}
	if err == nil && u.plan != nil {
		if w.force {
			u.plan.Change.Force = cloud.ForceUnchecked
		}
		*u.plan = u.plan.In(store.Capabilities())
		u.task = *u.plan
	}
	if err == nil {
		u.task = ops.TaskFor(store.Capabilities(), u.task)
		u.warnings, err = warningsOf(store.Snapshot(), u.task, p.now())
	}
	if w.DryRun && err == nil && u.plan != nil {
		can := store.Capabilities()
		can.ReadOnly = "" // a preview says what would become of it if anything could be written
		if may := can.Can(u.plan.Change.Ops...); may != nil {
			u.warnings = append(u.warnings, may.Error())
		}
	}
	if may := store.Capabilities().Can(); err != nil && may != nil && !w.DryRun {
		return may // and not what is wrong with something that could not be written anyway
	}
	if err != nil {
		return p.orRecover(store, u.instance, err)
	}
	out := p.printer()
	if out.People() {
		p.warn(u.warnings...)
	}
	did := p.carryOut(ctx, store, w.DryRun, u)
	if err = p.printOutcome(did); err == nil && !w.DryRun && made != nil && out.People() {
		if what := made(did); what != nil {
			out.Lines(fmt.Sprint(what))
		}
	}
	return err
}

// carryOut carries out an operation, or with dryRun rehearses it.
func (p *program) carryOut(ctx context.Context, store storage.Store, dryRun bool, u operation) outcome {
	if dryRun {
		return p.rehearse(store.Capabilities(), store.Snapshot(), u)
	}
	did, last := outcome{operation: u}, store.Snapshot()
	r := p.runner(ctx)
	r.Shown, r.Report = u.shown, func(d ops.StepDone) {
		did.revision = max(did.revision, d.Event.Revision) // not that of the newest Snapshot, which may be somebody else's
		if u.plan != nil {
			p.log.LogAttrs(ctx, slog.LevelInfo, "written",
				slog.Uint64("revision", uint64(d.Event.Revision)), slog.String("actor", d.Event.Actor), slog.String("note", d.Event.Note))
			return
		}
		step := stepReport{
			Name: d.Name, Title: d.Title, Revision: d.Event.Revision, Tries: d.Tries, Cause: causeText(d.Cause),
			Elapsed: float64(d.Elapsed) / float64(time.Millisecond),
		}
		if moved, err := ops.PreviewEvent(last, d.Event); err == nil {
			step.Moved = movedBy(d.Name, moved)
		}
		did.steps, last = append(did.steps, step), store.Snapshot()
		p.log.LogAttrs(ctx, slog.LevelInfo, "step", slog.String("course", u.note), slog.String("step", d.Name),
			slog.Uint64("revision", uint64(d.Event.Revision)), slog.Int("tries", d.Tries))
		if p.format == print.Table {
			p.say("%s  (%s)", step.text(d.Number), d.Elapsed.Round(10*time.Microsecond))
		}
	}
	if p.alone { // a closed pipe, as by head, does not stop it between two steps
		signal.Ignore(syscall.SIGPIPE)
	}
	before := newestMove(store.Snapshot(), u.instance)
	err := r.Run(ctx, store, u.task)
	s := store.Snapshot()
	if _, asked := u.task.(ops.NovaTask); asked {
		_, known := s.Nova().Migration(u.migration)
		if now := newestMove(s, u.instance); now != before {
			did.migration = now // Nova assigned its uuid
		} else if !known {
			did.migration = placement.ConsumerID{}
		}
	}
	did.failed = p.failedOperation(u, err, len(did.steps))
	did.now, did.revertAt = s, u.revertTime(s)
	wrote := did.revision != 0 // and not Nova
	if !wrote {
		did.revision = s.Revision()
	}
	if u.plan != nil && (wrote || err != nil || u.plan.Empty()) { // else others have done the same meanwhile
		did.setPlan(*u.plan)
	}
	if partial, ok := errors.AsType[*partialError](did.failed); ok {
		partial.far = distant(store)
		partial.final = !slices.ContainsFunc(p.unfinished(store, s), func(x ops.InterruptedTask) bool {
			return x.Instance == u.instance && x.Undo != nil
		})
	}
	return did
}

// newestMove returns the newest migration of an instance, zero if it has none.
func newestMove(s *cloud.Snapshot, instance placement.ConsumerID) placement.ConsumerID {
	var last *nova.Migration
	for m := range s.Nova().MigrationsOf(instance) {
		if last == nil || last.Created < m.Created {
			last = m
		}
	}
	if last == nil {
		return placement.ConsumerID{}
	}
	return last.UUID
}

// setPlan makes the result of a plan the outcome.
func (o *outcome) setPlan(plan ops.Plan) {
	o.note, o.preview = plan.Change.Note, plan.Preview
	if !plan.Empty() {
		o.of = [2]*cloud.Snapshot{plan.On, plan.After}
	}
}

// rehearse returns what an operation would do.
func (p *program) rehearse(can cloud.Capabilities, s *cloud.Snapshot, u operation) outcome {
	did := outcome{operation: u, dryRun: true, revision: s.Revision()}
	if u.plan != nil {
		did.setPlan(*u.plan)
		return did
	}
	r, err := ops.Rehearse(s, u.task, p.now())
	for _, step := range r.Steps {
		did.steps = append(did.steps, stepReport{
			Name: step.Name, Title: step.Title, Cause: causeText(step.Cause), Moved: movedBy(step.Name, step.Preview),
		})
	}
	did.failed, did.revertAt = p.failedOperation(u, err, 0), u.revertTime(r.Final)
	did.preview, did.of = r.Outcome().On(can), [2]*cloud.Snapshot{r.Start, r.Final}
	return did
}

// printOutcome prints the outcome of an operation, and returns why it failed.
func (p *program) printOutcome(did outcome) error {
	if did.plan != nil && did.failed != nil {
		return did.failed
	}
	did = p.judged(did)
	out := p.printer()
	if out.Structured() {
		out.Value(did.report())
		return did.failed
	}
	if did.dryRun {
		out.Lines(did.lines()...)
	}
	var moved []movedHolding
	for _, step := range did.steps {
		moved = append(moved, step.Moved...)
	}
	switch {
	case len(moved) == 0:
	case did.dryRun:
		out.Lines("")
		out.Tables(movedList(moved))
	default: // messages about steps go to standard error
		(&print.Printer{W: p.stderr, Format: out.Format, Styles: out.Styles, Terminal: isTerminal(p.stderr)}).Tables(movedList(moved))
	}
	switch {
	case did.failed != nil:
	case did.dryRun:
		p.sayRevert(did.revertAt)
		p.say("dry run: nothing is written")
	default:
		p.sayDone(did)
	}
	return did.failed
}

// lines returns what would be done, step by step and in total.
func (o outcome) lines() []string {
	var text []string
	for i, step := range o.steps {
		text = append(text, step.text(i+1))
	}
	if o.plan == nil && len(text) == 0 {
		return nil
	}
	if len(text) > 0 {
		text = append(text, "")
	}
	return append(append(text, o.preview.Lines()...), o.problems.lines()...)
}

// sayDone prints on standard error what was done.
func (p *program) sayDone(did outcome) {
	p.warn(did.preview.Warnings...)
	switch {
	case did.plan != nil && !did.preview.Empty():
		p.say("%s: done, at revision %d", did.note, did.revision)
	case len(did.steps) > 0:
		p.say("%s: done in %s, at revision %d", did.note, counted(len(did.steps), "step"), did.revision)
		p.sayRevert(did.revertAt)
	case did.note == "":
		p.say("nothing to do: the cloud is already like that")
	default:
		p.say("nothing to do: the cloud is already like that (%s)", did.note)
	}
	for _, line := range did.problems.lines() {
		p.say("%s", line)
	}
}

// failedOperation returns in what state an operation that failed after some steps left the
// cloud; nil if err is nil.
func (p *program) failedOperation(u operation, err error, steps int) error {
	var failed *ops.FailedError
	var none *ops.NoValidHostError
	switch {
	case err == nil:
		return nil
	case ops.IsNovaTask(u.task):
		return err
	case errors.As(err, &failed) && failed.Stuck != nil && steps > 0:
		return &partialError{note: u.note, steps: steps, cause: err, first: freedHint(err)}
	case errors.As(err, &none):
		return &exitError{code: exitNothingFits, err: err, hint: u.whyNot(none)}
	case failed == nil && steps > 0:
		return &partialError{note: u.note, steps: steps, cause: err, first: freedHint(err)}
	case freedHint(err) != "":
		return &exitError{code: exitCode(err), err: err, hint: freedHint(err)}
	case failed != nil && failed.Undone > 0:
		return &exitError{code: exitCode(err), err: err, hint: "everything done was undone"}
	}
	return err
}

// freedHint returns how to free a stuck device that holds up an operation, "" if none does.
func freedHint(err error) string {
	if _, ok := errors.AsType[*ops.StuckDeviceError](err); !ok {
		return ""
	}
	return fmt.Sprintf("run %q", freedCommand())
}

// whyNot returns how to find out why there is no place, or what would find one.
func (u operation) whyNot(none *ops.NoValidHostError) string {
	if i := slices.IndexFunc(none.Left, func(p ops.Place) bool { return p.Stays }); i >= 0 {
		return sameHostHint(none.Left[i])
	}
	if u.asks == "" {
		return ""
	}
	return fmt.Sprintf("see why with \"%s --explain\"", u.asks)
}

// excludedHost is a host without a place, and why.
type excludedHost struct {
	Host string `json:"host"`
	Why  string `json:"why"`
}

// hostsLeftOut lists the first of hosts, each with the reason, and the number of the
// others.
func hostsLeftOut(hosts []excludedHost) string {
	const most = 4
	first := hosts[:min(most, len(hosts))]
	out := joined(first, func(h excludedHost) string { return fmt.Sprintf("%s (%s)", h.Host, h.Why) })
	if more := len(hosts) - len(first); more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// leftOutOf returns why each host is ruled out, if err says that all are.
func leftOutOf(s *cloud.Snapshot, err error) []excludedHost {
	var none *ops.NoValidHostError
	if !errors.As(err, &none) {
		return nil
	}
	var out []excludedHost
	for e := range none.Excluded(s) {
		out = append(out, excludedHost{e.Host, e.Why((*placement.ResourceProvider).Name)})
	}
	slices.SortStableFunc(out, func(a, b excludedHost) int { return strings.Compare(a.Host, b.Host) })
	return out
}

func causeText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// movedHolding is what a step changed of what a consumer holds.
type movedHolding struct {
	Step string `json:"step"`
	ops.HoldingDiff
}

// movedBy returns the effect of a step.
func movedBy(step string, p ops.Preview) []movedHolding {
	var out []movedHolding
	for _, d := range p.Holdings() {
		out = append(out, movedHolding{step, d})
	}
	return out
}

// movedList lists what consumers hold before and after.
func movedList(rows []movedHolding) *print.List {
	arrow := func(of [2]ops.Generation) string {
		return strings.ReplaceAll(of[0].String()+">"+of[1].String(), "none", "-")
	}
	list := print.Columns("step", "consumer", "gen", "provider", "class", "amount", "owner", "gen")
	for _, r := range rows {
		owner := r.OwnerAfter.String()
		if r.OwnerBefore != r.OwnerAfter {
			owner = r.OwnerBefore.String() + ">" + owner
		}
		list.Row(r.Step, strings.ToLower(string(r.Type)), arrow(r.OfConsumer), r.Provider, r.Class, fmt.Sprintf("%d>%d", r.Before, r.After), owner, arrow(r.Generation))
	}
	return list
}
