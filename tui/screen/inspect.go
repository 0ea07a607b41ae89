package screen

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
)

// Inspection is a pass of the rules over a Snapshot. It is not changed any more.
type Inspection struct {
	Of     *cloud.Snapshot
	Report ops.Report
	Ended  time.Time
	Took   time.Duration

	until time.Time // when what operators wrote down says something else; zero for never
}

// Open returns what is to be looked at.
func (i *Inspection) Open() []ops.Finding { return ops.Findings(i.Report.Open) }

// holds reports whether the pass says how snap stands at now.
func (i *Inspection) holds(snap *cloud.Snapshot, now time.Time) bool {
	return i != nil && i.Of == snap && (i.until.IsZero() || now.Before(i.until))
}

// Inspector has the rules asked about a Snapshot once, however many want to know:
// the screens, and the header with its counters. It may be used from several
// goroutines.
type Inspector struct {
	clock func() time.Time
	turn  sync.Mutex // held by the one that asks
	last  atomic.Pointer[Inspection]
}

// NewInspector returns an Inspector that has not looked at anything.
func NewInspector(clock func() time.Time) *Inspector { return &Inspector{clock: clock} }

// Last returns the last pass, nil before there is one. It does not wait.
func (i *Inspector) Last() *Inspection { return i.last.Load() }

// Inspect returns a pass over snap: the last one where it was over snap, else a new
// one, which at 10,000 hosts takes some 100 ms.
func (i *Inspector) Inspect(snap *cloud.Snapshot) *Inspection {
	if last := i.Last(); last.holds(snap, i.clock()) {
		return last
	}
	i.turn.Lock()
	defer i.turn.Unlock()
	began := i.clock()
	if last := i.Last(); last.holds(snap, began) {
		return last
	}
	pass := &Inspection{Of: snap, Report: ops.Inspect(snap, ops.InspectOptions{Now: began}), until: nextEnd(snap, began)}
	pass.Ended = i.clock()
	pass.Took = pass.Ended.Sub(began)
	i.last.Store(pass)
	return pass
}

// nextEnd returns when the first of what operators wrote down ends after now; the
// zero time for none.
func nextEnd(snap *cloud.Snapshot, now time.Time) time.Time {
	var first time.Time
	ends := func(t time.Time) {
		if t.After(now) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	for a := range snap.Operator().Acknowledgements() {
		ends(a.UntilTime())
	}
	for m := range snap.Operator().Mutes() {
		ends(m.UntilTime())
	}
	return first
}

// Inspect is Inspector.Inspect; an Env without one looks anew each time.
func (e Env) Inspect(snap *cloud.Snapshot) *Inspection {
	if e.Inspector == nil {
		return NewInspector(e.Clock).Inspect(snap)
	}
	return e.Inspector.Inspect(snap)
}
