package cloud

import (
	"context"
	"fmt"
)

// Replay is a cloud as it was: nothing can be written to it, and its journal ends
// there.
type Replay struct {
	of   Cloud
	snap *Snapshot
}

var _ Cloud = Replay{}

// NewReplay returns a cloud as it was when snap was its newest Snapshot.
func NewReplay(of Cloud, snap *Snapshot) Replay { return Replay{of, snap} }

// Snapshot implements Reader.
func (r Replay) Snapshot() *Snapshot { return r.snap }

// Apply implements Writer: the past cannot be written.
func (r Replay) Apply(context.Context, Change) Outcome {
	return Refused(r.Capabilities().Can())
}

// Watch implements Watcher: the past does not change.
func (Replay) Watch(ctx context.Context) <-chan Revision {
	none := make(chan Revision)
	context.AfterFunc(ctx, func() { close(none) })
	return none
}

// Events implements Historian.
func (r Replay) Events(ctx context.Context, q EventQuery) ([]Event, error) {
	if q.Until == 0 || q.Until > r.snap.revision {
		q.Until = r.snap.revision
	}
	if q.Until == 0 {
		return nil, nil // before the first revision
	}
	return r.of.Events(ctx, q)
}

// Conflicts implements ConflictLog; it has none, as conflicts are only known of the
// present.
func (Replay) Conflicts() []Conflict { return nil }

// Capabilities implements Cloud.
func (r Replay) Capabilities() Capabilities {
	can := r.of.Capabilities()
	can.ReadOnly = "this is revision " + fmt.Sprint(r.snap.revision)
	if !r.snap.at.IsZero() {
		can.ReadOnly += ", of " + r.snap.at.UTC().Format(Moment)
	}
	can.Quotas = nil // who has them would answer for the present
	if can.Servers != nil {
		then := *can.Servers
		then.Actions = nil
		can.Servers = &then
	}
	return can
}
