package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Life is what happens in a demo cloud by itself, so that there is something to watch:
// instances start and end, computes report that they are up, and now and then an instance
// moves, and is confirmed or reverted. It acts only on its own instances: who plays in a
// story, or is a trouble to be found, stays as it is.
//
// The same seed on the same cloud gives the same life, as long as nobody else writes.
// All is written by Tasks, a step a beat. It may be used from several goroutines.
type Life struct {
	mu    sync.Mutex
	rng   *rand.Rand
	index candidates.Indexer
	own   []placement.ConsumerID // instances that may still exist, the oldest first
	born  int                    // instances so far
	moves int                    // moves so far
	read  bool                   // whether own, born and moves have been read

	task  ops.Task // in progress; nil if none is
	actor string
	end   func()
	over  bool
}

// LeastPace is the least time between two beats that lets one see what happens.
const LeastPace = 100 * time.Millisecond

// NewLife returns the life that a seed gives. It has not begun.
func NewLife(seed uint64) *Life {
	return &Life{rng: rand.New(rand.NewPCG(seed, 0x6c696665))} // not secret, repeatable on purpose
}

// Beat takes the next step of what goes on, or begins the next thing and takes its first
// step. Who acts is written to the journal as the services of a cloud are. What cannot be
// done, as the room is gone, does not happen; the StepDone then has the number 0.
//
// Errors: placement.ErrUnsupported for a cloud that is not made up; those of a store that
// cannot be written, and of a ctx that ends.
func (l *Life) Beat(ctx context.Context, store ops.Store, o ops.Runner) (ops.StepDone, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := store.Snapshot()
	if !Made(s) {
		return ops.StepDone{}, fmt.Errorf("only a made-up cloud moves by itself: %w", placement.ErrUnsupported)
	}
	for l.task != nil { // which may already be at rest
		if done, err := l.step(ctx, store, o); done.Number > 0 || err != nil {
			return done, err
		}
	}
	if l.over {
		return ops.StepDone{}, nil
	}
	if l.task, l.actor = l.next(store.Snapshot(), now(o)); l.task == nil {
		return ops.StepDone{}, nil
	}
	if o.Begin != nil {
		l.end = o.Begin(l.task)
	}
	return l.step(ctx, store, o)
}

// End is Rest, after which there are no more beats.
func (l *Life) End(ctx context.Context, store ops.Store, o ops.Runner) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	return l.rest(ctx, store, o)
}

// Rest finishes what is in progress: what is done by half is a trouble to who looks.
func (l *Life) Rest(ctx context.Context, store ops.Store, o ops.Runner) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rest(ctx, store, o)
}

func (l *Life) rest(ctx context.Context, store ops.Store, o ops.Runner) error {
	for l.task != nil {
		if _, err := l.step(ctx, store, o); err != nil {
			return err
		}
	}
	return nil
}

func now(o ops.Runner) time.Time {
	if o.Now == nil {
		return time.Time{}
	}
	return o.Now()
}

// step takes one step of the task in progress, if there is one.
func (l *Life) step(ctx context.Context, store ops.Store, o ops.Runner) (done ops.StepDone, err error) {
	one, stop := context.WithCancel(ctx)
	defer stop()
	o.Actor, o.Begin, o.Untried = l.actor, nil, true
	o.Report = func(d ops.StepDone) {
		done = d
		stop()
	}
	err = o.Run(one, store, l.task)
	switch {
	case ctx.Err() != nil:
		return done, err
	case err != nil && done.Number > 0:
		return done, nil // it was stopped, and there may be more
	case errors.Is(err, placement.ErrUnavailable), errors.Is(err, placement.ErrUnsupported):
		return done, err
	}
	l.task = nil
	if l.end != nil {
		l.end()
		l.end = nil
	}
	return done, nil
}

// How many instances a Life has at most, and up to how many none is deleted.
const (
	mostOwn  = 24
	leastOwn = 4
)

// next decides what happens next, and who does it; nil if nothing does.
func (l *Life) next(s *cloud.Snapshot, at time.Time) (ops.Task, string) {
	l.look(s)
	for _, id := range l.own {
		if m, err := ops.Waiting(s, id); err == nil && l.rng.IntN(3) == 0 {
			if l.rng.IntN(4) == 0 {
				return ops.Revert{Migration: m.UUID}, "nova-api"
			}
			return ops.Confirm{Migration: m.UUID}, "nova-api"
		}
	}
	var t ops.Task
	var actor string
	switch n := l.rng.IntN(10); {
	case n < 4 && len(l.own) < mostOwn:
		t, actor = l.boot(s, at)
	case n < 6 && len(l.own) > leastOwn:
		t, actor = ops.Terminate{Instance: l.own[l.rng.IntN(len(l.own))]}, "nova-api"
	case n == 6 && len(l.own) > 0:
		t, actor = l.move(s, at)
	}
	if t == nil {
		return l.report(s, at)
	}
	return t, actor
}

