package screen

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
)

// Inspection is a pass of the rules over a Snapshot. It is not changed any more.
type Inspection struct {
	Of     *cloud.Snapshot
	Report audit.Report
	Ended  time.Time
	Took   time.Duration
	// Fault is why the journal could not be read, which rules of the user with a hold
	// time need; they have found nothing then.
	Fault error
	// lost are the conflicts that it looked at.
	lost []cloud.Conflict
	// Until is when the rules must be asked again though nothing changes; it is zero
	// for never.
	Until time.Time
}

// OwnRules are the rules that the user wrote.
type OwnRules struct {
	Rules  []*audit.UserRule
	File   string  // in which they stand, or would
	Faults []error // of those that are left out, as they cannot be read
}

// Open returns what is to be looked at.
func (i *Inspection) Open() []audit.Finding { return audit.Findings(i.Report.Open) }

// Holds reports whether the pass says how snap stands at now.
func (i *Inspection) Holds(snap *cloud.Snapshot, now time.Time) bool {
	return i != nil && i.Of == snap && (i.Until.IsZero() || now.Before(i.Until))
}

// saw reports whether the pass knew of all the conflicts that there are.
func (i *Inspection) saw(lost []cloud.Conflict) bool {
	n := len(lost)
	return len(i.lost) == n && (n == 0 || i.lost[n-1].At.Equal(lost[n-1].At))
}

// Inspector has the rules asked about a Snapshot once, however many want to know:
// the screens, and the header with its counters. It may be used from several
// goroutines.
type Inspector struct {
	// Own are asked beside the rules that everybody has. They are set before anything
	// is looked at.
	Own OwnRules

	clock func() time.Time
	turn  sync.Mutex // held by the one that asks
	last  atomic.Pointer[Inspection]
}

// NewInspector returns an Inspector that has not looked at anything.
func NewInspector(clock func() time.Time) *Inspector { return &Inspector{clock: clock} }

// Last returns the last pass, nil before there is one. It does not wait.
func (i *Inspector) Last() *Inspection { return i.last.Load() }

// Inspect returns a pass over snap: the last one where it was over snap, else a new
// one, which at 10,000 hosts takes some 100 ms. The journal is read where a rule of
// the user has a hold time; c may be nil where none has.
func (i *Inspector) Inspect(ctx context.Context, c Cloud, snap *cloud.Snapshot) *Inspection {
	var lost []cloud.Conflict
	if c != nil {
		lost = c.Conflicts()
	}
	if last := i.Last(); last.Holds(snap, i.clock()) && last.saw(lost) {
		return last
	}
	i.turn.Lock()
	defer i.turn.Unlock()
	began := i.clock()
	if last := i.Last(); last.Holds(snap, began) && last.saw(lost) {
		return last
	}
	pass := &Inspection{Of: snap, lost: lost}
	o := audit.InspectOptions{Now: began, UserRules: i.Own.Rules, Conflicts: lost}
	if audit.LongestHold(i.Own.Rules) > 0 {
		o.Events, pass.Fault = audit.EventsFor(ctx, c, snap, i.Own.Rules, began)
	}
	pass.Report = audit.Inspect(snap, o)
	pass.Until = pass.Report.Until
	pass.Ended = i.clock()
	pass.Took = pass.Ended.Sub(began)
	i.last.Store(pass)
	return pass
}

// Inspect is Inspector.Inspect; an Env without one looks anew each time.
func (e Env) Inspect(snap *cloud.Snapshot) *Inspection {
	i := e.Inspector
	if i == nil {
		i = NewInspector(e.Clock)
	}
	return i.Inspect(e.Context, e.Cloud, snap)
}
