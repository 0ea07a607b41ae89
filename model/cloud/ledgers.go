package cloud

import (
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The ledgers of a cloud, in the order of Schemas.
const (
	ofPlacement = iota // also gets unknown kinds, which it refuses
	ofNova
	ofCyborg
	ofOperator
	ledgerCount
)

// ledgerOf says which ledger keeps records of a kind.
//
//nolint:gochecknoglobals // a table that nothing writes
var ledgerOf = func() map[versioned.Kind]int {
	out := map[versioned.Kind]int{}
	for ledger, schemas := range [ledgerCount][]versioned.Schema{placement.Schemas(), nova.Schemas(), cyborg.Schemas(), operator.Schemas()} {
		for _, s := range schemas {
			out[s.Kind] = ledger
		}
	}
	return out
}()

// split returns the operations on each ledger.
func split(ops []Op) (out [ledgerCount][]Op, err error) {
	for _, op := range ops {
		switch {
		case op == nil:
			return out, &placement.InvalidError{Field: "change", Why: "contains a nil operation"}
		case placement.Owns(op):
			out[ofPlacement] = append(out[ofPlacement], op)
		case nova.Owns(op):
			out[ofNova] = append(out[ofNova], op)
		case cyborg.Owns(op):
			out[ofCyborg] = append(out[ofCyborg], op)
		case operator.Owns(op):
			out[ofOperator] = append(out[ofOperator], op)
		default:
			put, ok := op.(intent.PutRecords)
			if !ok {
				return out, placement.Invalid("change", op.String(), "is not an operation of a ledger")
			}
			for ledger, records := range splitRecords(put.Records) {
				if len(records) > 0 {
					out[ledger] = append(out[ledger], intent.PutRecords{Records: records})
				}
			}
		}
	}
	return out, nil
}

// splitRecords returns the records of each ledger.
func splitRecords(records []versioned.Change) (out [ledgerCount][]versioned.Change) {
	for _, r := range records {
		ledger := ofPlacement // which refuses a change without records
		if r.Before != nil || r.After != nil {
			ledger = ledgerOf[r.Kind()]
		}
		out[ledger] = append(out[ledger], r)
	}
	return out
}

// apply carries out operations on a ledger, and adds what they change to changed.
func apply[S interface {
	Apply(c intent.Change) (S, []versioned.Change, error)
}](ledger *S, at time.Time, ops []Op, changed *[]versioned.Change) error {
	if len(ops) == 0 {
		return nil
	}
	next, done, err := (*ledger).Apply(intent.Change{At: at, Ops: ops})
	*ledger, *changed = next, append(*changed, done...)
	return err
}

// back carries out changes on a ledger without asking whether a writer may.
func back[S interface {
	Back(turned []versioned.Change) (S, error)
}](ledger *S, changes []versioned.Change) error {
	if len(changes) == 0 {
		return nil
	}
	next, err := (*ledger).Back(versioned.Net(changes))
	*ledger = next
	return err
}
