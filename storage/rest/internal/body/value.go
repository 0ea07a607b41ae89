// Package body reads JSON and says what is wrong with it in the words of Python's json
// and jsonschema modules, which clients of Placement see in its answers: 'total' is a
// required property, 0 is less than the minimum of 1.
//
// A Value keeps what those messages need: the order of members, whether a number was
// written as an integer, and numbers of any size. A Schema knows only the keywords that
// Placement's schemas use.
package body

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a Value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Int   // a number without fraction and exponent
	Float // any other number
	String
	Array
	Object
)

// Value is a value of JSON. The zero Value is null.
type Value struct {
	Kind    Kind
	Bool    bool
	Int     int64    // of an Int that fits
	Big     *big.Int // of an Int that does not; else nil
	Float   float64
	Str     string
	Items   []Value
	Members []Member // in their order; each key once
}

// Member is a member of an object.
type Member struct {
	Key   string
	Value Value
}

// Text returns a String.
func Text(s string) Value { return Value{Kind: String, Str: s} }

// Get returns the value of the member with a key, and false if there is none.
func (v Value) Get(key string) (Value, bool) {
	if m := v.member(key); m != nil {
		return m.Value, true
	}
	return Value{}, false
}

func (v *Value) member(key string) *Member {
	for i := range v.Members {
		if v.Members[i].Key == key {
			return &v.Members[i]
		}
	}
	return nil
}

// isWhole reports whether v is a whole number, in any notation.
func (v *Value) isWhole() bool {
	return v.Kind == Int || v.Kind == Float && v.Float == math.Trunc(v.Float) && !math.IsInf(v.Float, 0)
}

// Whole returns a whole number, and false where v is not one or is beyond 64 bits.
func (v Value) Whole() (int64, bool) {
	switch {
	case v.Kind == Int && v.Big == nil:
		return v.Int, true
	case v.Kind == Float && v.isWhole() && math.Abs(v.Float) < 1<<62:
		return int64(v.Float), true
	}
	return 0, false
}

// Number returns a number as a float, and false where v is not a number.
func (v Value) Number() (float64, bool) {
	switch {
	case v.Kind == Float:
		return v.Float, true
	case v.Kind == Int && v.Big != nil:
		f, _ := new(big.Float).SetInt(v.Big).Float64()
		return f, true
	case v.Kind == Int:
		return float64(v.Int), true
	}
	return 0, false
}

// appendKey appends a text that is the same for two values if and only if they are equal
// to jsonschema, for which 1 equals 1.0 but not true.
func (v *Value) appendKey(b []byte) []byte {
	if x, ok := v.Number(); ok {
		if v.Big != nil {
			return v.Big.Append(append(b, '#'), 16)
		}
		return strconv.AppendFloat(b, x+0, 'g', -1, 64) // -0 is 0
	}
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(b, v.Bool)
	case String:
		return strconv.AppendQuote(b, v.Str)
	case Array:
		b = append(b, '[')
		for i := range v.Items {
			b = append(v.Items[i].appendKey(b), ',')
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for _, m := range slices.SortedStableFunc(slices.Values(v.Members), func(x, y Member) int { return strings.Compare(x.Key, y.Key) }) {
			b = append(m.Value.appendKey(append(strconv.AppendQuote(b, m.Key), ':')), ',')
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

// key returns the text of appendKey.
func (v *Value) key() string { return string(v.appendKey(nil)) }
