package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/memory"
)

// stubborn is a cloud in which another process removes the owner of a card again as soon
// as it has one.
type stubborn struct {
	storage.Store
	card placement.ProviderID
}

func (s stubborn) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if err := s.Store.Apply(ctx, c).Err(); err != nil {
		return cloud.Refused(err)
	}
	return s.Store.Apply(ctx, cloud.Change{Ops: []placement.Op{placement.SetTraits{Provider: s.card, Generation: placement.AnyGeneration()}}})
}

// A fix that leaves its problem is a failure.
func TestRepairThatFixesNothing(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t).Provider("h", "", modeltest.Resources{placement.VCPU: 1}, placement.OwnerNova).
		Provider("h_0000:af:00.0", "h", modeltest.Resources{placement.VGPU: 4})
	var out, messages bytes.Buffer
	p := &program{stdout: &out, stderr: &messages, env: map[string]string{}, now: time.Now, log: slog.New(slog.DiscardHandler), format: print.Table}
	c := checkRequest{Only: []string{string(audit.RuleNoOwner)}, Fix: true, With: []string{"cyborg"}}
	store := stubborn{memory.New(memory.Options{Clock: time.Now, Start: w.Snapshot}), modeltest.ProviderID("h_0000:af:00.0")}
	found := audit.Find(w.Snapshot)
	err := p.repair(t.Context(), store, c, found[:1], nil)
	if err == nil || exitCode(err) != exitFailed || !strings.Contains(err.Error(), "still there after the fix: 1 problem") {
		t.Errorf("the error is %v", err)
	}
	if got := out.String(); !strings.Contains(got, "not fixed") || !strings.Contains(got, `not fixed by "cyborg": has neither OWNER_NOVA nor OWNER_CYBORG`) {
		t.Errorf("it prints\n%s", got)
	}
}

// rivaled is a cloud in which another process writes just before.
type rivaled struct {
	storage.Store
	before func() error // not nil: the write is refused
}

func (s rivaled) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if err := s.before(); err != nil {
		return cloud.Refused(err)
	}
	return s.Store.Apply(ctx, c)
}

// What another process repairs first is gone; where others are always faster, the exit code
// says so.
func TestRepairThatLosesARace(t *testing.T) {
	t.Parallel()
	card := modeltest.ProviderID("h_0000:af:00.0")
	for name, test := range map[string]struct {
		before func(storage.Store) error
		code   int
		says   string
	}{
		"repaired by another": {func(s storage.Store) error {
			return s.Apply(t.Context(), cloud.Change{Ops: []placement.Op{placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova}}}}).Err()
		}, exitDone, goneOfItself},
		"always late": {func(storage.Store) error {
			return &placement.ConflictError{What: "resource provider", ID: card.String()}
		}, exitConflict, leftAsItIs},
	} {
		w := modeltest.NewWorld(t).Provider("h", "", modeltest.Resources{placement.VCPU: 1}, placement.OwnerNova).
			Provider("h_0000:af:00.0", "h", modeltest.Resources{placement.VGPU: 4})
		var out, messages bytes.Buffer
		p := &program{stdout: &out, stderr: &messages, env: map[string]string{}, now: time.Now, log: slog.New(slog.DiscardHandler), format: print.Table}
		c := checkRequest{Only: []string{string(audit.RuleNoOwner)}, Fix: true, With: []string{"cyborg"}}
		kept := memory.New(memory.Options{Clock: time.Now, Start: w.Snapshot})
		err := p.repair(t.Context(), rivaled{kept, func() error { return test.before(kept) }}, c, audit.Find(w.Snapshot)[:1], nil)
		if exitCode(err) != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("%s: %v, and it prints\n%s", name, err, out.String())
		}
	}
}

// recover reports a request that has been binding for longer than Nova waits, and how to
// find out how it ended.
func TestRecoverTellsOfUnansweredRequests(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t)
	w.Node("h").Card(1, 1).Flavors().Running("gpu").Claim("i", placement.InstanceConsumer, modeltest.Holding("c"))
	for a := range w.Cyborg().ARQs() {
		w.Record(a.Edit(func(a *cyborg.ARQ) {
			a.State, a.BindStart = cyborg.ARQBindStarted, modeltest.Noon().Add(-1000*time.Second).UnixMilli()
		}))
	}
	rows := stuckRows(w.Snapshot, modeltest.Noon())
	if len(rows) != 1 || rows[0].Command != "placetop check --fix --only d05 --subject i --with bound" || !strings.Contains(rows[0].Words, "is still BindStarted on h after 300 s") {
		t.Errorf("it tells %+v", rows)
	}
	if rows := stuckRows(w.Snapshot, modeltest.Noon().Add(-900*time.Second)); len(rows) != 0 {
		t.Errorf("it tells of what Nova waits for: %+v", rows)
	}
}
