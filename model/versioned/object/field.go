package object

import "reflect"

// option is a set of options of a field.
type option uint8

const (
	nullable option = 1 << iota // null is a value
	readOnly                    // can be set once; setting the same value again is no error
)

// AnyType is the type of a field's values: how a loose value becomes one of them, and
// what a value looks like in an envelope.
type AnyType interface {
	// Describe names the type with everything that a reader relies on. It is part of
	// the fingerprint of each class that has such a field.
	Describe() string
	// Coerce turns a value, as a caller or a decoder has it, into one of the type.
	// v is nil for null.
	Coerce(v any) (any, error)
	// Primitive returns v, a result of Coerce, in the form that JSON has it in.
	Primitive(v any) any
}

// Type is an AnyType whose values the compiler knows to be T. A type of another
// package embeds one of this package with the same values. It is an alias so that its
// methods are not compiled again.
type Type[T any] = interface {
	AnyType
	sealed(v T)
}

// typed marks an AnyType whose values are T.
type typed[T any] struct{ AnyType }

func (*typed[T]) sealed(T) {}

func (t *typed[T]) bare() AnyType { return t.AnyType }

// bare returns t without typed, which only the compiler needs.
func bare(t AnyType) AnyType {
	if b, ok := t.(interface{ bare() AnyType }); ok {
		return b.bare()
	}
	return t
}

// holder is a type whose values are objects or contain some.
type holder interface {
	encode(v any, r *Registry) (any, error)
	decode(p any, r *Registry) (any, error)
	children(v any) []Object
	classes() []string
}

// copier is a type whose values share memory when assigned.
type copier interface {
	copy(v any) any
}

// Field is one field of an object. Its tag has its name and its options:
//
//	Watts object.Field[int64]  `field:"watts,default=60"`
//	Label object.Field[string] `field:"label,null"`
//	UUID  object.Field[string] `field:"uuid,once"`
//
// null is a value of a field that has "null"; one that has "once" is set once, and the
// same value again is no error. SetDefaults sets a default, and null becomes it where
// null is no value. A Field is of no use before Make or Bind.
//
// All that it does is in slot, whatever T is: each package that has an object in its
// hands compiles the methods of each Field[T] of it, with what is inlined into them.
type Field[T any] struct {
	_ [0]T // tells reflection what T is
	AnyField
}

// AnyField has the methods of a Field that are the same for each T. Its name is exported
// only because reflection cannot reach the field of a struct otherwise.
type AnyField struct{ slot slot }

// slot is a Field without T. Its value is one of its type if its state is valued.
type slot struct {
	_       [0]func() // fields are never compared
	header  *Header
	name    string
	typ     AnyType
	options option
	def     any // nil for none
	value   any // nil if there is none
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

// Of gives the field another type than the default for T. Constructors call it before
// Bind.
func (f *Field[T]) Of(typ Type[T]) { f.slot.typ = bare(typ) }

// Get returns the value of the field; T's zero if it is unset or null. Maps and lists
// are copies; objects are shared.
func (f *Field[T]) Get() T {
	value, _ := f.slot.copied().(T)
	return value
}

// Lookup returns the value and whether there is one.
func (f *Field[T]) Lookup() (T, bool) {
	value, _ := f.slot.copied().(T)
	return value, f.slot.state == valued
}

// Set gives the field a value and marks it changed. Errors are ValueError or
// ReadOnlyFieldError. A nil object is null.
func (f *Field[T]) Set(v T) error { return f.slot.SetAny(v) }

// IsSet reports whether the field has a value or is null.
func (f *AnyField) IsSet() bool { return f.slot.IsSet() }

// IsNull reports whether the field is set to null.
func (f *AnyField) IsNull() bool { return f.slot.isNull() }

// SetNull is SetAny(nil).
func (f *AnyField) SetNull() error { return f.slot.SetAny(nil) }

// SetAny is Set for a value that still has to be coerced: an Integer field takes "5".
// Null becomes the default of a field that is not nullable but has one.
func (f *AnyField) SetAny(v any) error { return f.slot.SetAny(v) }

// Changed reports whether the field, or an object in it, changed since the
// object was read or its changes were reset.
func (f *AnyField) Changed() bool { return f.slot.Changed() }

func (s *slot) copied() any {
	if c, ok := s.typ.(copier); ok && s.state == valued {
		return c.copy(s.value)
	}
	return s.value
}

// assign puts a coerced value or null in the field.
func (s *slot) assign(next state, value any) error {
	if next == null && s.options&nullable == 0 {
		return s.wrong(errNull)
	}
	if s.options&readOnly != 0 && s.state != unset {
		if s.state != next || next == valued && !reflect.DeepEqual(s.typ.Primitive(s.value), s.typ.Primitive(value)) {
			return &ReadOnlyFieldError{Object: s.header.name, Field: s.name}
		}
		return nil
	}
	s.state, s.value, s.changed = next, value, true
	return nil
}

func (s *slot) wrong(why error) error {
	return &ValueError{Object: s.header.name, Field: s.name, Why: why}
}
