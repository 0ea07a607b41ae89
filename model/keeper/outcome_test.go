package keeper_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// lose removes what the migration m holds, and the capacity for it.
func (s *store) lose(t *testing.T) {
	t.Helper()
	p, _ := s.Snapshot().Placement().ProviderByName("n1")
	full := placement.NewInventory(4)
	full.Reserved = full.Total
	err := s.do(placement.DeleteAllocations{Consumer: vm("m")},
		placement.SetInventory{Provider: p.ID(), Generation: placement.AnyGeneration(), Class: placement.VGPU, Inventory: full})
	must.Succeed(t, err)
}

// TestTellsOfAnEndThatIsNotAsWanted has a revert that ends, although the instance then
// holds nothing: the TaskResult says so.
func TestTellsOfAnEndThatIsNotAsWanted(t *testing.T) {
	t.Parallel()
	s := newWaiting(t, 0)
	s.killed(t, 2, ops.Revert{Migration: vm("m")})
	s.lose(t)
	now := modeltest.At(2)
	k := at(s, &now)
	k.Round(t.Context())
	if left := ops.Unfinished(s.Snapshot(), now, ops.AnyAge); s.status("m") != nova.Error || len(left) > 0 {
		t.Fatalf("it is %s, left is %v", s.status("m"), left)
	}
	var lost *ops.UnclaimedError
	if d := k.Results(); len(d) != 1 || !errors.As(d[0].Err, &lost) || !strings.Contains(d[0].Text, "is over now, but: ") || !strings.Contains(d[0].Text, "holds nothing") {
		t.Errorf("told is %+v", d)
	}
}

// TestLeavesWhatSomebodyIsAt does not finish or revert what a task of this process is
// working on, but does once that has ended without finishing it.
func TestLeavesWhatSomebodyIsAt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given func(t *testing.T) *store
		task  ops.Task
	}{
		"delete": {func(t *testing.T) *store {
			t.Helper()
			s := newRunning(t)
			s.killed(t, 1, ops.Terminate{Instance: vm("i")})
			return s
		}, ops.Terminate{Instance: vm("i")}},
		"overdue": {func(t *testing.T) *store { t.Helper(); return newWaiting(t, time.Second) }, ops.Confirm{Migration: vm("m")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tt.given(t)
			half, now := s.Snapshot(), modeltest.At(100)
			k := keeper.New(s, keeper.Options{Now: func() time.Time { return now }})
			end := k.Begin(tt.task)
			if again := k.Settle(t.Context()); s.Snapshot() != half || !again.Equal(now.Add(time.Second)) {
				t.Errorf("it was done beside somebody who was at it, or it comes again at %s", again)
			}
			end()
			now = now.Add(time.Second)
			if k.Settle(t.Context()); len(ops.Unfinished(s.Snapshot(), now, ops.AnyAge)) > 0 || len(k.Results()) != 1 {
				t.Errorf("it was not done afterwards, told is %v", k.Results())
			}
		})
	}
}

// TestMayWaitLonger gives a move more time while another one is being reverted: it is
// then not reverted.
func TestMayWaitLonger(t *testing.T) {
	t.Parallel()
	s := &store{snap: modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "nova", 1).VGPUInstance("j", "nova", 1).Snapshot}
	s.run(t, ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "plain", RevertAfter: time.Minute})
	s.run(t, ops.Move{Migration: vm("n"), Instance: vm("j"), Flavor: "plain", RevertAfter: time.Minute})
	now := modeltest.At(1000)
	var once sync.Once
	k := keeper.New(&met{store: s, meet: func() {
		once.Do(func() {
			longer, err := ops.PlanDeadline(s.Snapshot(), vm("n"), now.Add(time.Hour))
			if err == nil {
				err = s.change(longer.Change)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}}, keeper.Options{Now: func() time.Time { return now }})
	again := k.Settle(t.Context())
	if s.status("m") != nova.Reverted || s.status("n") != nova.Finished || len(k.Results()) != 1 || !again.Equal(now.Add(time.Hour)) {
		t.Errorf("they are %s and %s, to come again at %s, told is %v", s.status("m"), s.status("n"), again, k.Results())
	}
}
