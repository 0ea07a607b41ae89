package operator

import (
	"iter"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/versioned"
)

// Snapshot is everything that operators wrote down, as an immutable value.
type Snapshot struct {
	rows
}

// rows are the records of the ledger, which other packages see only through Held and
// Records.
type rows = *ledger.Ledger

// layout describes the records of the ledger.
//
//nolint:gochecknoglobals // a table that nothing writes
var layout = ledger.NewLayout("the operators",
	ledger.First[Acknowledgement](KindAcknowledgement, since, "acknowledged findings"),
	ledger.First[Mute](KindMute, since, "muted rules"),
	ledger.First[JournalLimits](KindJournalLimits, "2026-11-29", "how much of the journal is kept"),
)

// since is the date of the kinds' first version.
const since = "2026-11-21"

// Schemas returns how the records are written and read.
func Schemas() []versioned.Schema { return layout.Schemas() }

// Empty returns a ledger without records.
func Empty() *Snapshot { return &Snapshot{rows: layout.Empty()} }

// Load returns the ledger that consists of records, by the rules of ledger.Rules.
func Load(records []versioned.Record) (*Snapshot, error) { return rules().Load(records) }

// Apply returns the Snapshot after c and the records that it changes, sorted by
// kind and key. A change that alters nothing returns s itself. Errors match
// placement.ErrConflict if a record is not as c found it, or
// placement.ErrInvalid.
func (s *Snapshot) Apply(c Change) (*Snapshot, []versioned.Change, error) {
	return rules().Apply(s, s.rows, c)
}

// Back returns the Snapshot before the given changes, which led to s. Their records
// must have been reversed already. Errors: those of PutRecords.
func (s *Snapshot) Back(turned []versioned.Change) (*Snapshot, error) {
	return rules().Back(s.rows, turned)
}

func rules() ledger.Rules[*Snapshot] {
	return ledger.Rules[*Snapshot]{Layout: layout, Wrap: func(rows *ledger.Ledger) *Snapshot { return &Snapshot{rows: rows} }, Do: ledger.Verbs(applier.apply)}
}

// Acknowledgements yields the acknowledgements by rule and subject, those that
// have ended too.
func (s *Snapshot) Acknowledgements() iter.Seq[*Acknowledgement] {
	return ledger.All[*Acknowledgement](s.rows, KindAcknowledgement)
}

// Acknowledgement returns the acknowledgement of the finding of a rule about a
// subject. It must not be changed.
func (s *Snapshot) Acknowledgement(rule, subject string) (*Acknowledgement, bool) {
	return ledger.Get[*Acknowledgement](s.rows, KindAcknowledgement, acknowledgementKey(rule, subject))
}

// Mutes yields the mutes by rule, those that have ended too.
func (s *Snapshot) Mutes() iter.Seq[*Mute] { return ledger.All[*Mute](s.rows, KindMute) }

// Mute returns the mute of a rule. It must not be changed.
func (s *Snapshot) Mute(rule string) (*Mute, bool) {
	return ledger.Get[*Mute](s.rows, KindMute, rule)
}

// ownLimits returns the limits of the journal as operators set them.
func (s *Snapshot) ownLimits() *JournalLimits {
	if l, ok := ledger.Get[*JournalLimits](s.rows, KindJournalLimits, string((*JournalLimits)(nil).RecordKey())); ok {
		return l
	}
	return &JournalLimits{}
}
