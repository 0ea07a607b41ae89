// Package demotest makes the clouds of package demo for tests: each of them once in a
// test binary, as a Snapshot never changes.
package demotest

import (
	"sync"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
)

// made caches the clouds by their options, as functions that make each once.
//
//nolint:gochecknoglobals // what all tests of a binary share
var made sync.Map // of func() (told, error), by demo.Options

// history is a demo cloud and its events, oldest first.
type history struct {
	snapshot *cloud.Snapshot
	events   []cloud.Event
}

// Snapshot returns the cloud of o. All tests share it.
func Snapshot(tb testing.TB, o demo.Options) *cloud.Snapshot {
	tb.Helper()
	return of(tb, o).snapshot
}

// History is Snapshot with the events that made the cloud, oldest first, which are
// shared too.
func History(tb testing.TB, o demo.Options) (*cloud.Snapshot, []cloud.Event) {
	tb.Helper()
	t := of(tb, o)
	return t.snapshot, t.events
}

// Fresh is Snapshot, but made each time.
func Fresh(o demo.Options) (*cloud.Snapshot, error) {
	t, err := tell(o)
	return t.snapshot, err
}

func of(tb testing.TB, o demo.Options) history {
	tb.Helper()
	o.Now = o.Now.Round(0).UTC() // without the monotonic clock, so that equal times are equal keys
	if o.Hosts == 0 {
		o.Hosts = demo.DefaultHosts
	}
	once, _ := made.LoadOrStore(o, sync.OnceValues(func() (history, error) { return tell(o) }))
	t, err := once.(func() (history, error))()
	must.Succeed(tb, err)
	return t
}

func tell(o demo.Options) (history, error) {
	changes, err := demo.Build(o)
	if err != nil {
		return history{}, err
	}
	t := history{snapshot: cloud.Empty()}
	for c := range changes {
		next, ev, err := t.snapshot.Apply(c)
		if err != nil {
			return history{}, err
		}
		if next != t.snapshot {
			t.snapshot, t.events = next, append(t.events, ev)
		}
	}
	return t, nil
}
