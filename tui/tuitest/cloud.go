package tuitest

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/screen"
)

// Now is the time in all tests.
func Now() time.Time { return time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC) }

// ErrDisk is the error of a store that cannot be written.
var ErrDisk = errors.Join(placement.ErrUnavailable, errors.New("no space left on device"))

// Cloud is what a screen under test works on. It counts what is written to it, and can get
// in the way. What a test writes with Change, Do or to the Store is not counted: it is
// somebody else's.
type Cloud struct {
	*memory.Store
	Writes int
	// Before is called once, before the next write, which is refused with the error that
	// Before returns, and otherwise made, even if its context has ended meanwhile.
	Before func(stopped <-chan struct{}) error
	After  func() // called once, after the next write
	Refuse error  // what the next writes are refused with
	Fault  error  // the error of the journal, nil if it returns the events
	// Common is what those of its dashboards compute together that are given it.
	Common screen.Common
}

// NewCloud returns a cloud in the given state with the events that led to it, oldest first.
func NewCloud(snap *cloud.Snapshot, events ...cloud.Event) *Cloud {
	c := &Cloud{Store: memory.New(memory.Options{Clock: Now, Start: snap, Journal: math.MaxInt, JournalChanges: math.MaxInt})}
	for _, ev := range events {
		c.Follow(snap, ev)
	}
	return c
}

// Demo returns the demo cloud with that many hosts and its history.
func Demo(tb testing.TB, hosts int) *Cloud {
	tb.Helper()
	snap, events := demotest.History(tb, demo.Options{Hosts: hosts, Seed: 1, Now: Now()})
	return NewCloud(snap, events...)
}

// Demo12 is the Demo of twelve hosts.
func Demo12(tb testing.TB) *Cloud {
	tb.Helper()
	return Demo(tb, 12)
}

// Big returns a cloud of the given size, without history.
func Big(tb testing.TB, size modeltest.Size) *Cloud {
	tb.Helper()
	return NewCloud(must.Get(cloud.Load(1, Now(), func(yield func(versioned.Record, error) bool) {
		for _, r := range slices.Concat(size.Records()) {
			if !yield(r, nil) {
				return
			}
		}
	}))(tb))
}

// Change alters the cloud.
func (c *Cloud) Change(change cloud.Change) error {
	return c.Store.Apply(context.Background(), change).Err()
}

// Do alters the cloud by Placement's operations.
func (c *Cloud) Do(ops ...placement.Op) error {
	return c.Change(cloud.Change{Actor: "test", Ops: ops})
}

// ReadAs makes it a live cloud of which parts were read in this way, and the others as a
// whole.
func (c *Cloud) ReadAs(readings ...cloud.Reading) {
	c.Reread(c.Snapshot().ReadAs(cloud.NewReadings(readings, nil)))
}

// Apply implements cloud.Writer.
func (c *Cloud) Apply(ctx context.Context, change cloud.Change) cloud.Outcome {
	if f := c.Before; f != nil {
		c.Before = nil
		if err := f(ctx.Done()); err != nil {
			return cloud.Refused(err)
		}
		ctx = context.WithoutCancel(ctx)
	}
	if c.Refuse != nil {
		return cloud.Refused(c.Refuse)
	}
	c.Writes++
	out := c.Store.Apply(ctx, change)
	if f := c.After; f != nil {
		c.After = nil
		f()
	}
	return out
}

// Events implements cloud.Historian.
func (c *Cloud) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	if c.Fault != nil {
		return nil, c.Fault
	}
	return c.Store.Events(ctx, q)
}
