package versioned

import (
	"fmt"
	"math"
	"time"
)

// Bounded is implemented by records with numbers or times that fit an int64 but may be
// too large for what is done with them.
type Bounded interface {
	Record
	// Bounds names each of them to b, by its name in JSON. Numbers that the record's
	// own rules keep within bounds need not be named.
	Bounds(b *Bounds)
}

// Limits of numbers that no other rule limits.
const (
	// MaxCounter is where counters end: every reader of JSON takes it exactly. An
	// import accepts what may be written here and nothing else, so that a cloud whose
	// counters have reached their end can still be exported and imported.
	MaxCounter = 1<<53 - 1
	// MaxID is the largest number of a custom class or trait.
	MaxID = 1 << 30
	// MaxWait is the longest time to wait: a hundred years.
	MaxWait = 100 * 365 * 24 * time.Hour
)

// The times that RFC 3339 can express: the years 0 to 9999, in Unix milliseconds.
const (
	firstMilli = -62_167_219_200_000
	lastMilli  = 253_402_300_799_999
)

// Bounds keeps the first number of a record that is out of bounds.
type Bounds struct{ err *BoundsError }

// BoundsError reports a number that is out of bounds.
type BoundsError struct {
	Field string // as in JSON
	Value string
	Why   string
	// Counter says that the number is a counter: it must not grow further even if it
	// was out of bounds before.
	Counter bool
}

func (e *BoundsError) Error() string { return fmt.Sprintf("%s %s: %s", e.Field, e.Value, e.Why) }

// CheckBounds returns an error unless every number and time of r can be kept, shown
// and read again. The error is nil for a record that is not Bounded.
func CheckBounds(r Record) *BoundsError {
	b, ok := r.(Bounded)
	if !ok {
		return nil
	}
	var bounds Bounds
	b.Bounds(&bounds)
	return bounds.err
}

func (b *Bounds) refuse(field string, value any, why string) {
	if b.err == nil {
		b.err = &BoundsError{Field: field, Value: fmt.Sprint(value), Why: why}
	}
}

// Time names a time in Unix milliseconds, 0 for none: of the years 0 to 9999, as JSON
// has no way to write another.
func (b *Bounds) Time(field string, ms int64) {
	if ms < firstMilli || ms > lastMilli {
		b.refuse(field, ms, "must be a time between the years 0 and 9999, in milliseconds since 1970")
	}
}

// Wait names a time to wait, in milliseconds.
func (b *Bounds) Wait(field string, ms int64) {
	if ms < 0 || ms > MaxWait.Milliseconds() {
		b.refuse(field, ms, fmt.Sprintf("must be from 0 to %d milliseconds (a hundred years)", MaxWait.Milliseconds()))
	}
}

// Counter names a number that grows by one at a time: a generation, a count of reports.
func (b *Bounds) Counter(field string, n int64) {
	if b.err == nil && (n < 0 || n > MaxCounter) {
		b.refuse(field, n, fmt.Sprintf("must be from 0 to %d: the counter has reached its end", int64(MaxCounter)))
		b.err.Counter = true
	}
}

// ID names the number of a custom class or trait; later ones get higher numbers.
func (b *Bounds) ID(field string, n int32) {
	if n > MaxID {
		b.refuse(field, n, fmt.Sprintf("must be at most %d", MaxID))
	}
}

// Int32 names a number that upstream keeps in a column of 32 bits, such as an amount:
// very many of them can be added up.
func (b *Bounds) Int32(field string, n int64) {
	if n != int64(int32(n)) {
		b.refuse(field, n, fmt.Sprintf("must be from %d to %d", math.MinInt32, math.MaxInt32))
	}
}

// Ratio names a number that need not be whole.
func (b *Bounds) Ratio(field string, f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		b.refuse(field, f, "must be a number")
	}
}
