package tui

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/screen"
)

// cloudView is the cloud as screens see it: at present, or in the past. Screens keep it, so
// that an open one shows another time when the root model changes that.
type cloudView struct {
	clock   func() time.Time
	present atomic.Pointer[viewedCloud]
	past    atomic.Pointer[viewedCloud] // nil in the present
	wrote   atomic.Uint64               // the last revision that a screen wrote; 0 for none
}

// viewedCloud is a cloud with its keeper, which may be nil.
type viewedCloud struct {
	cloud.Cloud
	keeper screen.Keeper
	at     time.Time // of the past
}

var (
	_ screen.Cloud  = (*cloudView)(nil)
	_ screen.Keeper = (*cloudView)(nil)
	_ ops.Executor  = (*cloudView)(nil)
)

// now makes screens see the present.
func (s *cloudView) now() { s.past.Store(nil) }

// show makes screens see a past state of the cloud. It returns the keeper that is to find its
// problems.
func (s *cloudView) show(snap *cloud.Snapshot) *keeper.Keeper {
	was := &viewedCloud{Cloud: cloud.NewReplay(s.present.Load().Cloud, snap), at: snap.At()}
	if was.at.IsZero() { // the journal does not say
		was.at = s.clock()
	}
	k := keeper.New(was, keeper.Options{Now: func() time.Time { return was.at }, Resumed: true})
	was.keeper = k
	s.past.Store(was)
	return k
}

// Past returns the time of what is shown, false if that is the present. See
// screen.Env.Past.
func (s *cloudView) Past() (at time.Time, past bool) {
	if was := s.past.Load(); was != nil {
		return was.at, true
	}
	return time.Time{}, false
}

// shown returns what screens see.
func (s *cloudView) shown() *viewedCloud {
	if was := s.past.Load(); was != nil {
		return was
	}
	return s.present.Load()
}

// Snapshot implements screen.Cloud.
func (s *cloudView) Snapshot() *cloud.Snapshot { return s.shown().Snapshot() }

// Apply implements screen.Cloud.
func (s *cloudView) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	out := s.shown().Apply(ctx, c)
	if done, err := out.Result(); err == nil && done.Event.Revision > 0 {
		s.wrote.Store(uint64(done.Event.Revision))
	}
	return out
}

// Carry implements ops.Executor, for a cloud that is one.
func (s *cloudView) Carry(ctx context.Context, t ops.Task, on *cloud.Snapshot, report func(ops.StepDone)) (bool, error) {
	if own, able := s.shown().Cloud.(ops.Executor); able {
		return own.Carry(ctx, t, on, report)
	}
	return false, nil
}

// Events implements screen.Cloud.
func (s *cloudView) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	return s.shown().Events(ctx, q)
}

// Conflicts implements screen.Cloud.
func (s *cloudView) Conflicts() []cloud.Conflict { return s.shown().Conflicts() }

// Capabilities implements screen.Cloud.
func (s *cloudView) Capabilities() cloud.Capabilities { return s.shown().Capabilities() }

// Report implements screen.Keeper.
func (s *cloudView) Report() keeper.Report { return s.shown().keeper.Report() }

// Inspect implements screen.Keeper.
func (s *cloudView) Inspect(of *cloud.Snapshot) *keeper.Pass {
	return s.shown().keeper.Inspect(of)
}

// Last implements screen.Keeper.
func (s *cloudView) Last() *keeper.Pass { return s.shown().keeper.Last() }

// Interrupted implements screen.Keeper.
func (s *cloudView) Interrupted(of *cloud.Snapshot) ([]ops.InterruptedTask, time.Time) {
	return s.shown().keeper.Interrupted(of)
}

// Begin implements screen.Keeper.
func (s *cloudView) Begin(t ops.Task) (end func()) { return s.shown().keeper.Begin(t) }
