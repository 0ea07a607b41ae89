package operator

import (
	"cmp"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// KindAcknowledgement is the kind of Acknowledgement.
const KindAcknowledgement versioned.Kind = "acknowledgement"

// Acknowledgement says that an operator knows of one finding, which is to be quiet
// until a given time, or until it gets worse.
type Acknowledgement struct {
	Rule    string `json:"rule" cbor:"1,keyasint"`    // id, such as "a02"
	Subject string `json:"subject" cbor:"2,keyasint"` // what the rule found it about, as audit.Finding.Key has it
	Note    string `json:"note" cbor:"3,keyasint"`
	By      string `json:"by" cbor:"4,keyasint"`
	At      int64  `json:"at_ms" cbor:"5,keyasint"`
	Until   int64  `json:"until_ms,omitempty" cbor:"6,keyasint,omitempty"` // 0 for as long as the finding exists

	// What it was when it was acknowledged.
	Name     string `json:"name,omitempty" cbor:"7,keyasint,omitempty"`     // of the subject
	Severity string `json:"severity,omitempty" cbor:"8,keyasint,omitempty"` // "critical"
	Size     int64  `json:"size,omitempty" cbor:"9,keyasint,omitempty"`     // as audit.Finding.Size has it
	Text     string `json:"text,omitempty" cbor:"10,keyasint,omitempty"`
}

// AtTime returns when a was written.
func (a *Acknowledgement) AtTime() time.Time { return versioned.Time(a.At) }

// UntilTime returns when a ends; the zero time if it has no end.
func (a *Acknowledgement) UntilTime() time.Time { return versioned.Time(a.Until) }

// Expired reports whether a has ended at now.
func (a *Acknowledgement) Expired(now time.Time) bool { return expired(a.Until, now) }

// acknowledgementKey is the key of an acknowledgement: a finding has at most one.
func acknowledgementKey(rule, subject string) string { return rule + "\x00" + subject }

// RecordKind implements versioned.Record.
func (*Acknowledgement) RecordKind() versioned.Kind { return KindAcknowledgement }

// RecordKey implements versioned.Record.
func (a *Acknowledgement) RecordKey() []byte { return []byte(acknowledgementKey(a.Rule, a.Subject)) }

// RecordName implements versioned.Named.
func (a *Acknowledgement) RecordName() string { return a.Rule + " " + cmp.Or(a.Name, a.Subject) }

// Validate implements ledger.Row: an acknowledgement names rule, subject, note and
// operator, and ends, if at all, after it was written.
func (a *Acknowledgement) Validate() error {
	for _, f := range []struct{ name, value string }{{"rule", a.Rule}, {"subject", a.Subject}, {"note", a.Note}, {"operator", a.By}} {
		if err := needs("acknowledgement", f.name, f.value); err != nil {
			return err
		}
	}
	return term("acknowledgement", a.At, a.Until)
}

// expired reports whether a term that ends at the given time has ended at now.
func expired(until int64, now time.Time) bool { return until != 0 && now.UnixMilli() >= until }

// needs refuses a text that is empty, or would make a key ambiguous.
func needs(what, field, value string) error {
	switch {
	case value == "":
		return placement.Invalid(field+" of the "+what, value, "must not be empty")
	case hasZero(value):
		return placement.Invalid(field+" of the "+what, value, "must not contain a zero byte")
	}
	return nil
}

func hasZero(s string) bool {
	for i := range len(s) {
		if s[i] == 0 {
			return true
		}
	}
	return false
}

// term refuses a record that ends before it begins.
func term(what string, at, until int64) error {
	if until != 0 && until <= at {
		return placement.Invalid(
			"end of the "+what, versioned.Time(until).Format(time.RFC3339), "must be after it was written, "+versioned.Time(at).Format(time.RFC3339))
	}
	return nil
}
