package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/placetop/placetop/model/cloud"
)

// Each is several Tasks, done one after the other, such as deleting all marked
// instances. They are independent: if one fails, those before it stay done. None of
// them may be a Plan, which never comes to its end; PlanAll makes several Plans one.
type Each []Task

var _ Task = Each{}

// About implements Task.
func (all Each) About() Description {
	if len(all) == 0 {
		return Description{}
	}
	return Description{Name: all[0].About().Name}
}

// Next implements Task: the next step of the first that is not at its end.
//
// Errors: those of the Tasks, with the name of what each is about if there are several.
func (all Each) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	for _, t := range all {
		step, ok, err := t.Next(s, at)
		if err != nil {
			err = all.named(s, t, err)
		}
		if ok || err != nil {
			return step, ok, err
		}
	}
	return Step{}, false, nil
}

// named returns the error of one of the Tasks, with the name of what it is about if there
// are several.
func (all Each) named(s *cloud.Snapshot, t Task, err error) error {
	name := t.About().Subject
	if i, known := s.Nova().Instance(t.About().Instance); known {
		name = i.Name
	}
	if name == "" || len(all) == 1 {
		return err
	}
	if f, ok := errors.AsType[*FailedError](err); ok {
		one := *f
		one.Cause = namedIn(f.Cause, name)
		return &one
	}
	return namedIn(err, name)
}

// namedIn returns an error that says the name of what it is about.
func namedIn(err error, name string) error {
	if names(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// names reports whether a text has a name as a whole: vm-1 is not in "vm-10 is gone".
func names(text, name string) bool {
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' }
	for before, after, found := strings.Cut(text, name); found; {
		last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, "."))
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, "."))
		if !part(last) && !part(next) {
			return true
		}
		var more string
		more, after, found = strings.Cut(after, name)
		before = name + more
	}
	return false
}

// Able returns those of the Tasks that can be done one after the other without the rest,
// and why each of the rest cannot, with the name of what it is about.
func (all Each) Able(s *cloud.Snapshot, at time.Time) (able Each, rest []error) {
	for _, t := range all {
		r, err := Rehearse(s, t, at)
		if err == nil {
			able, s = append(able, t), r.Final
			continue
		}
		name := cmp.Or(t.About().Subject, ConsumerName(s, t.About().Instance))
		rest = append(rest, namedIn(err, name))
	}
	return able, rest
}

// Failed implements Task, for the one in progress.
func (all Each) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	for _, t := range all {
		if _, ok, err := t.Next(s, at); ok || err != nil {
			return t.Failed(s, at, step, cause)
		}
	}
	return cloud.Change{}, nil
}

// Checks implements Checker: those of all. What several have in common is listed once,
// with how many it applies to.
func (all Each) Checks(s *cloud.Snapshot, at time.Time) []Check {
	var out []Check
	times := map[Check]int{}
	for _, t := range all {
		asks, ok := t.(Checker)
		if !ok {
			continue
		}
		for _, c := range asks.Checks(s, at) {
			if c.Refusal != nil || times[c] == 0 {
				out = append(out, c)
			}
			if c.Refusal == nil {
				times[c]++
			}
		}
	}
	for i, c := range out {
		if n := times[c]; n > 1 {
			out[i].Text = fmt.Sprintf("%s (%d of %d)", c.Text, n, len(all))
		}
	}
	return out
}

// each runs several tasks to their ends, one by one: each is tried out before its first
// step, and an Executor may carry out each itself.
func (o Runner) each(ctx context.Context, store Store, all Each) error {
	report, before, last := o.reports(), 0, 0
	shown := o.eachShown(store.Snapshot(), all)
	var failures []error
	o.Report = func(d StepDone) {
		d.Number += before
		last = d.Number
		report(d)
	}
	for i, t := range all {
		before = last
		o.Shown = shown[i]
		err := o.Run(ctx, store, t)
		var failed *FailedError
		undone := errors.As(err, &failed) && failed.Stuck == nil
		switch {
		case err == nil:
		case o.GoOn && ctx.Err() == nil && !unwritable(err) && last == before && failed == nil:
			failures = append(failures, all.named(store.Snapshot(), t, err))
		default:
			if undone && before > 0 {
				failed.Stuck = errStays // this one is undone, but the others are not
			}
			return joined(append(failures, all.named(store.Snapshot(), t, err)))
		}
	}
	if len(failures) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d could not be done: %w", len(failures), len(all), joined(failures))
}

// joined returns errors as one, in one line.
func joined(all []error) error {
	err := all[0]
	for _, more := range all[1:] {
		err = fmt.Errorf("%w; %w", err, more)
	}
	return err
}

// eachShown returns what each of several tasks would do after those before it: on a newer
// Snapshot none may do anything else, or give up anything else if nobody has looked at it. It
// is nil for one that cannot be rehearsed; of one that is only asked for only the Snapshot is kept.
func (o Runner) eachShown(s *cloud.Snapshot, all Each) []*ExpectedOutcome {
	out := make([]*ExpectedOutcome, len(all))
	if o.Untried {
		return out
	}
	seen := s
	if o.Shown != nil {
		seen = o.Shown.On
	}
	for i, t := range all {
		if IsNovaTask(t) { // what is listed while those before it are done nobody has seen
			out[i] = &ExpectedOutcome{On: seen}
			continue
		}
		if r, err := Rehearse(s, t, o.now()); err == nil {
			out[i] = &ExpectedOutcome{On: s, Outcome: r.Outcome(), Decided: o.Shown == nil || o.Shown.Decided}
			s = r.Final
		}
	}
	return out
}

// errStays is the error if one of several tasks is undone.
var errStays = errors.New("those before it are done, and stay so")
