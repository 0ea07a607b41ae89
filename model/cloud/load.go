package cloud

import (
	"iter"
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Load returns the cloud of the given revision that consists of records, which may come in
// any order. The Snapshot keeps records themselves, which must not be changed. Errors
// name the record that does not fit.
func Load(rev Revision, at time.Time, records iter.Seq2[versioned.Record, error]) (*Snapshot, error) {
	var of [ledgerCount][]versioned.Record
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		ledger := ofPlacement // which refuses a record that is nil
		if r != nil {
			ledger = ledgerOf[r.RecordKind()]
		}
		of[ledger] = append(of[ledger], r)
	}
	p, err := placement.Load(of[ofPlacement])
	if err != nil {
		return nil, err
	}
	return load(rev, at, p, of)
}

// load returns a cloud with Placement's ledger, and the others of which it is given the records.
func load(rev Revision, at time.Time, p *placement.Snapshot, of [ledgerCount][]versioned.Record) (*Snapshot, error) {
	n, err := nova.Load(of[ofNova])
	if err != nil {
		return nil, err
	}
	c, err := cyborg.Load(of[ofCyborg])
	if err != nil {
		return nil, err
	}
	o, err := operator.Load(of[ofOperator])
	if err != nil {
		return nil, err
	}
	return &Snapshot{revision: rev, at: at, placement: p, nova: n, cyborg: c, operator: o}, nil
}

// Loader is Load for records that come by kind in the order of Schemas, as Snapshot.Records
// yields them: it keeps none of Placement's, most of a cloud, so that they need not all be
// in memory at once.
type Loader struct {
	placement *placement.Loader
	rows      [ledgerCount][]versioned.Record // of the other ledgers, which consist of them
}

// NewLoader returns a Loader without records.
func NewLoader() *Loader { return &Loader{placement: placement.NewLoader()} }

// Add adds a record. The error names it.
func (l *Loader) Add(r versioned.Record) error {
	if r == nil {
		return &placement.InvalidError{Field: "records", Why: "one of them is nil"}
	}
	ledger := ledgerOf[r.RecordKind()]
	if ledger == ofPlacement {
		return l.placement.Add(r)
	}
	l.rows[ledger] = append(l.rows[ledger], r)
	return nil
}

// Snapshot returns the cloud of the given revision that consists of the records. The error
// names the one that does not fit.
func (l *Loader) Snapshot(rev Revision, at time.Time) (*Snapshot, error) {
	p, err := l.placement.Snapshot()
	if err != nil {
		return nil, err
	}
	return load(rev, at, p, l.rows)
}
