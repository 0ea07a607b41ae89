package operator

import (
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/placement"
)

// Change is what to write: operations that are applied in order, all or none.
type Change = intent.Change

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

// Acknowledge marks a finding as known; it replaces an acknowledgement that is there
// already. No API has it.
//
// Errors: placement.ErrInvalid.
type Acknowledge struct {
	verb
	Acknowledgement Acknowledgement
}

// Unacknowledge removes an acknowledgement, also one that has ended. No API has it.
//
// Errors: placement.ErrNotFound.
type Unacknowledge struct {
	verb
	Rule, Subject string
	Name          string // of the subject, as people know it
}

// MuteRule silences everything that a rule finds; it replaces a mute that is there
// already. No API has it.
//
// Errors: placement.ErrInvalid.
type MuteRule struct {
	verb
	Mute Mute
}

// UnmuteRule lets a rule report its findings again. No API has it.
//
// Errors: placement.ErrNotFound if it is not muted.
type UnmuteRule struct {
	verb
	Rule string
}

func (op Acknowledge) String() string { return "acknowledge " + op.Acknowledgement.RecordName() }

func (op Unacknowledge) String() string {
	return "withdraw the acknowledgement of " + op.Rule + " of " + op.Name
}

func (op MuteRule) String() string   { return "mute " + op.Mute.Rule }
func (op UnmuteRule) String() string { return "hear " + op.Rule + " again" }

func (op Acknowledge) apply(e edit) error { return e.Put(&op.Acknowledgement) }

func (op Unacknowledge) apply(e edit) error {
	a, ok := e.Now.Acknowledgement(op.Rule, op.Subject)
	if !ok {
		return placement.NotFound("acknowledgement", op.Rule+" "+op.Name)
	}
	return e.Delete(a)
}

func (op MuteRule) apply(e edit) error { return e.Put(&op.Mute) }

func (op UnmuteRule) apply(e edit) error {
	m, ok := e.Now.Mute(op.Rule)
	if !ok {
		return placement.NotFound("mute of the rule", op.Rule)
	}
	return e.Delete(m)
}
