package cloud

import (
	"iter"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Load returns the cloud of the given revision that consists of records, which may come in
// any order. The Snapshot keeps records themselves, which must not be changed. Errors
// name the record that does not fit.
func Load(rev Revision, at time.Time, records iter.Seq2[versioned.Record, error]) (*Snapshot, error) {
	var of [ledgerCount][]versioned.Record
	places := map[versioned.Kind]int{}
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		n := ofPlacement // which refuses a record that is nil
		if r != nil {
			place, ok := places[r.RecordKind()]
			if !ok {
				place = ledgerOf(r.RecordKind())
				places[r.RecordKind()] = place
			}
			n = place
		}
		of[n] = append(of[n], r)
	}
	s := &Snapshot{revision: rev, at: at}
	for i, l := range ledgers {
		var err error
		if s.parts[i], err = l.load(of[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
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
	n := ledgerOf(r.RecordKind())
	if n == ofPlacement {
		return l.placement.Add(r)
	}
	l.rows[n] = append(l.rows[n], r)
	return nil
}

// Snapshot returns the cloud of the given revision that consists of the records. The error
// names the one that does not fit.
func (l *Loader) Snapshot(rev Revision, at time.Time) (*Snapshot, error) {
	s := &Snapshot{revision: rev, at: at}
	p, err := l.placement.Snapshot()
	if err != nil {
		return nil, err
	}
	s.parts[ofPlacement] = p
	for i := ofPlacement + 1; i < ledgerCount; i++ {
		if s.parts[i], err = ledgers[i].load(l.rows[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}
