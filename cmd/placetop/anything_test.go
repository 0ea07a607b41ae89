package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// The number and the first seed of the random walks of TestAnything: by default the same
// seeds each time, so that failures repeat; -walks 1000 -seed 5000 tries others.
var (
	walks    = flag.Int("walks", 12, "how many random walks through the dashboard are taken")
	walkSeed = flag.Int("seed", 1, "the seed of the first of them")
)

// walkSteps is how many keys, sizes and writes make a walk.
const walkSteps = 60

// TestAnything walks at random through all screens and forms, while another process
// deletes records of all services and restores them, also between a preview and its
// write: nothing panics, and each frame has exactly its size.
func TestAnything(t *testing.T) {
	t.Parallel()
	base := demotest.Snapshot(t, demo.Options{Hosts: 12, Seed: 1, Now: walkStart()})
	for seed := range *walks {
		t.Run(fmt.Sprint(*walkSeed+seed), func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) { newStroll(t, base, *walkSeed+seed).walk() })
		})
	}
}

func walkStart() time.Time { return time.Date(2026, 7, 14, 14, 2, 7, 0, time.UTC) }

// stroll is one random walk.
type stroll struct {
	t     *testing.T
	r     *rand.Rand
	store *elsewhere
	gone  []versioned.Change // what was deleted
	d     *tuitest.Driver
	done  []string // the steps, to repeat them
}

// elsewhere is a store that another process may write to right before the next write.
type elsewhere struct {
	*memory.Store
	first func()
}

func (s *elsewhere) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if first := s.first; first != nil {
		s.first = nil
		first()
	}
	return s.Store.Apply(ctx, c)
}

func newStroll(t *testing.T, base *cloud.Snapshot, seed int) *stroll {
	t.Helper()
	began := time.Now()
	now := func() time.Time { return walkStart().Add(time.Since(began)) }
	palette := must.Get(themes.Load(nil, "default-dark"))(t)
	w := &stroll{t: t, r: rand.New(rand.NewPCG(uint64(seed), 1)), store: &elsewhere{Store: memory.New(memory.Options{Clock: now, Start: base})}}
	p := &program{now: now, newID: uuid.New, log: slog.New(slog.DiscardHandler)}
	k := p.startKeeper(t.Context(), w.store, false, p.log)
	app := tui.New(tui.Config{
		Env: screen.Env{
			Styles: style.NewPlain(palette, style.Block()), Clock: now, Context: t.Context(), Actor: "ops",
		},
		OpenMsg: tui.OpenMsg{Keeper: k, Cloud: w.store, Name: "demo", Store: "memory"}, Screens: screens(), Local: true,
		SaveReport: func(report []byte) (string, error) {
			t.Errorf("%s\nafter:\n%s", report, strings.Join(w.done, "\n"))
			return "", nil
		},
	})
	t.Cleanup(func() {
		app.Close()
		if err := errors.Join(p.close(), w.store.Close()); err != nil {
			t.Error(err)
		}
	})
	w.d = tuitest.Start(t, app, 100, 30)
	return w
}

// one returns a random word of list, which is separated by spaces.
func (w *stroll) one(list string) string { return any1(w.r, strings.Fields(list)) }

// any1 returns a random element of list, or the zero value if it is empty.
func any1[T any](r *rand.Rand, list []T) T {
	if len(list) == 0 {
		var none T
		return none
	}
	return list[r.IntN(len(list))]
}

