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
// showcase of a large one, or a single host. What is written to it is also collected as a
// Change.
type world struct {
	snap    *cloud.Snapshot
	at      time.Time
	written cloud.Change // since the last call of take
	index   candidates.Indexer
}

func newWorld(from *cloud.Snapshot) *world { return &world{snap: from} }

func (w *world) Snapshot() *cloud.Snapshot { return w.snap }

func (w *world) Apply(_ context.Context, c cloud.Change) cloud.Outcome {
	c.At = w.at
	next, ev, err := w.snap.Apply(c)
	if err != nil {
		return cloud.Refused(err)
	}
	w.snap = next
	join(&w.written, c)
	return cloud.Kept(next, ev)
}

// write applies c.
func (w *world) write(c cloud.Change) error {
	err := w.Apply(context.Background(), c).Err()
	return err
}

// do applies operations of Placement.
func (w *world) do(all ...placement.Op) error { return w.write(cloud.Change{Ops: all}) }

// run runs a course to its end. What is done on hosts succeeds, unless g is given.
func (w *world) run(c ops.Task, g ops.Guests) error {
	return ops.Runner{Guests: g, Now: func() time.Time { return w.at }, Untried: true}.Run(context.Background(), w, c)
}

// take returns everything written since its last call.
func (w *world) take() cloud.Change {
	c := w.written
	w.written = cloud.Change{}
	return c
}

// tracker returns w as a resource tracker sees it.
func (w *world) tracker() tracker.World {
	return tracker.World{Placement: w.snap.Placement(), Nova: w.snap.Nova()}
}

// join appends more to c.
func join(c *cloud.Change, more cloud.Change) {
	c.Ops = append(c.Ops, more.Ops...)
}
