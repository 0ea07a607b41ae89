package kinds

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/filter"
)

// Type is the type of a field. It decides how columns are aligned and coloured.
type Type uint8

// The types.
const (
	Text  Type = iota
	ID         // a uuid
	Count      // a whole number, of things or of a Unit
	Ratio      // a number with a fraction
	Bool
	Time
	Words // several texts
	Owner // nova, cyborg, both or none
)

// Number reports whether values of the type are aligned to the right.
func (t Type) Number() bool { return t == Count || t == Ratio }

// Value is what a field of a row holds. The zero value is nothing. It is read by
// tables, CSV, JSON, filters and orders alike.
type Value struct {
	kind  valueKind
	unit  filter.Unit
	nanos int32 // of a time
	n     int64 // a number, the bits of a ratio, 1 for true, the seconds of a time
	text  string
	words []string
}

type valueKind uint8

const (
	nothing valueKind = iota
	isText
	isCount
	isRatio
	isBool
	isTime
	isWords
	isPercent // below 0 if it is not a share
)

func textValue(s string) Value                { return Value{kind: isText, text: s} }
func countValue(n int64, u filter.Unit) Value { return Value{kind: isCount, n: n, unit: u} }
func ratioValue(f float64) Value              { return Value{kind: isRatio, n: int64(math.Float64bits(f))} } // bits
func wordsValue(words []string) Value         { return Value{kind: isWords, words: words} }
func (v Value) ratio() float64                { return math.Float64frombits(uint64(v.n)) } // bits
func (v Value) time() time.Time               { return time.Unix(v.n, int64(v.nanos)).UTC() }
func optional(s *string) (v Value)            { return given(s, textValue) }
func given[T any](p *T, of func(T) Value) Value { // nothing for nil
	if p == nil {
		return Value{}
	}
	return of(*p)
}

// percentValue returns used in percent of a capacity, rounded down so that 100 % means
// full.
func percentValue(used, capacity int64) Value {
	n := int64(-1)
	switch {
	case capacity > 0:
		n = int64(float64(used) / float64(capacity) * 100)
	case used > 0:
		n = 100
	}
	return Value{kind: isPercent, n: n}
}

// Percent returns used as a share of a capacity, as in tables: "93%", or "-" if there
// is no capacity.
func Percent(used, capacity int64) string { return percentValue(used, capacity).String() }

func boolValue(b bool) Value {
	v := Value{kind: isBool}
	if b {
		v.n = 1
	}
	return v
}

// timeValue returns a time; nothing for the zero time.
func timeValue(t time.Time) Value {
	if t.IsZero() {
		return Value{}
	}
	return Value{kind: isTime, n: t.Unix(), nanos: int32(t.Nanosecond())} // below 1e9
}

// momentValue returns the time that a record has as milliseconds since 1970, nothing
// for 0.
func momentValue(ms int64) Value {
	if ms == 0 {
		return Value{}
	}
	return timeValue(time.UnixMilli(ms))
}

// Kept returns v with its own words, to be kept after the value of the next row is read:
// it may have its words in the same place.
func (v Value) Kept() Value {
	v.words = slices.Clone(v.words)
	return v
}

// None reports whether there is nothing.
func (v Value) None() bool { return v.kind == nothing }

// Empty reports whether v is nothing, or a text or a list without anything in it.
func (v Value) Empty() bool {
	return v.kind == nothing || v.kind == isText && v.text == "" || v.kind == isWords && len(v.words) == 0
}

// Int returns a whole number, 0 if v is none.
func (v Value) Int() int64 {
	if v.kind != isCount {
		return 0
	}
	return v.n
}

// Amount returns a whole number and what it counts, false if v is none.
func (v Value) Amount() (int64, filter.Unit, bool) { return v.n, v.unit, v.kind == isCount }

// Time returns a time, the zero one where v is none.
func (v Value) Time() time.Time {
	if v.kind != isTime {
		return time.Time{}
	}
	return v.time()
}

// String returns v as CSV has it and, mostly, tables.
func (v Value) String() string {
	switch v.kind {
	case isText:
		return v.text
	case isCount:
		return strconv.FormatInt(v.n, 10)
	case isRatio:
		return strconv.FormatFloat(v.ratio(), 'f', -1, 64)
	case isBool:
		return strconv.FormatBool(v.n != 0)
	case isTime:
		return v.time().Format(time.RFC3339)
	case isWords:
		return strings.Join(v.words, ",")
	case isPercent:
		if v.n < 0 {
			return "-"
		}
		return strconv.FormatInt(v.n, 10) + "%"
	default:
		return ""
	}
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case isText:
		return marshal(v.text)
	case isRatio:
		return json.Marshal(v.ratio())
	case isTime:
		return json.Marshal(v.time())
	case isWords:
		if v.words == nil {
			return []byte("[]"), nil
		}
		return marshal(v.words)
	case isCount, isBool:
		return []byte(v.String()), nil
	case isPercent:
		if v.n < 0 {
			return []byte("null"), nil
		}
		return strconv.AppendInt(nil, v.n, 10), nil
	default:
		return []byte("null"), nil
	}
}

// Compare returns how v compares to w: below zero if it comes first. What is nothing
// comes last.
func (v Value) Compare(w Value) int {
	if v.None() || w.None() {
		return -cmp.Compare(v.kind, w.kind)
	}
	a, x := v.Key()
	b, y := w.Key()
	return cmp.Or(cmp.Compare(a, b), strings.Compare(x, y), slices.Compare(v.words, w.words))
}

// Key returns what v is compared by: the number first, then the text.
func (v Value) Key() (float64, string) {
	switch v.kind {
	case isText:
		return 0, v.text
	case isRatio:
		return v.ratio(), ""
	case isTime:
		return float64(v.n) + float64(v.nanos)/1e9, ""
	case isWords:
		return 0, strings.Join(v.words, " ")
	default:
		return float64(v.n), ""
	}
}

// filter returns v as filters compare it: a time as the seconds from it to now.
func (v Value) filter(now time.Time) filter.Value {
	switch v.kind {
	case isCount:
		return filter.Number(float64(v.n), v.unit)
	case isRatio:
		return filter.Number(v.ratio(), filter.Count)
	case isPercent:
		if v.n < 0 {
			return filter.Value{}
		}
		return filter.Number(float64(v.n), filter.Count)
	case isTime:
		return filter.Number(now.Sub(v.time()).Seconds(), filter.Seconds)
	case isWords:
		return filter.List(v.words...)
	default:
		return filter.Text(v.String())
	}
}