// walk takes the steps.
func (w *stroll) walk() {
	const (
		moves = "j j j k g G h l left right up down pgdown home end tab shift+tab enter enter enter esc esc esc [ ] -"
		acts  = "F F m m r w W n e d U o . = A M c C D x s S v i y b t z X V f"
		marks = "space a p ? ! 1 2 3 4 5 6 7 8 9 0"
		texts = "VCPU=1 VCPU=2,VGPU=1 VGPU=9000 train cmp-001 fits=yes gpu ( zzz 1 VGPU reason yes name=gpu.t4.1 owner=both"
	)
	var goes string // every screen with a name, so that new ones are included
	for _, d := range screens() {
		goes += " " + strings.Join(d.Names, " ")
	}
	for range walkSteps {
		var step string
		switch n := w.r.IntN(20); {
		case n < 3:
			step = w.write()
			w.d.Settle()
		case n == 3:
			step, w.store.first = "a write before the next one", func() { w.write() }
		case n < 6:
			to := w.form()
			step = fmt.Sprintf("go to %s %+v", place.Kind(to), to)
			w.d.Send(screen.Goto{To: to})
		case n == 6:
			step = ":" + w.one(goes)
			w.d.Press(":")
			w.d.Type(step[1:])
			w.d.Press("enter")
		case n == 7:
			width, height := 1+w.r.IntN(250), 1+w.r.IntN(80)
			step = fmt.Sprintf("%dx%d", width, height)
			w.d.Resize(width, height)
		case n == 8:
			text := w.one(texts)
			step = "/" + text
			w.d.Press("/")
			w.d.Paste(text)
			w.d.Press("enter")
		case n == 9:
			step = "a while"
			w.d.Resize(100, 30)
			w.d.Advance(time.Duration(w.r.IntN(5000)) * time.Millisecond)
		case n < 14:
			step = w.one(acts)
			w.d.Press(step)
		case n == 14:
			if step = w.one(marks); step == "space" {
				step = " "
			}
			w.d.Press(step)
		default:
			step = w.one(moves)
			w.d.Press(step)
		}
		w.done = append(w.done, step)
		width, height := w.d.Size()
		if problem := tuitest.FrameProblem(w.d.Frame(), width, height); problem != "" {
			w.t.Errorf("%dx%d: %s\nafter:\n%s", width, height, problem, strings.Join(w.done, "\n"))
		}
		if w.t.Failed() || w.d.Quit() {
			return
		}
	}
}

// write changes the cloud without the dashboard, and returns how. What the rules refuse
// changes nothing.
func (w *stroll) write() string {
	s := w.store.Snapshot()
	apply := func(c cloud.Change) {
		c.Actor = "somebody"
		w.store.Store.Apply(w.t.Context(), c)
	}
	records := slices.Collect(s.Records())
	if len(records) == 0 {
		return "nothing is left"
	}
	switch n := w.r.IntN(8); {
	case n == 0 && len(w.gone) > 0:
		back := any1(w.r, w.gone).Reverse()
		apply(cloud.PutRecords("", "back", []versioned.Change{back}))
		return "back: " + back.Title()
	case n == 1:
		kind := any1(w.r, records).RecordKind()
		var all []versioned.Change
		for _, r := range records {
			if r.RecordKind() == kind {
				all = append(all, versioned.Change{Before: r})
			}
		}
		all = all[:1+w.r.IntN(len(all))]
		apply(cloud.PutRecords("", "gone", all))
		return fmt.Sprintf("gone: %d of %s", len(all), kind)
	case n == 2:
		return w.edit(s, apply)
	case n == 3:
		p := any1(w.r, slices.Collect(s.Placement().Providers()))
		if p == nil {
			return "no provider is left"
		}
		traits := any1(w.r, [][]placement.Trait{nil, {placement.OwnerNova}, {placement.OwnerCyborg}, {placement.OwnerNova, placement.OwnerCyborg}})
		apply(cloud.Change{Ops: []placement.Op{placement.SetTraits{Provider: p.ID(), Generation: placement.AnyGeneration(), Traits: traits}}})
		return fmt.Sprintf("traits of %s: %v", p.Name(), traits)
	default:
		gone := versioned.Change{Before: any1(w.r, records)}
		w.gone = append(w.gone, gone)
		apply(cloud.PutRecords("", "gone", []versioned.Change{gone}))
		return "gone: " + gone.Title()
	}
}

