// Package screentest runs one screen without the dashboard around it, for tests.
//
// A Host does with keys and commands what the root model does, and nothing else,
// so that a test sees only what the screen shows and asks for. Commands run one
// after the other where the test says so: that makes the order of answers and of
// changes of the cloud a choice of the test.
package screentest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
)

// Now is the time in all tests.
func Now() time.Time { return time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC) }

// Cloud is what a screen under test works on. Screens must not write: only the
// test changes it.
type Cloud struct {
	snap   *cloud.Snapshot
	events []cloud.Event // newest first
	// Writes counts how often a screen tried to write.
	Writes int
	// Fault is the error of the journal, nil if it returns the events.
	Fault error
	// Lost are the conflicts that the store remembers.
	Lost []cloud.Conflict
	// Common is what those of its dashboards compute together that are given it.
	Common screen.Common
}

// NewCloud returns a cloud in the given state, without history.
func NewCloud(snap *cloud.Snapshot) *Cloud { return &Cloud{snap: snap} }

// Demo returns the demo cloud with that many hosts and its history.
func Demo(tb testing.TB, hosts int) *Cloud {
	tb.Helper()
	snap, events := demotest.History(tb, demo.Options{Hosts: hosts, Seed: 1, Now: Now()})
	c := NewCloud(snap)
	c.events = slices.Clone(events)
	slices.Reverse(c.events)
	return c
}

// Demo12 is the Demo of twelve hosts.
func Demo12(tb testing.TB) *Cloud { tb.Helper(); return Demo(tb, 12) }

// Big returns a cloud of the given size, without history.
func Big(tb testing.TB, size modeltest.Size) *Cloud {
	tb.Helper()
	ofPlacement, ofNova := size.Records()
	snap, err := cloud.Load(1, Now(), func(yield func(record, error) bool) {
		for _, r := range append(ofPlacement, ofNova...) {
			if !yield(r, nil) {
				return
			}
		}
	})
	must.Succeed(tb, err)
	return NewCloud(snap)
}

// Change alters the cloud.
func (c *Cloud) Change(change cloud.Change) error {
	if change.At.IsZero() {
		change.At = Now()
	}
	next, ev, err := c.snap.Apply(change)
	if err != nil {
		return err
	}
	if next != c.snap {
		c.events = append([]cloud.Event{ev}, c.events...)
	}
	c.snap = next
	return nil
}

// Do alters the cloud by Placement's operations.
func (c *Cloud) Do(ops ...placement.Op) error {
	return c.Change(cloud.Change{Actor: "test", Ops: ops})
}

// Snapshot implements cloud.Reader.
func (c *Cloud) Snapshot() *cloud.Snapshot { return c.snap }

// ReadAs makes it a live cloud of which parts were read in this way, and the others as a
// whole.
func (c *Cloud) ReadAs(readings ...cloud.Reading) {
	c.snap = c.snap.ReadAs(cloud.NewReadings(readings, nil))
}

// Apply implements cloud.Writer. It refuses, and counts.
func (c *Cloud) Apply(context.Context, cloud.Change) cloud.Outcome {
	c.Writes++
	return cloud.Refused(errors.New("a screen wrote to the cloud"))
}

// Events implements cloud.Historian.
func (c *Cloud) Events(_ context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	if q.Limit == 0 {
		q.Limit = 100
	}
	if c.Fault != nil {
		return nil, c.Fault
	}
	var out []cloud.Event
	for _, ev := range c.events {
		if len(out) == q.Limit || ev.Revision <= q.After {
			break
		}
		if q.Until > 0 && ev.Revision > q.Until {
			continue
		}
		if q.Small > 0 && len(ev.Changes) > q.Small {
			ev.Omitted, ev.Changes = len(ev.Changes), nil
		}
		out = append(out, ev)
	}
	return out, nil
}

// Conflicts implements cloud.ConflictLog.
func (c *Cloud) Conflicts() []cloud.Conflict { return c.Lost }

// Capabilities implements screen.Cloud: all can be done.
func (c *Cloud) Capabilities() cloud.Capabilities { return cloud.Capabilities{} }

// Watch implements cloud.Watcher: it reports nothing, as the Host does that.
func (c *Cloud) Watch(ctx context.Context) <-chan cloud.Revision {
	out := make(chan cloud.Revision)
	context.AfterFunc(ctx, func() { close(out) })
	return out
}
