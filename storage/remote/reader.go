package remote

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/model/wire"
)

// reader reads a cloud into a mirror. One goroutine uses it; those that it starts end
// before its methods return.
type reader struct {
	call *caller
	mu   sync.Mutex // guards m while several answers come in at a time
	m    *mirror
	// tell is told how many requests of how many are done, 0 for not known yet; show that
	// something can be looked at.
	tell  func(done, of int)
	show  func()
	steps steps
	// trees has all of each tree read before the next, so that what there is can be kept.
	trees bool
	held  atomic.Int64 // allocations of providers that this reading has read
	clock func() time.Time
	reads readings
	// looked is what a user looks at, of which served was read before the rest; ahead
	// reads it, while there is a rest.
	looked atomic.Pointer[[]placement.ProviderID]
	served *[]placement.ProviderID
	ahead  func(ctx context.Context) error
}

func newReader(call *caller, clock func() time.Time) *reader {
	return &reader{call: call, m: newMirror(), clock: clock, reads: readings{}, tell: func(int, int) {}, show: func() {}}
}

// read brings the mirror up to date. What it could not read stands in reads where the rest
// is worth having without it.
func (r *reader) read(ctx context.Context) error {
	first := len(r.m.providers) == 0
	r.held.Store(0)
	r.tell(0, 0)
	all := list[listed]{key: "resource_providers"}
	if err := r.placement(ctx, "/resource_providers", &all); err != nil {
		return err
	}
	began := r.clock()
	r.m.list(all.rows)
	r.reads.note(cloud.Providers, len(all.rows), began, nil)
	if err := r.names(ctx); err != nil {
		return err
	}
	r.reads.note(cloud.Names, len(r.m.classes.of)+len(r.m.traits.of), r.clock(), nil)
	if first {
		r.show()
	}
	beside := r.beginBeside(ctx)
	defer func() {
		beside.stop()
		<-beside.over
	}()
	fresh, changed := r.m.stale()
	seen, err := r.summaries(ctx, slices.Concat(fresh, changed))
	if err != nil {
		return err
	}
	r.steps = steps{}
	if len(fresh) > few {
		if err := r.all(ctx, fresh, seen, beside); err != nil {
			return err
		}
	} else {
		r.join(beside)
		changed = append(changed, fresh...)
	}
	if err := r.changed(ctx, changed, seen); err != nil {
		return err
	}
	if err := r.whoHolds(ctx, nil); err != nil {
		return err
	}
	if !first {
		if err := r.deleted(ctx); err != nil {
			return err
		}
		if err := r.whoHolds(ctx, nil); err != nil {
			return err
		}
	}
	if err := r.confirm(ctx); err != nil {
		return err
	}
	// What has not changed by its generation is as it was read before.
	r.reads.note(cloud.Contents, len(r.m.providers), began, nil)
	r.reads.note(cloud.Allocations, len(r.m.holders()), began, nil)
	return nil
}

// without says what could not be read, and why.
func (r *reader) without() []string {
	var out []string
	for _, of := range r.reads.list() {
		if of.Why != "" {
			out = append(out, string(of.Part)+": "+of.Why)
		}
	}
	return out
}

// few is how many providers are read one by one rather than all together.
const few = 16

// steps are how far a reading is: in requests, or so.
type steps struct {
	done, of int
	guess    int // of what is in of
}

// step says that one more is done.
func (r *reader) step() {
	r.steps.done++
	r.tell(min(r.steps.done, r.steps.of), r.steps.of)
}

// placement reads from Placement, at the newest microversion.
func (r *reader) placement(ctx context.Context, path string, into any) error {
	return r.call.get(ctx, wire.Placement, path, r.call.services[wire.Placement].newest(), into)
}

// names reads the custom classes and traits.
func (r *reader) names(ctx context.Context) error {
	classes := list[struct {
		Name placement.ResourceClass `json:"name"`
	}]{key: "resource_classes"}
	traits := list[placement.Trait]{key: "traits"}
	if err := r.placement(ctx, "/resource_classes", &classes); err != nil {
		return err
	}
	if err := r.placement(ctx, "/traits?name=startswith:CUSTOM_", &traits); err != nil {
		return err
	}
	var names []placement.ResourceClass
	for _, c := range classes.rows {
		names = append(names, c.Name)
	}
	sorted.Ascending(names)
	sorted.Ascending(traits.rows)
	r.m.classes.list(names, placement.ResourceClass.IsCustom)
	r.m.traits.list(traits.rows, placement.Trait.IsCustom)
	return nil
}

// deleted finds what was released without moving a generation, as DELETE /allocations
// does: the usage of its project is another then. Where it is, who holds what of the
// providers that the project has something of is read again.
func (r *reader) deleted(ctx context.Context) error {
	usage := r.m.usage()
	projects := sorted.Keys(usage)
	again := map[placement.ProviderID]bool{}
	err := each(ctx, cap(r.call.turns), projects, func(ctx context.Context, project string) error {
		var answer struct {
			Usages map[placement.ResourceClass]int64 `json:"usages"`
		}
		const flat = 37 // from 1.38 on they are by type of consumer
		minor := min(flat, r.call.services[wire.Placement].newest())
		if err := r.call.get(ctx, wire.Placement, "/usages?project_id="+url.QueryEscape(project), minor, &answer); err != nil {
			return err
		}
		if maps.Equal(answer.Usages, usage[project]) {
			return nil
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for id, p := range r.m.providers {
			for who := range p.held {
				if c := r.m.consumers[who]; c != nil && c.project == project {
					again[id] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, cap(r.call.turns), sorted.Seq(maps.Keys(again), placement.ProviderID.Compare), func(ctx context.Context, id placement.ProviderID) error {
		held, _, err := r.allocationsOf(ctx, id)
		if err != nil {
			return r.unlessGone(id, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.m.providers[id].held = held
		return nil
	})
}

// each calls do with each of some things, several at a time, until one fails: that error
// is returned. All calls have ended then.
func each[T any](ctx context.Context, workers int, all []T, do func(context.Context, T) error) error {
	_, err := eachUntil(ctx, workers, all, func() bool { return false }, do)
	return err
}

// eachUntil is each that begins no more once enough returns true. It returns with how many
// it has called do.
func eachUntil[T any](ctx context.Context, workers int, all []T, enough func() bool, do func(context.Context, T) error) (int, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan T)
	var wg sync.WaitGroup
	for range min(workers, len(all)) {
		wg.Go(func() {
			for one := range next {
				if ctx.Err() != nil {
					continue
				}
				if err := do(ctx, one); err != nil {
					stop(err)
				}
			}
		})
	}
	begun := 0
	for ; begun < len(all) && !enough(); begun++ {
		next <- all[begun]
	}
	close(next)
	wg.Wait()
	return begun, context.Cause(ctx)
}

// inTurn is each, but what a user looks at comes first.
func inTurn[T any](ctx context.Context, r *reader, all []T, do func(context.Context, T) error) error {
	asked := func() bool { return r.ahead != nil && r.looked.Load() != r.served }
	for {
		n, err := eachUntil(ctx, cap(r.call.turns), all, asked, do)
		if err != nil || n == len(all) {
			return err
		}
		all = all[n:]
		if err := r.ahead(ctx); err != nil {
			return err
		}
	}
}