// look finds the existing instances of a Life. In a cloud of an earlier Life it continues
// the numbering.
func (l *Life) look(s *cloud.Snapshot) {
	for !l.read {
		id := ownID(l.born)
		if _, ok := s.Nova().Instance(id); !ok {
			l.read = true
			break
		}
		l.own = append(l.own, id)
		l.born++
	}
	var live []placement.ConsumerID
	for _, id := range l.own {
		if i, ok := s.Nova().Instance(id); ok && i.Live() {
			live = append(live, id)
		}
	}
	l.own = live
	for {
		if _, ok := s.Nova().Migration(moveID(l.moves)); !ok {
			return
		}
		l.moves++
	}
}

func ownID(n int) placement.ConsumerID {
	return placement.ConsumerID(named("life", fmt.Sprint("instance ", n)))
}

func moveID(n int) placement.ConsumerID {
	return placement.ConsumerID(named("life", fmt.Sprint("move ", n)))
}

// numbered is the first number in the names of instances that a Life starts: the demo
// cloud uses smaller ones.
const numbered = 10_000

// boot starts an instance for some tenant on a host that has room for it.
func (l *Life) boot(s *cloud.Snapshot, at time.Time) (ops.Task, string) {
	fl, who := l.wish()
	if _, ok := s.Nova().FlavorNamed(fl.name); !ok {
		return nil, ""
	}
	b := ops.Boot{Instance: ownID(l.born), Indexer: &l.index, Wish: ops.BootWish{
		Name: fmt.Sprintf("%s-%d", pick(l.rng, who.services), numbered+l.born), Flavor: fl.name, Project: who.project, User: pick(l.rng, who.users),
	}}
	places, err := b.Places(s, at)
	if err != nil {
		return nil, ""
	}
	on, ok := l.place(s, fl, places.Places)
	if !ok {
		return nil, ""
	}
	b.Pick = &on
	l.own = append(l.own, b.Instance)
	l.born++
	return b, "nova-scheduler"
}

// wish returns a flavor that a tenant wants to start, and the tenant.
func (l *Life) wish() (flavor, tenant) {
	switch n := l.rng.IntN(10); {
	case n < 6:
		return pick(l.rng, cpuFlavors()), pick(l.rng, cpuTenants())
	case n < 7:
		return pick(l.rng, pinnedFlavors()), pick(l.rng, pinnedTenants())
	case n < 9:
		return gpu(placement.OwnerNova, 1), pick(l.rng, gpuTenants())
	}
	return gpu(placement.OwnerCyborg, 1), pick(l.rng, gpuTenants())
}

// pick returns one of a list.
func pick[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

// place picks one of places at which a flavor gets devices of the service that it asks
// for.
func (l *Life) place(s *cloud.Snapshot, fl flavor, places []ops.Place) (ops.Place, bool) {
	var good []ops.Place
	if len(fl.cards) == 0 {
		good = places
	} else {
		owner := placement.OwnedByNova
		if fl.profile != "" {
			owner = placement.OwnedByCyborg
		}
		for _, at := range clean(s, places) {
			if cards := cardsIn(s, at); len(cards) == 1 && len(cards[owner]) > 0 {
				good = append(good, at)
			}
		}
	}
	if len(good) == 0 {
		return ops.Place{}, false
	}
	return pick(l.rng, good), true
}

// move has one of the instances migrate to another host.
func (l *Life) move(s *cloud.Snapshot, at time.Time) (ops.Task, string) {
	i, ok := s.Nova().Instance(pick(l.rng, l.own))
	if !ok || i.VMState != nova.Active {
		return nil, ""
	}
	m := ops.Move{Migration: moveID(l.moves), Instance: i.UUID, Indexer: &l.index}
	for _, c := range m.Checks(s, at) {
		if c.Refusal != nil {
			return nil, ""
		}
	}
	places, err := m.Places(s, at)
	if err != nil {
		return nil, ""
	}
	fl := flavor{name: i.Flavor}
	for _, of := range cardFlavors() {
		if of.name == i.Flavor {
			fl = of
		}
	}
	on, ok := l.place(s, fl, places.Places)
	if !ok {
		return nil, ""
	}
	m.Pick = &on
	l.moves++
	return m, "nova-conductor"
}

// report has one of the computes report that it is up.
func (l *Life) report(s *cloud.Snapshot, at time.Time) (ops.Task, string) {
	var up []*nova.Service
	for v := range s.Nova().Services() {
		if v.Binary == nova.Compute && v.Up(at) {
			up = append(up, v)
		}
	}
	if len(up) == 0 {
		return nil, ""
	}
	v := pick(l.rng, up)
	p, err := ops.PlanNova(s, v.Host+" says that it is up", at, nova.ReportState{Host: v.Host, Binary: v.Binary, Every: heartbeat})
	if err != nil {
		return nil, ""
	}
	return p, "nova-compute " + v.Host
}
