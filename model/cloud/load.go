package cloud

import (
	"iter"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Load returns the cloud of the given revision that consists of records. The
// Snapshot keeps records themselves, which must not be changed any more. Errors
// name the record that does not fit.
func Load(rev Revision, at time.Time, records iter.Seq2[versioned.Record, error]) (*Snapshot, error) {
	var l Loading
	services := servicesOf()
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		part := ofPlacement
		if r != nil {
			part = services[r.RecordKind()]
		}
		l.parts[part] = append(l.parts[part], r)
	}
	for _, load := range l.Ledgers() {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return l.Snapshot(rev, at), nil
}

// Loading is Load in pieces: what a store does when it opens its file. The zero
// value is one without records.
type Loading struct {
	parts [ofOperator + 1][]versioned.Record
	cloud Snapshot
}

// Add adds records of one kind, in any number of pieces.
func (l *Loading) Add(kind versioned.Kind, pieces ...[]versioned.Record) {
	part := &l.parts[servicesOf()[kind]]
	n := 0
	for _, p := range pieces {
		n += len(p)
	}
	*part = slices.Grow(*part, n)
	for _, p := range pieces {
		*part = append(*part, p...)
	}
}

// Ledgers returns what remains to be done once all records are there: a function
// for each ledger. They may run at the same time. Each lets go of its records, and
// its error names the record that does not fit.
func (l *Loading) Ledgers() []func() error {
	return []func() error{
		func() error { return ledger(l, ofPlacement, placement.Load, &l.cloud.placement) },
		func() error { return ledger(l, ofNova, nova.Load, &l.cloud.nova) },
		func() error { return ledger(l, ofCyborg, cyborg.Load, &l.cloud.cyborg) },
		func() error { return ledger(l, ofOperator, operator.Load, &l.cloud.operator) },
	}
}

func ledger[S any](l *Loading, of service, load func([]versioned.Record) (S, error), into *S) (err error) {
	*into, err = load(l.parts[of])
	l.parts[of] = nil
	return err
}

// Snapshot returns the cloud of the given revision, once every function of Ledgers
// has ended without an error.
func (l *Loading) Snapshot(rev Revision, at time.Time) *Snapshot {
	s := l.cloud
	s.revision, s.at = rev, at
	return &s
}
