package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
)

// stopAt ends a context as soon as a text is written to it.
type stopAt struct {
	bytes.Buffer
	text string
	stop context.CancelFunc
}

func (s *stopAt) Write(b []byte) (int, error) {
	if strings.Contains(string(b), s.text) {
		s.stop()
	}
	return s.Buffer.Write(b)
}

// TestInterruptedBoot: an interrupt stops a boot between two steps and says how to
// continue, and "placetop recover" does.
func TestInterruptedBoot(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "c.db")
	bootable(t, db)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	messages := &stopAt{text: " 1 record", stop: stop}
	err := runWith(ctx, messages, "boot", "web-1", "--flavor", "plain", "--db", db)
	if !errors.Is(err, context.Canceled) || exitCode(err) != exitFailed {
		t.Fatalf("an interrupted boot: %v", err)
	}
	var told bytes.Buffer
	report(&told, err)
	want := "placetop: boot web-1: stopped after step 1: interrupted; go on with \"placetop recover\", or undo it with \"placetop recover --undo\"\n"
	must.Be(t, told.String(), want)
	if strings.Contains(messages.String(), " 2 ") {
		t.Errorf("it went on:\n%s", messages)
	}

	var after bytes.Buffer
	must.Succeed(t, runWith(t.Context(), &after, "recover", "--db", db))
	if !strings.Contains(after.String(), "finish: the boot of web-1 stopped at scheduling\n") || !strings.Contains(after.String(), " 1 claim ") {
		t.Errorf("recover said:\n%s", &after)
	}
	s := must.Get(bolt.Open(t.Context(), db, engine.Options{Clock: time.Now, NewID: uuid.New, ReadOnly: true}))(t)
	defer s.Close()
	i, err := finderOf(s.Snapshot()).Instance("web-1")
	if err != nil || i.VMState != nova.Active {
		t.Errorf("the instance is %+v, %v", i, err)
	}
}

// TestUndoInterruptedMoves: "placetop recover --undo" undoes each of two interrupted
// moves, and exits with 0.
func TestUndoInterruptedMoves(t *testing.T) {
	t.Parallel()
	db := demoFile(t)
	for _, name := range []string{"runner-2", "runner-3"} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		must.Fail(t, runWith(ctx, &stopAt{text: " 1 park", stop: stop}, "migrate", name, "--db", db), context.Canceled)
	}
	for _, args := range [][]string{{"recover", "--undo", "--dry-run"}, {"recover", "--undo"}} {
		var told bytes.Buffer
		if err := runWith(t.Context(), &told, append(args, "--db", db)...); err != nil {
			t.Errorf("%s: %v\n%s", args, err, &told)
		}
	}
	var left bytes.Buffer
	if err := runWith(t.Context(), &left, "recover", "--list", "--db", db); err != nil || left.String() != "nothing is unfinished\n" {
		t.Errorf("left: %q, %v", left.String(), err)
	}
}

// TestHalfwayError checks that the error says how to continue, whatever stopped the
// course.
func TestHalfwayError(t *testing.T) {
	t.Parallel()
	p := &program{}
	u := operation{note: "boot x", asks: "placetop candidates --flavor m1"}
	stuck := &ops.FailedError{Step: ops.Step{Title: "bind"}, Cause: errors.New("no"), Stuck: errors.New("disk full"), Undone: 1}
	for _, tt := range []struct {
		err   error
		steps int
		want  string
		code  int
	}{
		{nil, 3, "", exitDone},
		{errors.New("disk full"), 0, "disk full", exitFailed},
		{placement.ErrUnavailable, 2, `boot x: stopped after step 2: unavailable; go on with "placetop recover", or undo it with "placetop recover --undo"`, exitFailed},
		{stuck, 2, `boot x: stopped after step 2: bind: no; undoing it stopped: disk full; go on with "placetop recover", or undo it with "placetop recover --undo"`, exitFailed},
		{&ops.FailedError{Step: ops.Step{Title: "bind"}, Cause: placement.ErrConflict, Undone: 2}, 3, "bind: generation conflict; everything done was undone", exitConflict},
		{&ops.NoValidHostError{}, 1, `no valid host was found; see why with "placetop candidates --flavor m1 --explain"`, exitNothingFits},
	} {
		err := p.failedOperation(u, tt.err, tt.steps)
		if got := causeText(err); got != tt.want || exitCode(err) != tt.code {
			t.Errorf("%v after %d: got %q (%d), want %q (%d)", tt.err, tt.steps, got, exitCode(err), tt.want, tt.code)
		}
	}
}

