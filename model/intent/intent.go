// Package intent says what every change of a cloud is made of: Ops, each the verb of one
// ledger, and PutRecords, which sets whole records if there is no verb.
//
// An Op says what is wanted and which generation it expects, never what a record was
// before: an API call or an RPC can carry it, and the ledger decides on its own state.
// What the Op altered comes back as records before and after.
package intent

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/versioned"
)

// Op is one operation of a Change: a verb that one of the ledgers knows, or PutRecords.
// Only types that embed Verb are Ops.
type Op interface {
	// String says what the operation does, for previews and the journal.
	fmt.Stringer
	sealed()
}

// Verb makes the type that embeds it an Op, together with its own String.
type Verb struct{}

func (Verb) sealed() {}

// Change is what to write to one ledger: operations that are applied in order, all or
// none.
type Change struct {
	At  time.Time // when, for created and updated times; the zero time leaves them unknown
	Ops []Op
}

// Empty reports whether c has nothing to do.
func (c Change) Empty() bool { return len(c.Ops) == 0 }

// PutRecords sets whole records, each guarded by the record that it replaces: an import,
// the replay of a journal and the undo of a change are all this operation. The rules of a
// ledger's shape hold; those about single writes do not. No API has it.
//
// Errors: placement.ErrConflict if a record is not as Before says;
// placement.ErrInvalid if the outcome would break a ledger's shape.
type PutRecords struct {
	Verb
	Records []versioned.Change
}

func (op PutRecords) String() string { return "put " + words.Count(len(op.Records), "record") }

// Empty reports whether op sets nothing.
func (op PutRecords) Empty() bool { return len(op.Records) == 0 }

// Holder is who holds records: a ledger, or a whole cloud.
type Holder interface {
	// Held returns the record under the kind and key of r, or nil if there is none.
	Held(r versioned.Record) versioned.Record
}

// Of returns the last that op does to the record under the key of r.
func (op PutRecords) Of(r versioned.Record) (versioned.Change, bool) {
	for _, c := range slices.Backward(op.Records) {
		if c.Kind() == r.RecordKind() && string(c.Key()) == string(r.RecordKey()) {
			return c, true
		}
	}
	return versioned.Change{}, false
}
