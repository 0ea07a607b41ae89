package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Task is a use-case of several Changes, such as the boot of an instance. How far it is
// follows from the cloud itself (Instance.VMState and TaskState, Migration.Status, the
// states of ARQs) and nowhere else: from any Snapshot, that after a crash included, it
// can say what comes next. A Task is a value that says which instance or migration it is
// about; it remembers nothing.
//
//	Snapshot ──► Next ──► Step{Acts, Change} ──► Acts on hosts ──► Change ──► Snapshot
//	                                                  │ one did not work
//	                                                  ▼
//	                               Failed ──► Change, after which Next undoes
//
// Advance runs a Task to its end, and Rehearse shows where it would lead.
type Task interface {
	// About says what it is, and about whom.
	About() Description
	// Next decides the next step on s, to be written at the given time, which is
	// zero if it is unknown. ok is false when the course is at rest: done, or
	// waiting for the operator. An error says that there is no way on, and that
	// nothing should be written.
	Next(s *cloud.Snapshot, at time.Time) (step Step, ok bool, err error)
	// Failed decides what to write after step failed for good: one of its Acts did
	// not work, which is an *ActError, or its Change does not fit the cloud. The steps by Next that follow do
	// the undoing. An empty Change leaves the course where it is.
	Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error)
}

// Description says in a word, such as "resize", what a Task is, and for which instance or
// migration; fields that do not apply are zero. Subject names what else it is about.
type Description struct {
	Name                string
	Instance, Migration placement.ConsumerID
	Subject             string
}

// Step is one Change of a Task, guarded by what the Task saw. If its Acts were done but
// the Change was not written, the step is taken again: both may be repeated.
type Step struct {
	Name   string       // one word, the same for all courses of a kind: "claim", "bind", "start"
	Title  string       // with the names of what it is about: "claim VCPU 2 on compute1 for web-1"
	Acts   []Act        // in order: what must have happened on a host before Change is written
	Change cloud.Change // its Note is the Title unless given
	Cause  error        // why the course gives up, in the step that decides so; nil otherwise
	Asked  bool         // a service of the cloud is asked to do it: Change is a forecast, and not written

	plan *Plan // for a task of a single step; nil otherwise
}

// ActKind is a kind of Act.
type ActKind string

// The kinds of acts.
const (
	StartGuest   ActKind = "start guest"   // with all its devices
	StopGuest    ActKind = "stop guest"    // and remove it from its host; one that is not there is no error
	BindDevice   ActKind = "bind device"   // make what an ARQ has been given, such as its mdev, and wait until it is there
	UnbindDevice ActKind = "unbind device" // remove it; one that is not there is no error
)

// Act is what must happen on a host, outside of all ledgers. Acts are comparable.
type Act struct {
	Kind     ActKind
	Host     string
	Instance placement.ConsumerID
	ARQ      uuid.UUID // of what is done to a device; zero otherwise
	By       int64     // milliseconds since 1970 until when its answer counts; 0 for ever
}

// ActError reports that an Act failed. It matches its cause.
type ActError struct {
	Act   Act
	Cause error
}

func (e *ActError) Error() string {
	return fmt.Sprintf("%s on %s: %v", e.Act.Kind, e.Act.Host, e.Cause)
}

// late returns an error if an answer at now is too late.
func (a Act) late(now time.Time) error {
	if now.IsZero() || now.UnixMilli() < a.By {
		return nil
	}
	return fmt.Errorf("no answer by %s: %w", versioned.Time(a.By).UTC().Format(time.TimeOnly), placement.ErrUnavailable)
}

// Unwrap returns the cause.
func (e *ActError) Unwrap() error { return e.Cause }

// Guests carries out Acts on hosts. Repeating one that was done succeeds.
type Guests interface {
	Do(ctx context.Context, a Act) error
}

// FailedError reports that a step of a Task failed. It matches its cause.
type FailedError struct {
	Step   Step
	Cause  error // why the step failed
	Stuck  error // why the undoing did not end; nil if it did
	Undone int   // steps that were taken after the failure
}

func (e *FailedError) Error() string {
	what := e.Step.Title
	if why := ": " + e.Cause.Error(); !strings.HasSuffix(what, why) {
		what += why // the title of a step that turns round has the reason
	}
	if e.Stuck != nil {
		return fmt.Sprintf("%s; undoing it stopped: %v", what, e.Stuck)
	}
	return what
}

// ErrCarriesOn says that a service carries on with what it was asked for, although nobody
// waits for it any more.
var ErrCarriesOn = errors.New("it goes on in Nova")

// Unwrap returns the causes.
func (e *FailedError) Unwrap() []error {
	if e.Stuck != nil {
		return []error{e.Cause, e.Stuck}
	}
	return []error{e.Cause}
}

// change returns the Change of s for the given time.
func (s Step) change(at time.Time) cloud.Change {
	c := s.Change
	c.At = at
	if c.Note == "" {
		c.Note = s.Title
	}
	return c
}

// mostSteps is how many steps a Task may take, more than the longest one with many
// devices needs, so that an endless loop is noticed.
const mostSteps = 1000

// errCircle is the error about a course with more than mostSteps steps.
func errCircle(last Step) error {
	return fmt.Errorf("%s: still not at rest after %d steps", last.Title, mostSteps)
}