// bootable makes a file with a host that has room for an instance.
func bootable(t *testing.T, db string) {
	t.Helper()
	s := must.Get(bolt.Open(t.Context(), db, engine.Options{Clock: time.Now, NewID: uuid.New}))(t)
	id := placement.ProviderID(uuid.MustParse("aaaa0000-0000-0000-0000-000000000001"))
	change := cloud.Change{
		Ops: []placement.Op{
			placement.CreateProvider{ID: id, Name: "compute1"},
			placement.SetInventories{Provider: id, Generation: placement.Generation(0), Inventories: map[placement.ResourceClass]placement.Inventory{
				placement.VCPU: placement.NewInventory(4), placement.MemoryMB: placement.NewInventory(4096),
			}},
			nova.PutRecords{Records: []versioned.Change{
				{After: &nova.Service{Host: "compute1", Binary: nova.Compute, Version: 72}},
				{After: &nova.ComputeNode{UUID: id, Host: "compute1", Hostname: "compute1", VCPUs: 4, MemoryMB: 4096}},
				{After: &nova.Flavor{Name: "plain", FlavorID: "1", VCPUs: 1, MemoryMB: 512}},
			}},
		},
	}
	must.Get(s.Apply(t.Context(), change).Result())(t)
	must.Succeed(t, s.Close())
}

// runWith runs a command line until ctx ends.
func runWith(ctx context.Context, stderr io.Writer, args ...string) error {
	p := &program{
		stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr, env: map[string]string{},
		now: time.Now, newID: uuid.New, log: slog.New(slog.DiscardHandler),
	}
	root := p.root() //nolint:contextcheck // the commands get it from ExecuteContext
	root.SetArgs(args)
	return errors.Join(root.ExecuteContext(ctx), p.close())
}

// TestHalfwayElsewhere stops a course of a live cloud between two steps: recover has
// nothing to continue there.
func TestHalfwayElsewhere(t *testing.T) {
	t.Parallel()
	err := &partialError{note: "mend", steps: 2, cause: context.Canceled, far: true}
	must.Be(t, err.Error(), "mend: stopped after step 2: interrupted; what was done stays; run the same command for the rest")
}

// overtaken is a store to which somebody else writes right after each write.
type overtaken struct {
	storage.Store
	n int
}

func (o *overtaken) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	out := o.Store.Apply(ctx, c)
	o.n++
	o.Store.Apply(ctx, cloud.Change{Ops: []cloud.Op{placement.CreateTrait{Name: placement.Trait(fmt.Sprintf("CUSTOM_OTHER_%d", o.n))}}})
	return out
}

// TestDoneAtItsOwnRevision: what is reported as the revision of a write is that of the
// write, and not of what others have written by then.
func TestDoneAtItsOwnRevision(t *testing.T) {
	t.Parallel()
	p := &program{now: time.Now, log: slog.New(slog.DiscardHandler), stderr: io.Discard}
	trait := func(s *cloud.Snapshot, name placement.Trait) ops.Plan {
		return must.Get(ops.PlanChange(s, cloud.Change{Note: "one", Ops: []cloud.Op{placement.CreateTrait{Name: name}}}))(t)
	}
	store := &overtaken{Store: memory.New(memory.Options{Clock: time.Now})}
	one := trait(store.Snapshot(), "CUSTOM_ONE")
	if did := p.carryOut(t.Context(), store, false, operation{note: "one", task: one, plan: &one}); did.failed != nil || did.revision != 1 || store.Snapshot().Revision() != 2 {
		t.Errorf("one write: %v, reported as revision %d, the cloud is at %d", did.failed, did.revision, store.Snapshot().Revision())
	}
	two := trait(store.Snapshot(), "CUSTOM_TWO")
	if commit, err := p.runner(t.Context()).Write(t.Context(), store, two); err != nil || commit.Event.Revision != 3 || commit.Snapshot.Revision() != 3 {
		t.Errorf("written by the Runner: %v, revision %d of a Snapshot at %d", err, commit.Event.Revision, commit.Snapshot.Revision())
	}
}

