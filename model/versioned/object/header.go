package object

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/placetop/placetop/model/versioned"
)

// Object is a pointer to a struct that embeds Header.
type Object interface {
	ObjectHeader() *Header
}

// Header is the part that all objects have in common. It is embedded in each,
// and its methods are theirs.
type Header struct {
	name    string
	version versioned.Version // of the envelope that was read; zero for the version of the class
	members []*slot
}

// ObjectHeader implements Object.
func (h *Header) ObjectHeader() *Header { return h }

// ClassName returns the name of the object's class.
func (h *Header) ClassName() string { return h.name }

// Fields returns the names of all fields in the order of the struct.
func (h *Header) Fields() []string {
	names := make([]string, len(h.members))
	for i, m := range h.members {
		names[i] = m.name
	}
	return names
}

// ReadVersion returns the version of the envelope that the object was decoded from,
// and false if it was made here or upgraded. It is the version that Encode writes.
func (h *Header) ReadVersion() (versioned.Version, bool) {
	return h.version, h.version != versioned.Version{}
}

// ReadAs marks the object as written by a writer of the given version of its class, for a
// version that is kept next to the fields and not in an envelope. Errors are those of
// Registry.Decode about versions.
func (h *Header) ReadAs(c Class, version string) error {
	v, err := c.reads(version)
	if err != nil {
		return err
	}
	h.version = v
	return nil
}

// Upgrade turns an object sent by an older writer into one of its class's own version.
// The caller must have set what that version requires.
func (h *Header) Upgrade() { h.version = versioned.Version{} }

// Set sets the named field to a loose value, see Field.SetAny.
func (h *Header) Set(field string, v any) error {
	m, err := h.member(field)
	if err != nil {
		return err
	}
	return m.SetAny(v)
}

// IsSet reports whether the named field has a value or is null. It is false for
// a name that the class does not have.
func (h *Header) IsSet(field string) bool {
	m, err := h.member(field)
	return err == nil && m.IsSet()
}

func (h *Header) member(field string) (*slot, error) {
	for _, m := range h.members {
		if m.name == field {
			return m, nil
		}
	}
	return nil, &ValueError{Object: h.name, Field: field, Why: errors.New("there is no such field")}
}

// WhatChanged returns the sorted names of the fields that were set, or whose
// objects changed, since the object was read.
func (h *Header) WhatChanged() []string {
	var names []string
	for _, m := range h.members {
		if m.Changed() {
			names = append(names, m.name)
		}
	}
	slices.Sort(names)
	return names
}

// ResetChanges marks the named fields as unchanged, all of them when none is named.
// Values stay. Objects in the fields keep their own changes.
func (h *Header) ResetChanges(fields ...string) {
	for _, m := range h.members {
		if len(fields) == 0 || slices.Contains(fields, m.name) {
			m.markChanged(false)
		}
	}
}

// ResetAllChanges is ResetChanges for the object and all objects in it.
func (h *Header) ResetAllChanges() {
	h.ResetChanges()
	for _, m := range h.members {
		for _, o := range m.children() {
			o.ObjectHeader().ResetAllChanges()
		}
	}
}

// SetDefaults sets the fields that are unset and have a default.
func (h *Header) SetDefaults() error {
	for _, m := range h.members {
		if !m.hasDefault() || m.IsSet() {
			continue
		}
		if err := m.setDefault(); err != nil {
			return err
		}
	}
	return nil
}

// Values are loose values by the name of their field.
type Values map[string]any

// Fill sets the fields of o from values, each as SetAny does. It returns the errors of
// all that could not be set.
func Fill(o Object, values Values) error {
	h := o.ObjectHeader()
	var errs []error
	for _, m := range h.members { // in their order, so that errors are too
		if v, ok := values[m.name]; ok {
			errs = append(errs, m.SetAny(v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, err := h.member(name); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Missing returns which of the named fields of o are unset or null.
func Missing(o Object, fields ...string) []string {
	h := o.ObjectHeader()
	return slices.DeleteFunc(slices.Clone(fields), func(name string) bool {
		m, err := h.member(name)
		if err != nil {
			return false
		}
		return m.IsSet() && !m.isNull()
	})
}

// Persistent is embedded in objects that are rows of a database.
//
// Source: nova/objects/base.py, NovaPersistentObject.
type Persistent struct {
	CreatedAt Field[time.Time] `field:"created_at,null"`
	UpdatedAt Field[time.Time] `field:"updated_at,null"`
	DeletedAt Field[time.Time] `field:"deleted_at,null"`
	Deleted   Field[bool]      `field:"deleted,default=false"`
}
