package cyborg

import (
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ledger"
)

// Change is what to write: operations that are applied in order, all or none.
type Change = intent.Change

// Op is one operation of a Change: one of the types of this package that embed verb, or
// PutRecords. What a verb sets without being told, such as when something was created,
// it takes from the time of the Change.
type Op = intent.Op

// PutRecords sets whole rows, each guarded by the row that it replaces.
type PutRecords = intent.PutRecords

// verb makes an Op of what embeds it.
type verb struct{ intent.Verb }

// edit is the ledger that a verb changes.
type edit = ledger.Draft[*Snapshot]

// applier is implemented by each verb of this package.
type applier interface{ apply(e edit) error }

// Owns reports whether op is a verb of this package.
func Owns(op intent.Op) bool {
	_, is := op.(applier)
	return is
}
