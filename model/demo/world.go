package demo

import (
	"context"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// world is a growing cloud that the use-cases decide on: all of a small cloud, the
// showcase of a large one, or one host by itself. What is written to it is told
// apart from it, as a Change.
type world struct {
	snap    *cloud.Snapshot
	at      time.Time
	written cloud.Change // since the last call of take
	index   candidates.Indexer
}

func newWorld(from *cloud.Snapshot) *world { return &world{snap: from} }

func (w *world) Snapshot() *cloud.Snapshot { return w.snap }

func (w *world) Apply(_ context.Context, c cloud.Change) (cloud.Commit, error) {
	c.At = w.at
	next, ev, err := w.snap.Apply(c)
	if err != nil {
		return cloud.Commit{}, err
	}
	w.snap = next
	join(&w.written, c)
	return cloud.Commit{Snapshot: next, Event: ev}, nil
}

// write applies c.
func (w *world) write(c cloud.Change) error {
	_, err := w.Apply(context.Background(), c)
	return err
}

// do applies operations of Placement.
func (w *world) do(all ...placement.Op) error { return w.write(cloud.Change{Ops: all}) }

// run takes a course to its end. What is done on hosts succeeds, unless g is given.
func (w *world) run(c ops.Task, g ops.Guests) error {
	return ops.Runner{Guests: g, Now: func() time.Time { return w.at }, Untried: true}.Run(context.Background(), w, c)
}

// take returns all that was written since it was called last.
func (w *world) take() cloud.Change {
	c := w.written
	w.written = cloud.Change{}
	return c
}

// tracker returns what a resource tracker sees of w.
func (w *world) tracker() tracker.World {
	return tracker.World{Placement: w.snap.Placement(), Nova: w.snap.Nova()}
}

// join adds to c what more writes after it.
func join(c *cloud.Change, more cloud.Change) {
	c.Ops = append(c.Ops, more.Ops...)
}
