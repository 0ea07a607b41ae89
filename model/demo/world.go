package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// world is a growing cloud that the use-cases decide on: all of a small cloud, the
// showcase of a large one, or that with one more host. What is written to it is also
// collected.
type world struct {
	snap    *cloud.Snapshot
	at      time.Time
	written []cloud.Op // since the last call of take
	index   *candidates.Indexer
}

// check panics on an error: each event is planned so that it succeeds, and one that does
// not is a mistake in this package.
func (w *world) check(err error) {
	if err != nil {
		panic(fmt.Sprintf("demo: at %s: %v", w.at, err))
	}
}

func (w *world) Snapshot() *cloud.Snapshot { return w.snap }

func (w *world) Apply(_ context.Context, c cloud.Change) cloud.Outcome {
	c.At = w.at
	next, ev, err := w.snap.Apply(c)
	if err != nil {
		return cloud.Refused(err)
	}
	w.snap = next
	w.written = append(w.written, c.Ops...)
	return cloud.Kept(next, ev)
}

// write applies operations.
func (w *world) write(all ...cloud.Op) {
	w.check(w.Apply(context.Background(), cloud.Change{Ops: all}).Err())
}

// run runs a task to its end. What is done on hosts succeeds, unless g is given.
func (w *world) run(c ops.Task, g ops.Guests) error {
	return ops.Runner{Guests: g, Now: func() time.Time { return w.at }, Untried: true}.Run(context.Background(), w, c)
}

// withoutPlacement runs a task to its end, but writes only what does not go to Placement.
func (w *world) withoutPlacement(c ops.Task) {
	all := &world{snap: w.snap, at: w.at}
	w.check(all.run(c, nil))
	w.write(slices.DeleteFunc(all.written, placement.Owns)...)
}

// take returns everything written since its last call.
func (w *world) take() []cloud.Op {
	all := w.written
	w.written = nil
	return all
}

// addTraits gives a provider more traits than it has.
func (w *world) addTraits(id placement.ProviderID, more ...placement.Trait) {
	p, err := w.snap.Placement().FindProvider(id)
	w.check(err)
	if len(more) > 0 {
		w.write(placement.SetTraits{
			Provider: id, Generation: placement.Generation(p.Generation()),
			Traits: slices.Concat(w.snap.Placement().TraitsOf(p), more),
		})
	}
}

// editInventory edits the inventory of a class of a provider, or makes one.
func (w *world) editInventory(id placement.ProviderID, class placement.ResourceClass, edit func(*placement.Inventory)) {
	p, err := w.snap.Placement().FindProvider(id)
	w.check(err)
	number, _ := w.snap.Placement().ClassID(class)
	gen := placement.Generation(p.Generation())
	iu, ok := p.Inventory(number)
	edit(&iu.Inventory)
	if ok {
		w.write(placement.SetInventory{Provider: id, Generation: gen, Class: class, Inventory: iu.Inventory})
	} else {
		w.write(placement.AddInventory{Provider: id, Generation: gen, Class: class, Inventory: iu.Inventory})
	}
}
