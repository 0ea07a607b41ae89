package cloud

import (
	"iter"
	"slices"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The indexes of the ledgers in the table: records only refer to records of earlier
// ledgers.
const (
	ofPlacement = iota // also gets unknown kinds, which it refuses
	ofNova
	ofCyborg
	ofOperator
	ledgerCount
)

// ledgers are the parts of a cloud. To add one, add a row here, its index above, and the
// method of Snapshot that returns it.
//
//nolint:gochecknoglobals // a table that nothing writes
var ledgers = [ledgerCount]ledger{
	ofPlacement: row(placement.Owns, placement.Schemas(), placement.Empty, placement.Load),
	ofNova:      row(nova.Owns, nova.Schemas(), nova.Empty, nova.Load),
	ofCyborg:    row(cyborg.Owns, cyborg.Schemas(), cyborg.Empty, cyborg.Load),
	ofOperator:  row(operator.Owns, operator.Schemas(), operator.Empty, operator.Load),
}

// ledger is a row of the table.
type ledger struct {
	owns    func(op intent.Op) bool
	schemas []versioned.Schema
	empty   func() part
	load    func([]versioned.Record) (part, error)
	apply   func(part, intent.Change) (part, []versioned.Change, error)
	back    func(p part, turned []versioned.Change) (part, error)
	records func(part) iter.Seq[versioned.Record]
}

// parts are the Snapshots of the ledgers, in the order of the table.
type parts [ledgerCount]part

// part is the Snapshot of a ledger, whatever its type.
type part intent.Holder

// snapshot is what the Snapshot of a ledger's package must implement.
type snapshot[S any] interface {
	Apply(c intent.Change) (S, []versioned.Change, error)
	Back(turned []versioned.Change) (S, error)
	Records() iter.Seq[versioned.Record]
	intent.Holder
}

func row[S snapshot[S]](owns func(intent.Op) bool, schemas []versioned.Schema, empty func() S, load func([]versioned.Record) (S, error)) ledger {
	return ledger{
		owns: owns, schemas: schemas,
		empty:   func() part { return empty() },
		load:    func(records []versioned.Record) (part, error) { return load(records) },
		apply:   func(p part, c intent.Change) (part, []versioned.Change, error) { return p.(S).Apply(c) },
		back:    func(p part, turned []versioned.Change) (part, error) { return p.(S).Back(turned) },
		records: func(p part) iter.Seq[versioned.Record] { return p.(S).Records() },
	}
}

// ledgerOf returns the index of the ledger that keeps records of a kind.
func ledgerOf(kind versioned.Kind) int {
	return max(ofPlacement, slices.IndexFunc(ledgers[:], func(l ledger) bool {
		return slices.ContainsFunc(l.schemas, func(s versioned.Schema) bool { return s.Kind == kind })
	}))
}

// split returns the operations on each ledger.
func split(ops []Op) (out [ledgerCount][]Op, err error) {
	for n, op := range ops {
		if op == nil {
			return out, &placement.InvalidError{Field: "change", Why: "contains a nil operation"}
		}
		put, ok := op.(intent.PutRecords)
		if ok {
			for i, records := range splitRecords(put.Records) {
				if len(records) > 0 {
					out[i] = append(out[i], intent.PutRecords{Records: records})
				}
			}
			continue
		}
		i := slices.IndexFunc(ledgers[:], func(l ledger) bool { return l.owns(op) })
		if i < 0 {
			return out, &placement.InvalidError{Field: "change", Value: op.String(), Why: "is not an operation of a ledger"}
		}
		if out[i] == nil {
			out[i] = make([]Op, 0, len(ops)-n)
		}
		out[i] = append(out[i], op)
	}
	return out, nil
}

// splitRecords returns the records of each ledger.
func splitRecords(records []versioned.Change) (out [ledgerCount][]versioned.Change) {
	at := map[versioned.Kind]int{}
	for _, r := range records {
		i := ofPlacement
		if r.Before != nil || r.After != nil {
			place, known := at[r.Kind()]
			if !known {
				place = ledgerOf(r.Kind())
				at[r.Kind()] = place
			}
			i = place
		}
		out[i] = append(out[i], r)
	}
	return out
}
