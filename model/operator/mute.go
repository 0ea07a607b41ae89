package operator

import (
	"time"

	"github.com/placetop/placetop/model/versioned"
)

// KindMute is the kind of Mute.
const KindMute versioned.Kind = "mute"

// Mute says that the findings of one rule are not to be reported.
type Mute struct {
	Rule  string `json:"rule" cbor:"1,keyasint"` // id, such as "u01"
	Note  string `json:"note,omitempty" cbor:"2,keyasint,omitempty"`
	By    string `json:"by" cbor:"3,keyasint"`
	At    int64  `json:"at_ms" cbor:"4,keyasint"`
	Until int64  `json:"until_ms,omitempty" cbor:"5,keyasint,omitempty"` // 0 until an operator unmutes the rule
}

// AtTime returns when m was written.
func (m *Mute) AtTime() time.Time { return versioned.Time(m.At) }

// UntilTime returns when m ends; the zero time if it has no end.
func (m *Mute) UntilTime() time.Time { return versioned.Time(m.Until) }

// Expired reports whether m has ended at now.
func (m *Mute) Expired(now time.Time) bool { return expired(m.Until, now) }

// RecordKind implements versioned.Record.
func (*Mute) RecordKind() versioned.Kind { return KindMute }

// RecordKey implements versioned.Record.
func (m *Mute) RecordKey() []byte { return []byte(m.Rule) }

// Validate implements ledger.Row: a mute names rule and operator, and ends, if at all,
// after it was written.
func (m *Mute) Validate() error {
	if err := needs("mute", "rule", m.Rule); err != nil {
		return err
	}
	if err := needs("mute", "operator", m.By); err != nil {
		return err
	}
	return term("mute", m.At, m.Until)
}
