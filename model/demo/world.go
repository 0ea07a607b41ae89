package demo

import (
	"context"
	"slices"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// world is a growing cloud that the use-cases decide on: all of a small cloud, the
// showcase of a large one, or that with one more host. What is written to it is also
// collected as a Change.
type world struct {
	snap    *cloud.Snapshot
	at      time.Time
	written cloud.Change // since the last call of take
	index   *candidates.Indexer
}

func (w *world) Snapshot() *cloud.Snapshot { return w.snap }

func (w *world) Apply(_ context.Context, c cloud.Change) cloud.Outcome {
	c.At = w.at
	next, ev, err := w.snap.Apply(c)
	if err != nil {
		return cloud.Refused(err)
	}
	w.snap = next
	w.written.Ops = append(w.written.Ops, c.Ops...)
	return cloud.Kept(next, ev)
}

// write applies operations.
func (w *world) write(all ...cloud.Op) error {
	return w.Apply(context.Background(), cloud.Change{Ops: all}).Err()
}

// run runs a task to its end. What is done on hosts succeeds, unless g is given.
func (w *world) run(c ops.Task, g ops.Guests) error {
	return ops.Runner{Guests: g, Now: func() time.Time { return w.at }, Untried: true}.Run(context.Background(), w, c)
}

// withoutPlacement runs a task to its end, but writes only what does not go to Placement.
func (w *world) withoutPlacement(c ops.Task) error {
	all := &world{snap: w.snap, at: w.at}
	if err := all.run(c, nil); err != nil {
		return err
	}
	return w.write(slices.DeleteFunc(all.take().Ops, placement.Owns)...)
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

// addTraits gives a provider more traits than it has.
func (w *world) addTraits(id placement.ProviderID, more ...placement.Trait) error {
	p, err := w.snap.Placement().FindProvider(id)
	if err != nil || len(more) == 0 {
		return err
	}
	return w.write(placement.SetTraits{
		Provider: id, Generation: placement.Generation(p.Generation()),
		Traits: slices.Concat(w.snap.Placement().TraitsOf(p), more),
	})
}

// setClaim writes by hand what an instance holds: what it was planned to hold, and more on
// other providers.
func (w *world) setClaim(g *guest, more map[placement.ResourceClass]int64, on ...*provider) error {
	c, ok := w.snap.Placement().Consumer(g.id)
	if !ok {
		return &placement.NotFoundError{What: "consumer", Name: g.name}
	}
	claim := g.claim()
	claim.Generation = placement.Generation(c.Generation())
	for _, p := range on {
		claim.Allocations[p.id] = more
	}
	return w.write(placement.ReplaceAllocations{Consumers: []placement.Claim{claim}})
}

// editInventory edits the inventory of a class of a provider, or makes one.
func (w *world) editInventory(id placement.ProviderID, class placement.ResourceClass, edit func(*placement.Inventory)) error {
	p, err := w.snap.Placement().FindProvider(id)
	if err != nil {
		return err
	}
	number, _ := w.snap.Placement().ClassID(class)
	gen := placement.Generation(p.Generation())
	iu, ok := p.Inventory(number)
	edit(&iu.Inventory)
	if !ok {
		return w.write(placement.AddInventory{Provider: id, Generation: gen, Class: class, Inventory: iu.Inventory})
	}
	return w.write(placement.SetInventory{Provider: id, Generation: gen, Class: class, Inventory: iu.Inventory})
}
