package object

import (
	"errors"
	"reflect"
)

// Rule is a set of rules of a field.
type Rule uint8

// The rules.
const (
	Nullable Rule = 1 << iota // null is a value
	ReadOnly                  // set once; the same value again is no error
)

// Type is what the values of a field are: how a loose value becomes a T, and
// how a T stands in an envelope.
type Type[T any] interface {
	// Describe names the type with all that a reader relies on. It is part of
	// the fingerprint of each class that has such a field.
	Describe() string
	// Coerce turns a value, as a caller or a decoder has it, into a T. v is nil
	// for null.
	Coerce(v any) (T, error)
	// Primitive returns v as JSON has it.
	Primitive(v T) any
}

// holder is a Type whose values are objects or contain some.
type holder[T any] interface {
	encode(v T, r *Registry) (any, error)
	decode(p any, r *Registry) (T, error)
	children(v T) []Object
	classes() []string
}

// copier is a Type whose values share memory when assigned.
type copier[T any] interface {
	copy(v T) T
}

// Field is one field of an object. The zero Field is of no use before As.
type Field[T any] struct {
	header  *Header
	name    string
	typ     Type[T]
	rules   Rule
	def     any // nil for none
	value   T
	state   state
	changed bool
}

// state tells a field that was never set from one that is null.
type state uint8

const (
	unset state = iota
	null
	valued
)

// As gives the field its name, type and rules. The result goes to Header.Bind.
func (f *Field[T]) As(name string, typ Type[T], rules ...Rule) Member {
	f.name, f.typ = name, typ
	for _, r := range rules {
		f.rules |= r
	}
	return f
}

// AsDefault is As for a field with a default: SetDefaults sets it, and null
// becomes it where the field is not Nullable.
func (f *Field[T]) AsDefault(name string, typ Type[T], def T, rules ...Rule) Member {
	f.def = def
	return f.As(name, typ, rules...)
}

// Load returns the value of the field. An unset field is asked from the Loader
// of the object first; CannotLoadError says that there is none or that it does
// not know the field. Null is T's zero without an error.
func (f *Field[T]) Load() (T, error) {
	if f.state == unset {
		if err := f.header.loadField(f); err != nil {
			var zero T
			return zero, err
		}
	}
	return f.copied(), nil
}

// Get is Load for callers to whom a field that cannot be loaded is T's zero.
// Maps and lists are copies; objects are shared.
func (f *Field[T]) Get() T {
	v, _ := f.Load()
	return v
}

// Lookup returns the value and whether there is one. It loads nothing.
func (f *Field[T]) Lookup() (T, bool) { return f.copied(), f.state == valued }

func (f *Field[T]) copied() T {
	if c, ok := f.typ.(copier[T]); ok && f.state == valued {
		return c.copy(f.value)
	}
	return f.value
}

// IsSet reports whether the field has a value or is null.
func (f *Field[T]) IsSet() bool { return f.state != unset }

// IsNull reports whether the field is set to null.
func (f *Field[T]) IsNull() bool { return f.state == null }

// Set gives the field a value and marks it changed. Errors are ValueError or
// ReadOnlyFieldError. A nil object is null.
func (f *Field[T]) Set(v T) error { return f.SetAny(v) }

// SetNull is SetAny(nil).
func (f *Field[T]) SetNull() error { return f.SetAny(nil) }

// SetAny is Set for a value that is yet to be coerced: an Integer field takes
// "5". Null becomes the default of a field that is not Nullable but has one.
func (f *Field[T]) SetAny(v any) error {
	if v == nil && f.rules&Nullable == 0 && f.def != nil {
		v = f.def
	}
	next, value := null, *new(T)
	if v != nil {
		coerced, err := f.typ.Coerce(v)
		switch {
		case errors.Is(err, errNull): // a nil object
		case err != nil:
			return f.wrong(err)
		default:
			next, value = valued, coerced
		}
	}
	return f.assign(next, value)
}

// assign puts a coerced value or null in the field.
func (f *Field[T]) assign(next state, value T) error {
	if next == null && f.rules&Nullable == 0 {
		return f.wrong(errNull)
	}
	if f.rules&ReadOnly != 0 && f.state != unset {
		if f.state != next || !reflect.DeepEqual(f.typ.Primitive(f.value), f.typ.Primitive(value)) {
			return &ReadOnlyFieldError{Object: f.header.name, Field: f.name}
		}
		return nil
	}
	f.state, f.value, f.changed = next, value, true
	return nil
}

func (f *Field[T]) wrong(why error) error {
	return &ValueError{Object: f.header.name, Field: f.name, Why: why}
}

// Changed reports whether the field, or an object in it, changed since the
// object was read or its changes were reset.
func (f *Field[T]) Changed() bool {
	if f.changed {
		return true
	}
	for _, o := range f.children() {
		if len(o.ObjectHeader().WhatChanged()) > 0 {
			return true
		}
	}
	return false
}

func (f *Field[T]) children() []Object {
	if h, ok := f.typ.(holder[T]); ok && f.state == valued {
		return h.children(f.value)
	}
	return nil
}
