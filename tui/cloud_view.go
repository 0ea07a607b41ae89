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
	clock func() time.Time
	is    atomic.Pointer[present]
	was   atomic.Pointer[replay]
	wrote atomic.Uint64 // the last revision that a screen wrote; 0 for none
}

// present is a cloud at present. It may have no keeper.
type present struct {
	cloud.Cloud
	keeper screen.Keeper
}

// replay is a cloud in the past, with the findings of its rules at that time.
type replay struct {
	cloud.Replay
	at     time.Time
	keeper *keeper.Keeper
}

var (
	_ screen.Cloud  = (*cloudView)(nil)
	_ screen.Keeper = (*cloudView)(nil)
	_ ops.Executor  = (*cloudView)(nil)
)

// show makes screens see a past state of the cloud, or with nil the present.
func (s *cloudView) show(snap *cloud.Snapshot) *replay {
	if snap == nil {
		s.was.Store(nil)
		return nil
	}
	is := s.is.Load()
	was := &replay{Replay: cloud.NewReplay(is.Cloud, snap), at: snap.At()}
	if was.at.IsZero() { // the journal does not say
		was.at = s.clock()
	}
	o := keeper.Options{Now: func() time.Time { return was.at }, Resumed: true}
	was.keeper = keeper.New(was, o)
	s.was.Store(was)
	return was
}

// Past returns the time of what is shown, false if that is the present. See
// screen.Env.Past.
func (s *cloudView) Past() (at time.Time, past bool) {
	if was := s.was.Load(); was != nil {
		return was.at, true
	}
	return time.Time{}, false
}

// shown returns the cloud that screens see.
func (s *cloudView) shown() cloud.Cloud {
	if was := s.was.Load(); was != nil {
		return was
	}
	return s.is.Load().Cloud
}

// kept returns the keeper of that cloud.
func (s *cloudView) kept() screen.Keeper {
	if was := s.was.Load(); was != nil {
		return was.keeper
	}
	return s.is.Load().keeper
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
func (s *cloudView) Carry(ctx context.Context, t ops.Task, report func(ops.StepDone)) (bool, error) {
	if own, able := s.shown().(ops.Executor); able {
		return own.Carry(ctx, t, report)
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
func (s *cloudView) Report() keeper.Report { return s.kept().Report() }

// Inspect implements screen.Keeper.
func (s *cloudView) Inspect(of *cloud.Snapshot) *keeper.Pass {
	return s.kept().Inspect(of)
}

// Last implements screen.Keeper.
func (s *cloudView) Last() *keeper.Pass { return s.kept().Last() }

// Interrupted implements screen.Keeper.
func (s *cloudView) Interrupted(of *cloud.Snapshot) ([]ops.InterruptedTask, time.Time) {
	return s.kept().Interrupted(of)
}

// Begin implements screen.Keeper.
func (s *cloudView) Begin(t ops.Task) (end func()) { return s.kept().Begin(t) }
