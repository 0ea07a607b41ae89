package ops_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// stubborn is a course that stops its guest, and tries that again whenever it fails.
type stubborn struct{}

func (stubborn) Next(s *cloud.Snapshot, _ time.Time) (ops.Step, bool, error) {
	m, _ := s.Nova().Migration(vm("m"))
	step := ops.Step{Name: "stop", Title: "stop i", Acts: []ops.Act{{Kind: ops.StopGuest, Host: "a", Instance: vm("i")}}}
	modeltest.PutIn(&step.Change, s, m.Edit(func(m *nova.Migration) { m.Status = nova.Finished }))
	return step, m.Status != nova.Finished, nil
}

func (stubborn) About() ops.Description { return ops.Description{Name: "stubborn", Migration: vm("m")} }

func (stubborn) Failed(s *cloud.Snapshot, at time.Time, _ ops.Step, cause error) (cloud.Change, error) {
	c := cloud.Change{Note: "it failed: " + cause.Error()}
	m, _ := s.Nova().Migration(vm("m"))
	modeltest.PutIn(&c, s, m.Edit(func(m *nova.Migration) { m.Updated = at.UnixMilli() }))
	return c, nil
}

// balky fails each act, either always in the same way or differently each time.
type balky struct {
	same  bool
	tries int
}

var errBalks = errors.New("no answer")

func (b *balky) Do(context.Context, ops.Act) error {
	b.tries++
	if b.same {
		return errBalks
	}
	return errors.Join(errBalks, errors.New(string(rune('a'+b.tries%7))))
}

// TestAdvanceFailsTwice runs a course that only tries the same again: it stops at the
// second equal failure, with that error.
func TestAdvanceFailsTwice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		guests *balky
		tries  int
	}{{&balky{same: true}, 2}, {&balky{}, 8}} {
		tr := newHop(t)
		err := ops.Runner{Guests: test.guests, Now: clock()}.Run(t.Context(), tr.store, stubborn{})
		var failed *ops.FailedError
		if !errors.As(err, &failed) || !errors.Is(failed.Cause, errBalks) || !errors.Is(failed.Stuck, errBalks) {
			t.Errorf("the error is %v", err)
		}
		if test.guests.tries != test.tries {
			t.Errorf("it was tried %d times, want %d", test.guests.tries, test.tries)
		}
	}
}

// TestDeletingEndsMoves checks that no move continues with an instance that is being
// deleted: everything of the move is released with the instance.
func TestDeletingEndsMoves(t *testing.T) {
	t.Parallel()
	for _, steps := range []int{1, 2, 3, 4, 5} {
		tr := newTrip(t)
		tr.VGPUInstance("i", "cyborg", 2)
		tr.killedAfter(t, steps, move("nova"))
		tr.killedAfter(t, 1, terminate())
		for _, c := range []ops.Task{move("nova"), ops.Confirm{Migration: vm("m")}, ops.Revert{Migration: vm("m")}} {
			if step, _, err := c.Next(tr.Snapshot(), time.Time{}); !errors.Is(err, placement.ErrState) {
				t.Errorf("after step %d %T goes on with %q, %v", steps, c, step.Title, err)
			}
		}
		for _, x := range ops.Due(tr.Snapshot(), late, false) {
			t.Errorf("after step %d %s is due", steps, x.Words)
		}
		if err := tr.advance(t.Context(), terminate()); err != nil {
			t.Error(err)
		}
		for _, text := range vgpuFaults(tr.Snapshot()) {
			t.Errorf("after step %d: %v", steps, text)
		}
	}
}
