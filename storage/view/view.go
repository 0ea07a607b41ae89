// Package view gives several people access to one open store, each with their own rights.
// Closing a view leaves the store open.
package view

import (
	"context"
	"fmt"
	"iter"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// looking is all that a reader gets of a store: it has no way to write.
type looking interface {
	cloud.Reader
	cloud.Watcher
	cloud.Historian
	cloud.ConflictLog
	Verify(ctx context.Context) ([]storage.Defect, error)
}

// flaws are what of a store cannot be read: whoever has a view of it sees no more.
type flaws struct{ of looking }

// Damage implements engine.Damageable.
func (f flaws) Damage() *storage.DamagedError {
	if able, ok := f.of.(engine.Damageable); ok {
		return able.Damage()
	}
	return nil
}

// Newer implements engine.Newer.
func (f flaws) Newer() *storage.NewerError {
	if able, ok := f.of.(engine.Newer); ok {
		return able.Newer()
	}
	return nil
}

// reader is a read-only view of a store.
type reader struct {
	looking
	flaws
	can func() cloud.Capabilities
	why string
}

// ReadOnly returns s for somebody who may not write to it, for the reason why.
func ReadOnly(s storage.Store, why string) storage.Store {
	v := reader{s, flaws{s}, s.Capabilities, why}
	if far, distant := s.(engine.Distant); distant {
		return struct {
			reader
			engine.Distant
		}{v, far}
	}
	return v
}

func (v reader) Apply(context.Context, cloud.Change) (cloud.Commit, error) {
	return cloud.Commit{}, v.Capabilities().Can()
}

// Capabilities implements cloud.Cloud: what of the cloud was not read stays to be told.
func (v reader) Capabilities() cloud.Capabilities {
	can := v.can()
	can.ReadOnly = v.why
	return can
}

func (reader) Close() error { return nil }

// writer is a view of a store that a known user writes to.
type writer struct {
	looking
	flaws
	to  storage.Store
	by  string
	may func(cloud.Change) error
}

// Signed returns s for somebody who may write every change for which may returns nil. The
// journal names them by, whatever actor a change gives.
func Signed(s storage.Store, by string, may func(cloud.Change) error) storage.Store {
	v := writer{s, flaws{s}, s, by, may}
	far, distant := s.(engine.Distant)
	own, carries := s.(ops.Carrier)
	switch {
	case distant && carries:
		return struct {
			writer
			engine.Distant
			carrier
		}{v, far, carrier{own}}
	case distant:
		return struct {
			writer
			engine.Distant
		}{v, far}
	case carries:
		return struct {
			writer
			carrier
		}{v, carrier{own}}
	}
	return v
}

// carrier only carries out Tasks, through to: a writer may have the store do so. The
// services of the cloud record who did, by their own account.
type carrier struct{ to ops.Carrier }

func (c carrier) Carry(ctx context.Context, t ops.Task, report func(ops.StepDone)) (bool, error) {
	return c.to.Carry(ctx, t, report)
}

func (v writer) Apply(ctx context.Context, c cloud.Change) (cloud.Commit, error) {
	if err := v.may(c); err != nil {
		return cloud.Commit{}, err
	}
	c.Actor = v.by
	return v.to.Apply(ctx, c)
}

func (v writer) ApplyAll(ctx context.Context, changes iter.Seq[cloud.Change]) error {
	fill, able := v.to.(cloud.Filler)
	if !able {
		for c := range changes {
			if _, err := v.Apply(ctx, c); err != nil {
				return fmt.Errorf("%s: %w", c.Note, err)
			}
		}
		return nil
	}
	var refused error
	err := fill.ApplyAll(ctx, func(yield func(cloud.Change) bool) {
		for c := range changes {
			if refused = v.may(c); refused != nil {
				return
			}
			c.Actor = v.by
			if !yield(c) {
				return
			}
		}
	})
	if err == nil {
		err = refused
	}
	return err
}

func (v writer) Capabilities() cloud.Capabilities { return v.to.Capabilities() }
func (writer) Close() error                       { return nil }
