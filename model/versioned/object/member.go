package object

import (
	"fmt"
	"slices"
	"strings"
)

// Member is a Field of any type, as the Header of an object holds it. Only
// Field implements it.
type Member interface {
	// Name returns the name of the field in the envelope.
	Name() string
	// IsSet reports whether the field has a value or is null.
	IsSet() bool
	// Changed reports whether the field or an object in it changed.
	Changed() bool
	// SetAny sets the field to a loose value, see Field.SetAny.
	SetAny(v any) error

	bind(h *Header)
	isNull() bool
	describe() string
	classes() []string
	hasDefault() bool
	setDefault() error
	markChanged(changed bool)
	children() []Object
	encode(r *Registry) (any, error)
	decode(p any, r *Registry) error
}

// Name returns the name of the field in the envelope.
func (f *Field[T]) Name() string { return f.name }

func (f *Field[T]) bind(h *Header) { f.header = h }

func (f *Field[T]) isNull() bool { return f.state == null }

// describe is the line of the field in a fingerprint.
func (f *Field[T]) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s=%s(", f.name, f.typ.Describe())
	if f.def != nil {
		fmt.Fprintf(&b, "default=%v,", f.def)
	}
	fmt.Fprintf(&b, "nullable=%t,read_only=%t)", f.rules&Nullable != 0, f.rules&ReadOnly != 0)
	return b.String()
}

func (f *Field[T]) classes() []string {
	if h, ok := f.typ.(holder[T]); ok {
		return slices.Clone(h.classes())
	}
	return nil
}

func (f *Field[T]) hasDefault() bool { return f.def != nil }

func (f *Field[T]) setDefault() error { return f.SetAny(f.def) }

func (f *Field[T]) markChanged(changed bool) { f.changed = changed }

// encode returns the field as it stands in the data of an envelope.
func (f *Field[T]) encode(r *Registry) (any, error) {
	if f.state != valued {
		return nil, nil //nolint:nilnil // null is what stands there
	}
	if h, ok := f.typ.(holder[T]); ok {
		return h.encode(f.value, r)
	}
	return f.typ.Primitive(f.value), nil
}

// decode is the inverse of encode.
func (f *Field[T]) decode(p any, r *Registry) error {
	h, ok := f.typ.(holder[T])
	if !ok || p == nil {
		return f.SetAny(p)
	}
	v, err := h.decode(p, r)
	if err != nil {
		return fmt.Errorf("%s.%s: %w", f.header.name, f.name, err)
	}
	return f.assign(valued, v)
}
