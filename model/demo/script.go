package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Script is a story that is played on a demo cloud: what each step writes, it writes as
// any operator would, through the use-cases of package ops. A Script is a value without
// memory: the cloud itself says how far it was played.
type Script struct {
	Name  string
	Title string
	Steps []Step
}

// Step is a row of a Script: something to look at, or tasks that write.
type Step struct {
	Name  string // one word, unique within the script
	Title string // a few words
	Will  string // what is about to happen, in one or two sentences

	tasks   func(*cloud.Snapshot) ([]ops.Task, error) // nil if the step only looks
	until   string                                    // the write after which the process of the task dies; "" for none
	mayFail bool                                      // the story goes on if the task fails and is undone
	done    func(*cloud.Snapshot) bool                // whether s shows that it was written; nil if the step only looks

	Did   func(StepResult) string        // what has happened, in one line
	Where func(*cloud.Snapshot) Where    // the screen of the dashboard on which the outcome is to be seen
	facts func(*cloud.Snapshot) []string // why; nil if there is nothing to add
}

// Where is what the outcome of a step is to be seen on.
type Where struct {
	View     View
	Instance placement.ConsumerID // that it is about; the zero id for none
	Filter   string               // of a list
	Flavor   string               // whose request it is
	Provider placement.ProviderID // whose later state is shown; the zero id for none
	Rule     audit.RuleID         // that found it
	Host     string               // whose service it is; "" for none
}

// View is a sort of Where.
type View int

// The views.
const (
	ViewServices   View = iota // the list
	ViewOwners                 // the owners of accelerators
	ViewRequest                // what Nova asks for Flavor
	ViewWhy                    // the same, with the result in words
	ViewInstance               // only Instance
	ViewMigrations             // the list, narrowed by Filter
	ViewDecision               // to confirm or revert the move of Instance
	ViewProblem                // the finding of Rule about Instance
)

// Made reports whether s is a demo cloud: it has a host aggregate with the uuid that only
// this package gives.
func Made(s *cloud.Snapshot) bool {
	_, ok := s.Nova().Aggregate(AggregateID(zoneName(1)))
	return ok
}

// Next returns the number of the step that comes next on s, from 0: the one after the
// last of those that have written what they write. It is len(sc.Steps) if the story is
// over.
func (sc Script) Next(s *cloud.Snapshot) int {
	next := 0
	for i, st := range sc.Steps {
		if st.done != nil && st.done(s) {
			next = i + 1
		}
	}
	return next
}

// Undone returns the number of the first step before the given one that writes and has
// not written what it writes, and false if there is none: it was undone, and may be
// played again.
func (sc Script) Undone(s *cloud.Snapshot, before int) (int, bool) {
	for i, st := range sc.Steps[:before] {
		if st.done != nil && !st.done(s) {
			return i, true
		}
	}
	return 0, false
}

// Writes reports whether the step writes something.
func (st Step) Writes() bool { return st.tasks != nil }

// Facts says why, line by line, with the figures of s.
func (st Step) Facts(s *cloud.Snapshot) []string {
	if st.facts == nil {
		return nil
	}
	return st.facts(s)
}

// StepResult is a step that was played.
type StepResult struct {
	Before, After *cloud.Snapshot
	Taken         []StepWrite // what was written, in order
}

// StepWrite is one write of a step.
type StepWrite struct {
	ops.StepDone
	Holdings []ops.HoldingDiff // what consumers hold, before and after
}

// Play plays the step on a store, as the actor and by the clock of o.
// It decides on what is there now, so that after an error it may be played again.
//
// Errors: those of ops.Runner.Run; placement.ErrNotFound if what the
// step is about is gone; *ops.NoValidHostError if the cloud has no room for it.
func (st Step) Play(ctx context.Context, store ops.Store, o ops.Runner) (StepResult, error) {
	p := StepResult{Before: store.Snapshot(), After: store.Snapshot()}
	if st.tasks == nil || st.done(p.Before) {
		return p, nil
	}
	tasks, err := st.tasks(p.Before)
	for _, t := range tasks {
		if err == nil {
			err = p.run(ctx, store, t, st.until, o)
		}
		if failed := (*ops.FailedError)(nil); st.mayFail && errors.As(err, &failed) && failed.Stuck == nil {
			err = nil
		}
	}
	p.After = store.Snapshot()
	return p, err
}

// run runs a task to its end, or to where its process dies.
func (p *StepResult) run(ctx context.Context, store ops.Store, t ops.Task, until string, o ops.Runner) error {
	process, die := context.WithCancel(ctx)
	defer die()
	report, last, dead := o.Report, store.Snapshot(), false
	o.Report = func(step ops.StepDone) {
		taken := StepWrite{StepDone: step}
		if preview, err := ops.PreviewEvent(last, step.Event); err == nil { // there was no other write at the same time
			taken.Holdings = preview.Holdings()
		}
		p.Taken = append(p.Taken, taken)
		last = store.Snapshot()
		if report != nil {
			report(step)
		}
		if step.Name == until {
			dead = true
			die()
		}
	}
	err := o.Run(process, store, t)
	if dead && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil
	}
	return err
}

// Share is how much of a class the providers of one owner have and give.
type Share struct {
	Owner    placement.Owner `json:"owner"`
	Used     int64           `json:"used"`               // units, what migrations hold included
	Held     int64           `json:"held_by_migrations"` // the part of Used that migrations hold
	Capacity int64           `json:"capacity"`           // units
}

// Shares returns the VGPUs of s by owner: Nova's, Cyborg's, those of cards that both
// claim, those of cards that neither does.
func Shares(s *cloud.Snapshot) []Share {
	sum := insight.Totals(s)
	var out []Share
	for _, owner := range owners() {
		t := sum.Owners[owner].Class(placement.VGPU)
		out = append(out, Share{Owner: owner, Used: t.Used, Held: t.Held, Capacity: t.Capacity})
	}
	return out
}

func owners() []placement.Owner {
	return []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone}
}

// Ready returns why the script cannot be played on s, nil if it can.
//
// Errors: placement.ErrUnsupported for a cloud that is not made up, or lacks what
// the story is about.
func (Script) Ready(s *cloud.Snapshot) error {
	if !Made(s) {
		return fmt.Errorf("the demonstration is played on a made-up cloud only, and this is not one: %w", placement.ErrUnsupported)
	}
	for _, name := range []string{novaFlavor, cyborgFlavor, bothFlavor} {
		if _, ok := s.Nova().FlavorNamed(name); !ok {
			return fmt.Errorf("the cloud has no flavor %s, which the story is about: make one of %d hosts or more: %w", name, DefaultHosts, placement.ErrUnsupported)
		}
	}
	if _, begun := s.Nova().Instance(role(landedName)); !begun && s.Nova().Gate().Open {
		return fmt.Errorf("every nova-compute is upgraded already, and the story begins with an old one: make a new cloud of %d hosts or more: %w",
			DefaultHosts, placement.ErrUnsupported)
	}
	return nil
}
