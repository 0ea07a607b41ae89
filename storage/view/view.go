// Package view gives several people access to one open store, each with their own rights.
// Closing a view leaves the store open.
package view

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/storage"
)

// readableStore is all that a reader gets of a store: it has no way to write.
type readableStore interface {
	cloud.Reader
	cloud.Watcher
	cloud.Historian
	cloud.ConflictLog
	Verify(ctx context.Context) ([]storage.Defect, error)
}

// baseView is what every view has. Views are pointers to structs: methods of values would be
// compiled for the pointers to them, too.
type baseView struct{ readableStore }

// Of implements engine.View.
func (v *baseView) Of() any { return v.readableStore }

func (*baseView) Close() error { return nil }

// reader is a read-only view of a store.
type reader struct {
	baseView
	can func() cloud.Capabilities
	why string
}

// ReadOnly returns s for somebody who may not write to it, for the reason why.
func ReadOnly(s storage.Store, why string) storage.Store {
	return &reader{baseView{s}, s.Capabilities, why}
}

func (v *reader) Apply(context.Context, cloud.Change) cloud.Outcome {
	return cloud.Refused(v.Capabilities().Can())
}

// Capabilities implements cloud.Cloud: what of the cloud was not read stays to be told.
func (v *reader) Capabilities() cloud.Capabilities {
	can := v.can()
	can.ReadOnly = v.why
	return can
}

// writer is a view of a store that a known user writes to.
type writer struct {
	baseView
	to  storage.Store
	by  string
	may func(cloud.Change) error
}

// Signed returns s for somebody who may write every change for which may returns nil. The
// journal names them by, whatever actor a change gives.
func Signed(s storage.Store, by string, may func(cloud.Change) error) storage.Store {
	return &writer{baseView{s}, s, by, may}
}

// Carry implements ops.Executor, for a store that is one. The services of the cloud record
// who did it, by their own account.
func (v *writer) Carry(ctx context.Context, t ops.Task, on *cloud.Snapshot, report func(ops.StepDone)) (bool, error) {
	if own, able := v.to.(ops.Executor); able {
		return own.Carry(ctx, t, on, report)
	}
	return false, nil
}

func (v *writer) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if err := v.may(c); err != nil {
		return cloud.Refused(err)
	}
	c.Actor = v.by
	return v.to.Apply(ctx, c)
}

func (v *writer) Capabilities() cloud.Capabilities { return v.to.Capabilities() }
