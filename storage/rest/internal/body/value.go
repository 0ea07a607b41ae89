// Package body reads JSON and says what is wrong with it in the words of Python's json
// and jsonschema modules, which clients of Placement see in its answers: 'total' is a
// required property, 0 is less than the minimum of 1.
//
// A Value keeps what those words need: the order of members, whether a number was
// written as a whole one, and numbers of any size. A Schema knows the keywords that
// Placement's schemas use, and no others.
package body

import (
	"math"
	"math/big"
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

// Get returns the member of a key, and false where there is none.
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

// isWhole reports whether v is a whole number, however it is written.
func (v *Value) isWhole() bool {
	return v.Kind == Int || v.Kind == Float && v.Float == math.Trunc(v.Float) && !math.IsInf(v.Float, 0)
}

// Whole returns a whole number, and false where v is none or one beyond 64 bits.
func (v Value) Whole() (int64, bool) {
	switch {
	case v.Kind == Int && v.Big == nil:
		return v.Int, true
	case v.Kind == Float && v.isWhole() && math.Abs(v.Float) < 1<<62:
		return int64(v.Float), true
	}
	return 0, false
}

// Number returns a number as a float, and false where v is none.
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

// equal reports whether two values are the same to jsonschema: 1 is 1.0, and not true.
func equal(a, b *Value) bool {
	if x, ok := a.Number(); ok {
		y, ok := b.Number()
		return ok && x == y && (a.Big == nil) == (b.Big == nil) && (a.Big == nil || a.Big.Cmp(b.Big) == 0)
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Bool:
		return a.Bool == b.Bool
	case String:
		return a.Str == b.Str
	case Array:
		if len(a.Items) != len(b.Items) {
			return false
		}
		for i := range a.Items {
			if !equal(&a.Items[i], &b.Items[i]) {
				return false
			}
		}
	case Object:
		if len(a.Members) != len(b.Members) {
			return false
		}
		for i := range a.Members {
			other := b.member(a.Members[i].Key)
			if other == nil || !equal(&a.Members[i].Value, &other.Value) {
				return false
			}
		}
	default: // null
	}
	return true
}