// TestNothingElseIsGivenUp has another writer change a claim, or a provider, right before it
// is written: nothing is released that was not there to be seen, and --generation holds.
func TestNothingElseIsGivenUp(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t).Provider("h", "", modeltest.Resources{placement.VCPU: 8}).Provider("k", "", modeltest.Resources{placement.VCPU: 8})
	w.Claim("i", placement.InstanceConsumer, map[string]modeltest.Resources{"h": {placement.VCPU: 1}})
	start := w.Snapshot
	moved := modeltest.Claim("i", map[string]modeltest.Resources{"k": {placement.VCPU: 7}})
	moved.Generation = placement.AnyGeneration()
	h, _ := start.Placement().Provider(modeltest.ProviderID("h"))
	guarded := &writing{generation: h.Generation()}
	for name, tt := range map[string]struct {
		w    *writing
		plan planner
		was  cloud.Op
		says string
	}{
		"a claim that moved": {&writing{force: true}, func(f finder) (ops.Plan, error) {
			return ops.PlanRelease(f.Snapshot, modeltest.ConsumerID("i"), placement.ProviderID{})
		}, placement.ReplaceAllocations{Consumers: []placement.Claim{moved}}, "VCPU 7"},
		"a provider at another generation": {guarded, func(f finder) (ops.Plan, error) {
			rp, err := f.Provider("h")
			if err == nil {
				err = guarded.guard(rp)
			}
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanTraits(f.Snapshot, rp.ID(), []placement.Trait{placement.OwnerNova}, nil)
		}, placement.AddInventory{Provider: h.ID(), Generation: placement.AnyGeneration(), Class: placement.DiskGB, Inventory: placement.NewInventory(1)}, "generation conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &program{now: time.Now, log: slog.New(slog.DiscardHandler), stdout: io.Discard, stderr: io.Discard, env: map[string]string{}, format: print.Table}
			store := memory.New(memory.Options{Clock: time.Now, Start: start})
			before := &cloud.Change{Ops: []cloud.Op{tt.was}}
			err := p.operateOn(t.Context(), tt.w, &rival{Store: store, first: before}, func(f finder) (operation, error) { return planned(f.Snapshot, tt.plan) }, nil)
			if exitCode(err) != exitConflict || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it ends with %v", err)
			}
			if got := store.Snapshot().Revision(); got != start.Revision()+1 {
				t.Errorf("the cloud is at revision %d, and the other writer left it at %d", got, start.Revision()+1)
			}
		})
	}
}

// TestOthersDidTheSame has another writer do what was planned right before it is written:
// nothing is said to be done.
func TestOthersDidTheSame(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t).Node("h").Computes().Flavors().Running("small")
	start := w.Snapshot
	i := modeltest.ConsumerID("i")
	h := must.Get(ops.PlanHeal(start, ops.HealOptions{Instance: i}))(t)[0]
	store := func() storage.Store {
		return &rival{Store: memory.New(memory.Options{Clock: time.Now, Start: start}), first: &h.Plan.Change}
	}
	said := new(strings.Builder)
	p := &program{now: time.Now, log: slog.New(slog.DiscardHandler), stdout: io.Discard, stderr: said, env: map[string]string{}, format: print.Table}
	row, err := p.healOne(t.Context(), &writing{}, store(), h)
	if err != nil || row.Outcome != ops.HealNothing || row.Plan.Changed {
		t.Errorf("heal: %v, %+v", err, row)
	}
	must.Succeed(t, p.operateOn(t.Context(), &writing{}, store(), func(finder) (operation, error) {
		return operation{note: "heal i", task: h.Plan, plan: &h.Plan, shown: h.Plan.Shown()}, nil
	}, nil))
	must.Be(t, said.String(), "nothing to do: the cloud is already like that (heal i)\n")
}