// edit sets an instance, a move or a service to a state that it cannot remain in.
func (w *stroll) edit(s *cloud.Snapshot, apply func(cloud.Change)) string {
	var c nova.PutRecords
	what := "nothing"
	i := any1(w.r, slices.Collect(s.Nova().Instances()))
	m := any1(w.r, slices.Collect(s.Nova().Migrations()))
	svc := any1(w.r, slices.Collect(s.Nova().Services()))
	switch w.r.IntN(3) {
	case 0:
		if i == nil {
			break
		}
		what = "instance " + i.Name
		modeltest.Put(&c, s.Nova(), i.Edit(func(i *nova.Instance) {
			i.Host, i.Flavor = any1(w.r, []string{"", "nowhere", i.Host}), any1(w.r, []string{"gone.1", i.Flavor})
			i.TaskState = any1(w.r, []nova.TaskState{"", nova.Spawning, nova.Deleting})
		}))
	case 1:
		if m == nil {
			break
		}
		what = "migration " + m.UUID.String()
		modeltest.Put(&c, s.Nova(), m.Edit(func(m *nova.Migration) {
			m.Status = any1(w.r, []nova.MigrationStatus{nova.Finished, nova.Migrating, nova.Confirmed, nova.Reverting, nova.Error})
		}))
	default:
		if svc == nil {
			break
		}
		what = "service of " + svc.Host
		modeltest.Put(&c, s.Nova(), svc.Edit(func(svc *nova.Service) { svc.ForcedDown, svc.LastSeenUp = !svc.ForcedDown, 1 }))
	}
	apply(cloud.Change{Ops: []cloud.Op{c}})
	return "edit: " + what
}

// form returns a page about something, which may be gone.
func (w *stroll) form() place.Place {
	s := w.store.Snapshot()
	var provider placement.ProviderID
	var consumer, instance placement.ConsumerID
	var flavor string
	var service place.SetService
	for p := range s.Placement().Providers() {
		provider = either(w, provider, p.ID())
	}
	for c := range s.Placement().Consumers() {
		consumer = either(w, consumer, c.ID())
	}
	for i := range s.Nova().Instances() {
		instance = either(w, instance, i.UUID)
	}
	for m := range s.Nova().Migrations() {
		instance = either(w, instance, m.Instance)
	}
	for f := range s.Nova().Flavors() {
		flavor = either(w, flavor, f.Ref())
	}
	for v := range s.Nova().Services() {
		service = either(w, service, place.SetService{Binary: v.Binary, Host: v.Host})
	}
	service.Do = place.ServiceVerb(w.one("disable enable down up upgrade delete"))
	about := [][]place.Place{
		{place.Provider{ID: provider}, place.Allocate{Provider: provider}, place.Handover{Provider: provider}, place.Pool{ID: provider}},
		{place.Consumer{ID: consumer}, place.Release{Consumer: consumer}, place.Release{Consumer: consumer, From: provider}},
		{
			place.Instance{ID: instance},
			place.Resize{Instance: instance},
			place.Resize{Instance: instance},
			place.Migrate{Instance: instance},
			place.Terminate{Instance: instance},
			place.Evacuate{Instance: instance},
			place.Heal{Instance: instance},
		},
		{place.Flavor{Ref: flavor}, place.Boot{Flavor: flavor}, place.SetFlavor{Name: flavor}, place.DelFlavor{Name: flavor}},
		{service},
		{place.NewProfile{}, place.Unfinished{}, place.Boot{}, place.Allocate{}, place.Pool{}, place.SetFlavor{}},
	}
	return any1(w.r, any1(w.r, about))
}

// either keeps a or, now and then, takes b.
func either[T comparable](w *stroll, a, b T) T {
	var none T
	if a == none || w.r.IntN(8) == 0 {
		return b
	}
	return a
}
