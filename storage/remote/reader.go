package remote

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// reader reads a cloud into a mirror. One goroutine for each service uses it; those that
// it starts end before its methods return.
type reader struct {
	call *caller
	mu   sync.Mutex // guards m while several answers are processed at a time
	m    *mirror
	// tell gets how many requests of how many are done, 0 if that is unknown; show is
	// called when something can be shown
	tell  func(done, of int)
	show  func()
	steps steps
	// trees makes all of each tree be read before the next, so that complete trees can be
	// stored
	trees bool
	held  atomic.Int64 // allocations that this reading has read so far
	clock func() time.Time
	needs []cloud.Part // nil for all
	reads readings
	lost  atomic.Pointer[string] // why Placement could not be read since; nil if it could
	// novaRead is closed once Nova was asked for all that it knows, which spares Placement
	// many requests when a cloud is read for the first time
	novaRead chan struct{}
	onceNova sync.Once
	// strangers are consumers that may be deleted servers of Nova's, and remembered those of the
	// last reading that are, nil for one that is not; only who reads Nova uses them.
	strangers  []placement.ConsumerID
	remembered map[placement.ConsumerID]*novaServer
	// admin is set once Nova has told this user of servers of all projects that are deleted;
	// only who reads Nova uses it
	admin bool
	// looked is what a user looks at, of which served was read before the rest; ahead
	// reads it, while there is a rest.
	looked atomic.Pointer[[]placement.ProviderID]
	served *[]placement.ProviderID
	ahead  func(ctx context.Context) error
}

func newReader(call *caller, clock func() time.Time) *reader {
	r := &reader{call: call, m: newMirror(), clock: clock, novaRead: make(chan struct{}), tell: func(int, int) {}, show: func() {}}
	if call != nil {
		r.m.nova.config, call.clock = call.config, clock
	}
	return r
}

// wanted reports whether any of parts is among those that are needed; all are if needs is
// nil.
func wanted(needs []cloud.Part, parts ...cloud.Part) bool {
	return needs == nil || slices.ContainsFunc(parts, func(p cloud.Part) bool { return slices.Contains(needs, p) })
}

// wants reports whether any of parts is to be read. Nova's servers and migrations spare
// Placement a request for each of their allocations, and only the list of services shows
// whether all cells have answered: see checkCells.
func (r *reader) wants(parts ...cloud.Part) bool {
	if wanted(r.needs, parts...) {
		return true
	}
	if slices.Contains(parts, cloud.Services) && wanted(r.needs, cloud.Hypervisors, cloud.Instances, cloud.Migrations) {
		return true
	}
	owners := slices.Contains(parts, cloud.Instances) || slices.Contains(parts, cloud.Migrations)
	return owners && wanted(r.needs, cloud.PlacementParts()...)
}

// services returns the services that are read, Placement first.
func (r *reader) services() []api.Service {
	out := []api.Service{api.Placement}
	for _, of := range []api.Service{api.Compute, api.Accelerator} {
		parts := cloud.NovaParts()
		if of == api.Accelerator {
			parts = cloud.CyborgParts()
		}
		if r.call.services[of] != nil && r.wants(parts...) {
			out = append(out, of)
		}
	}
	return out
}

// readAll reads all services at the same time. Its error is that of Placement: what else
// could not be read is noted in reads.
func (r *reader) readAll(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var beside sync.WaitGroup
	defer beside.Wait()
	for _, of := range r.services()[1:] {
		beside.Go(func() { _ = r.read(ctx, of) })
	}
	err := r.read(ctx, api.Placement)
	if err != nil {
		stop()
	}
	return err
}

// read brings what the mirror has of a service up to date. Parts of Nova and Cyborg that
// could not be read are noted in reads.
//
// Errors: why none of it could be read.
func (r *reader) read(ctx context.Context, of api.Service) error {
	switch of {
	case api.Compute:
		defer r.onceNova.Do(func() { close(r.novaRead) })
		return r.readNova(ctx)
	case api.Accelerator:
		return r.readCyborg(ctx)
	default:
		return r.readPlacement(ctx)
	}
}

