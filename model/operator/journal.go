package operator

import (
	"fmt"
	"strconv"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// KindJournalLimits is the kind of JournalLimits.
const KindJournalLimits versioned.Kind = "journal_limits"

// What a journal keeps unless operators say otherwise.
const (
	DefaultJournalRevisions = 50_000
	DefaultJournalDays      = 90
)

// JournalLimits says how much of its journal a cloud keeps. What exceeds one of the two
// limits is dropped, oldest first; the newest revision is always kept.
type JournalLimits struct {
	Revisions int64 `json:"revisions,omitempty" cbor:"1,keyasint,omitempty"` // 0 for DefaultJournalRevisions
	Days      int64 `json:"days,omitempty" cbor:"2,keyasint,omitempty"`      // that a revision is kept; 0 for DefaultJournalDays
}

// mostDays is more than anybody has had a cloud.
const mostDays = 100 * 365

// Age returns for how long a revision is kept.
func (l *JournalLimits) Age() time.Duration { return time.Duration(l.Days) * 24 * time.Hour }

// RecordKind implements versioned.Record.
func (*JournalLimits) RecordKind() versioned.Kind { return KindJournalLimits }

// RecordKey implements versioned.Record.
func (*JournalLimits) RecordKey() []byte { return []byte("journal") }

// RecordName implements versioned.Named.
func (*JournalLimits) RecordName() string { return "of the cloud" }

// Bounds implements versioned.Bounded.
func (l *JournalLimits) Bounds(b *versioned.Bounds) {
	b.Int32("revisions", l.Revisions)
	b.Int32("days", l.Days)
}

// Validate implements ledger.Row: no limit is below 0, and no age above a hundred years.
func (l *JournalLimits) Validate() error {
	switch {
	case l.Revisions < 0:
		return placement.Invalid("revisions of the journal", strconv.FormatInt(l.Revisions, 10), "must not be negative")
	case l.Days < 0 || l.Days > mostDays:
		return placement.Invalid("days of the journal", strconv.FormatInt(l.Days, 10), fmt.Sprintf("must be from 0 to %d", mostDays))
	}
	return nil
}

// JournalLimits returns how much of the journal is kept, with defaults filled in.
func (s *Snapshot) JournalLimits() *JournalLimits {
	l := *s.ownLimits()
	if l.Revisions == 0 {
		l.Revisions = DefaultJournalRevisions
	}
	if l.Days == 0 {
		l.Days = DefaultJournalDays
	}
	return &l
}

// LimitJournal changes how much of the journal is kept. The next write drops what exceeds
// it. No API has it.
//
// Errors: placement.ErrInvalid.
type LimitJournal struct {
	verb
	Revisions *int64 // nil for as it is, 0 for the default
	Days      *int64 // likewise
}

func (LimitJournal) String() string { return "set the limits of the journal" }

func (op LimitJournal) apply(e edit) error {
	l := *e.Now.ownLimits()
	if op.Revisions != nil {
		l.Revisions = *op.Revisions
	}
	if op.Days != nil {
		l.Days = *op.Days
	}
	return e.Put(&l)
}
