package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// CourseOf names the task that an instance is or was in.
type CourseOf struct {
	Instance  placement.ConsumerID
	Migration placement.ConsumerID // zero for a boot and a delete
}

// StepsTaken returns the steps of a course that the journal tells about, the oldest first:
// what was written to its instance, its migration and their devices since it began.
// How long each took is not known.
//
// Errors: those of the journal, with the steps that were read before.
func StepsTaken(ctx context.Context, journal cloud.Historian, of CourseOf) ([]StepDone, error) {
	const page, most, small = 200, 2000, 256
	var out []StepDone
	tell := stepFinder{CourseOf: of, requests: map[uuid.UUID]bool{}}
	begun, until := false, cloud.Revision(0)
	for read := 0; read < most && !begun; read += page {
		events, err := journal.Events(ctx, cloud.EventQuery{Until: until, Limit: page, Small: small})
		if err != nil {
			slices.Reverse(out)
			return out, fmt.Errorf("the journal cannot be read: %w", err)
		}
		for _, ev := range events {
			step, ok, first := tell.step(ev)
			if ok {
				out = append(out, step)
			}
			if begun = first; begun {
				break
			}
		}
		if len(events) < page || events[len(events)-1].Revision <= 1 {
			break
		}
		until = events[len(events)-1].Revision - 1
	}
	slices.Reverse(out)
	for i := range out {
		out[i].Number = i + 1
	}
	return out, nil
}

// stepFinder finds the steps of a course among events, the newest first.
type stepFinder struct {
	CourseOf
	requests map[uuid.UUID]bool // for devices, of the course: before one is bound it does not say whose it is
}

// step returns an event as a step of the course, false if it is not one, and whether the
// course began with it.
func (t stepFinder) step(ev cloud.Event) (step StepDone, ok, first bool) {
	step = StepDone{Name: ev.Step, Title: ev.Note, Event: ev, Tries: 1}
	for _, ch := range ev.Changes {
		if before, after := t.has(ch.Before), t.has(ch.After); !before && !after {
			continue
		}
		ok = true
		if t.beginsWith(ch) {
			first = true
		}
		if was, is := faultOf(ch.Before), faultOf(ch.After); is != "" && is != was {
			step.Cause = errors.New(is)
		}
	}
	return step, ok, first
}

// has reports whether a record belongs to the course.
func (t stepFinder) has(r versioned.Record) bool {
	switch r := r.(type) {
	case *nova.Migration:
		return r.UUID == t.Migration && !t.Migration.IsZero()
	case *nova.Instance:
		return r.UUID == t.Instance
	case *cyborg.ARQ:
		if !r.Instance.IsZero() && (r.Instance == t.Instance || r.Instance == t.Migration) {
			t.requests[r.UUID] = true
		}
		return t.requests[r.UUID]
	}
	return false
}

// beginsWith reports whether a course begins with a change: a move with its record, any
// other if the instance was at rest before.
func (of CourseOf) beginsWith(ch versioned.Change) bool {
	if !of.Migration.IsZero() {
		_, is := ch.After.(*nova.Migration)
		return is && ch.Before == nil
	}
	is, ok := ch.After.(*nova.Instance)
	if !ok || is.TaskState == "" {
		return false
	}
	was, had := ch.Before.(*nova.Instance)
	return !had || was.TaskState == ""
}

// faultOf returns why the course of a record turned round, "" if it did not.
func faultOf(r versioned.Record) string {
	switch r := r.(type) {
	case *nova.Migration:
		return r.Fault
	case *nova.Instance:
		return r.Fault
	}
	return ""
}