// readPlacement reads what Placement knows, and what has changed since.
func (r *reader) readPlacement(ctx context.Context) error {
	if !r.wants(cloud.PlacementParts()...) {
		return nil
	}
	first := len(r.m.providers) == 0
	r.m.mu.Lock()
	began := r.m.order.tick()
	r.m.mu.Unlock()
	r.held.Store(0)
	r.tell(0, 0)
	var all []listed
	if err := r.placement(ctx, "/resource_providers", listOf("resource_providers", &all)); err != nil {
		return err
	}
	at := r.clock()
	r.m.list(all)
	r.reads.note(cloud.Providers, len(all), at, nil)
	if err := r.names(ctx); err != nil {
		return err
	}
	r.reads.note(cloud.Names, len(r.m.classes.of)+len(r.m.traits.of), r.clock(), nil)
	if first {
		r.show()
	}
	fresh, changed := r.m.stale()
	seen, err := r.summaries(ctx, slices.Concat(fresh, changed))
	if err != nil {
		return err
	}
	r.steps = steps{}
	if len(fresh) > few {
		if err := r.all(ctx, fresh, seen); err != nil {
			return err
		}
	} else {
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
	// What has an unchanged generation is as it was read before.
	r.reads.note(cloud.Contents, len(r.m.providers), at, nil)
	r.reads.note(cloud.Allocations, len(r.m.holders()), at, nil)
	r.m.holds(began, at)
	return nil
}

// without returns what could not be read, and why.
func (r *reader) without() []string {
	var out []string
	for _, of := range r.reads.list() {
		if of.Why != "" {
			out = append(out, string(of.Part)+": "+of.Why)
		}
	}
	return out
}

// few is up to how many providers are read one by one rather than all together.
const few = 16

// steps is the progress of a reading, roughly in requests.
type steps struct {
	done, of int
	guess    int // how much of of is a guess
}

// step counts one more as done.
func (r *reader) step() {
	r.steps.done++
	r.tell(min(r.steps.done, r.steps.of), r.steps.of)
}

// placement reads from Placement, at the newest microversion.
func (r *reader) placement(ctx context.Context, path string, into any) error {
	return r.call.read(ctx, api.Placement, path, into)
}

// names reads the classes and traits: the custom ones, and which standard ones there are.
func (r *reader) names(ctx context.Context) error {
	var classes []struct {
		Name placement.ResourceClass `json:"name"`
	}
	var traits []placement.Trait
	if err := r.placement(ctx, "/resource_classes", listOf("resource_classes", &classes)); err != nil {
		return err
	}
	if err := r.placement(ctx, "/traits", listOf("traits", &traits)); err != nil {
		return err
	}
	var names []placement.ResourceClass
	for _, c := range classes {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	slices.Sort(traits)
	r.call.lacks.Store(&missingNames{missingFrom(placement.StandardClasses(), names), missingFrom(placement.StandardTraits(), traits)})
	r.m.classes.list(names, placement.ResourceClass.IsCustom)
	r.m.traits.list(traits, placement.Trait.IsCustom)
	return nil
}

// deleted finds allocations that were removed without moving a generation, as DELETE
// /allocations does, by the usage of their project. If that has changed, the allocations
// on the providers that the project uses are read again.
func (r *reader) deleted(ctx context.Context) error {
	usage := r.m.usage()
	projects := slices.Sorted(maps.Keys(usage))
	again := map[placement.ProviderID]bool{}
	err := each(ctx, r.call.inFlight, projects, func(ctx context.Context, project string) error {
		var answer struct {
			Usages map[placement.ResourceClass]int64 `json:"usages"`
		}
		const flat = microversion.ConsumerType - 1 // from then on they are grouped by consumer type
		minor := min(int(flat), r.call.services[api.Placement].newest())
		if err := r.call.get(ctx, api.Placement, "/usages?project_id="+url.QueryEscape(project), minor, &answer); err != nil {
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
	return each(ctx, r.call.inFlight, slices.SortedStableFunc(maps.Keys(again), placement.ProviderID.Compare), func(ctx context.Context, id placement.ProviderID) error {
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

// each calls do for each of all, several at a time, until one fails, and returns that
// error. All calls have ended by then.
func each[T any](ctx context.Context, workers int, all []T, do func(context.Context, T) error) error {
	_, err := eachUntil(ctx, workers, len(all), func() bool { return false }, func(ctx context.Context, i int) error { return do(ctx, all[i]) })
	return err
}

// eachUntil calls do for each number below n as each does, and starts no more calls once
// enough returns true. It returns how many calls it made.
func eachUntil(ctx context.Context, workers, n int, enough func() bool, do func(context.Context, int) error) (int, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					continue
				}
				if err := do(ctx, i); err != nil {
					stop(err)
				}
			}
		})
	}
	begun := 0
	for ; begun < n && !enough(); begun++ {
		next <- begun
	}
	close(next)
	wg.Wait()
	return begun, context.Cause(ctx)
}

// inTurn is each, but what a user looks at comes first.
func inTurn[T any](ctx context.Context, r *reader, all []T, do func(context.Context, T) error) error {
	asked := func() bool { return r.ahead != nil && r.looked.Load() != r.served }
	for {
		n, err := eachUntil(ctx, r.call.inFlight, len(all), asked, func(ctx context.Context, i int) error { return do(ctx, all[i]) })
		if err != nil || n == len(all) {
			return err
		}
		all = all[n:]
		if err := r.ahead(ctx); err != nil {
			return err
		}
	}
}

// partReading reads a part of a cloud, and returns how many rows it has.
type partReading struct {
	part cloud.Part
	read func() (int, error)
}

// parts reads parts of Nova or Cyborg, one after the other, and notes when, or why not.
// Once one gets no answer at all, the rest is not asked for: the service is away, and
// each would wait as long.
//
// Errors: why none was read, unless the service itself refused; that one got no answer.
func (r *reader) parts(ctx context.Context, of api.Service, all []partReading) error {
	all = slices.DeleteFunc(all, func(p partReading) bool { return !r.wants(p.part) })
	met := r.call.meet(ctx, of)
	lost, away, answered := error(nil), met != nil, false
	for _, p := range all {
		rows, err := 0, cmp.Or(met, lost)
		if !away {
			rows, err = p.read()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.reads.note(p.part, rows, r.clock(), err)
		if broken(err) {
			lost, away = err, away || noAnswer(err)
		} else {
			answered = true
		}
	}
	if answered && !away {
		return nil
	}
	return lost
}
