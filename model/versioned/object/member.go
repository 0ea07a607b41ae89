package object

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

func (s *slot) Name() string { return s.name }
func (s *slot) IsSet() bool  { return s.state != unset }

func (s *slot) Changed() bool {
	if s.changed {
		return true
	}
	return slices.ContainsFunc(s.children(), func(o Object) bool { return len(o.ObjectHeader().WhatChanged()) > 0 })
}

func (s *slot) SetAny(v any) error {
	if v == nil && s.options&nullable == 0 && s.def != nil {
		v = s.def
	}
	if v == nil {
		return s.assign(null, nil)
	}
	value, err := s.typ.Coerce(v)
	switch {
	case errors.Is(err, errNull): // a nil object
		return s.assign(null, nil)
	case err != nil:
		return s.wrong(err)
	default:
		return s.assign(valued, value)
	}
}

func (s *slot) isNull() bool { return s.state == null }

// describe is the line of the field in a fingerprint.
func (s *slot) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s=%s(", s.name, s.typ.Describe())
	if s.def != nil {
		fmt.Fprintf(&b, "default=%v,", s.def)
	}
	fmt.Fprintf(&b, "nullable=%t,read_only=%t)", s.options&nullable != 0, s.options&readOnly != 0)
	return b.String()
}

func (s *slot) classes() []string {
	if h, ok := s.typ.(holder); ok {
		return slices.Clone(h.classes())
	}
	return nil
}

func (s *slot) hasDefault() bool { return s.def != nil }

func (s *slot) setDefault() error { return s.SetAny(s.def) }

func (s *slot) markChanged(changed bool) { s.changed = changed }

func (s *slot) children() []Object {
	if h, ok := s.typ.(holder); ok && s.state == valued {
		return h.children(s.value)
	}
	return nil
}

// encode returns the field as the data of an envelope has it.
func (s *slot) encode(r *Registry) (any, error) {
	if s.state != valued {
		return nil, nil // JSON null
	}
	if h, ok := s.typ.(holder); ok {
		return h.encode(s.value, r)
	}
	return s.typ.Primitive(s.value), nil
}

// decode is the inverse of encode.
func (s *slot) decode(p any, r *Registry) error {
	h, ok := s.typ.(holder)
	if !ok || p == nil {
		return s.SetAny(p)
	}
	v, err := h.decode(p, r)
	if err != nil {
		return fmt.Errorf("%s.%s: %w", s.header.name, s.name, err)
	}
	return s.assign(valued, v)
}
