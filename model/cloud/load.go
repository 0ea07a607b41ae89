package cloud

import (
	"iter"
	"slices"
	"time"

	"github.com/placetop/placetop/model/versioned"
)

// Load returns the cloud of the given revision that consists of records. The
// Snapshot keeps records themselves, which must not be changed. Errors
// name the record that does not fit.
func Load(rev Revision, at time.Time, records iter.Seq2[versioned.Record, error]) (*Snapshot, error) {
	var l Loading
	places := map[versioned.Kind]int{}
	for i, row := range ledgers {
		for _, s := range row.schemas {
			places[s.Kind] = i
		}
	}
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		part := ofPlacement
		if r != nil {
			part = places[r.RecordKind()]
		}
		l.records[part] = append(l.records[part], r)
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
	records [ledgerCount][]versioned.Record
	parts   parts
}

// Add adds records of one kind, in any number of pieces.
func (l *Loading) Add(kind versioned.Kind, pieces ...[]versioned.Record) {
	part := &l.records[ledgerOf(kind)]
	n := 0
	for _, p := range pieces {
		n += len(p)
	}
	*part = slices.Grow(*part, n)
	for _, p := range pieces {
		*part = append(*part, p...)
	}
}

// Ledgers returns what remains to be done once all records are there: a function for
// each ledger. They may run at the same time. Each frees its records, and its error
// names the record that does not fit.
func (l *Loading) Ledgers() []func() error {
	var out []func() error
	for i, row := range ledgers {
		out = append(out, func() (err error) {
			l.parts[i], err = row.load(l.records[i])
			l.records[i] = nil
			return err
		})
	}
	return out
}

// Snapshot returns the cloud of the given revision, once every function of Ledgers
// has ended without an error.
func (l *Loading) Snapshot(rev Revision, at time.Time) *Snapshot {
	return &Snapshot{revision: rev, at: at, parts: l.parts}
}
