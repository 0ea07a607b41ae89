package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/versioned"
)

// DefaultPrefix is what the keys of an envelope begin with unless a project
// chose its own.
const DefaultPrefix = "versioned_object"

// Primitive is an envelope in JSON form: name, namespace, version, data and changes,
// each key with the prefix of the registry.
type Primitive = map[string]any

// Manifest maps the names of classes to the newest version that a reader knows.
type Manifest map[string]string

// Registry holds the classes that a program knows.
type Registry struct {
	prefix  string
	strict  bool // see Strict
	classes map[string]Class
	names   []string            // in the order in which they were given
	holds   map[string][]string // the classes that objects of a class can hold, by its name
	fields  map[string][]string // the fields that hold them
}

// NewRegistry returns a registry of the given classes, whose envelopes have keys that
// begin with prefix, DefaultPrefix when it is empty. It panics when a class is given
// twice, is ill-defined, or can hold objects of a class that is not given, which can
// only be a mistake in this program.
func NewRegistry(prefix string, classes ...Class) *Registry {
	if prefix == "" {
		prefix = DefaultPrefix
	}
	r := &Registry{prefix: prefix, classes: map[string]Class{}, holds: map[string][]string{}, fields: map[string][]string{}}
	for _, c := range classes {
		if err := c.check(); err != nil {
			panic("object: " + err.Error())
		}
		if _, ok := r.classes[c.Name]; ok {
			panic("object: two classes " + c.Name)
		}
		r.classes[c.Name] = c
		r.names = append(r.names, c.Name)
		r.holds[c.Name], r.fields[c.Name] = c.contains()
	}
	for _, c := range classes {
		for _, child := range r.holds[c.Name] {
			if _, ok := r.classes[child]; !ok {
				panic("object: class " + c.Name + " has a field with objects of class " + child + ", which is not registered")
			}
		}
	}
	return r
}

// Strict returns a registry that refuses anything in an envelope or an object that its
// class does not have. What people hand over must not be dropped silently; between
// services it is ignored, as oslo.versionedobjects does (base.py,
// VersionedObject._obj_from_primitive).
func (r *Registry) Strict() *Registry {
	strict := *r
	strict.strict = true
	return &strict
}

// Names returns the names of all classes in the order in which they were given.
func (r *Registry) Names() []string { return slices.Clone(r.names) }

// Class returns the named class.
func (r *Registry) Class(name string) (Class, bool) {
	c, ok := r.classes[name]
	return c, ok
}

// Manifest returns the versions of the named class and of all that its objects
// can hold: what a reader sends along when it asks for a backport. It is empty
// for a class that is not registered.
func (r *Registry) Manifest(name string) Manifest {
	m := Manifest{}
	r.collect(name, m)
	return m
}

func (r *Registry) collect(name string, into Manifest) {
	c, ok := r.classes[name]
	if _, seen := into[name]; seen || !ok {
		return
	}
	into[name] = c.Version().String()
	for _, child := range r.holds[name] {
		r.collect(child, into)
	}
}

// Version returns the version in which o is written: the one it was read in, or
// that of its class.
func (r *Registry) Version(o Object) (versioned.Version, error) {
	h := o.ObjectHeader()
	c, ok := r.classes[h.name]
	if !ok {
		return versioned.Version{}, &UnsupportedObjectError{Name: h.name}
	}
	if v, ok := h.ReadVersion(); ok {
		return v, nil
	}
	return c.Version(), nil
}

// key returns the key of an envelope for one of its parts.
func (r *Registry) key(part string) string { return r.prefix + "." + part }

// IsEnvelope reports whether v is the envelope of an object, of this registry or
// not.
func (r *Registry) IsEnvelope(v any) bool {
	p, ok := v.(map[string]any)
	_, has := p[r.key("name")]
	return ok && has
}

// Encode returns o in its envelope, in the version in which it was read or, for
// an object made here, in that of its class.
func (r *Registry) Encode(o Object) (Primitive, error) { return r.encode(o) }

func (r *Registry) encode(o Object) (Primitive, error) {
	h := o.ObjectHeader()
	version, err := r.Version(o)
	if err != nil {
		return nil, err
	}
	data := make(map[string]any, len(h.members))
	for _, m := range h.members {
		if !m.IsSet() {
			continue
		}
		v, err := m.encode(r)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", h.name, m.Name(), err)
		}
		data[m.Name()] = v
	}
	p := Primitive{
		r.key("name"):      h.name,
		r.key("namespace"): r.classes[h.name].Namespace,
		r.key("version"):   version.String(),
		r.key("data"):      data,
	}
	r.putChanges(p, h.WhatChanged())
	return p, nil
}

// putChanges writes which of the fields in the envelope have changed.
func (r *Registry) putChanges(p Primitive, names []string) {
	data, _ := p[r.key("data")].(map[string]any)
	delete(p, r.key("changes"))
	var changes []any
	for _, name := range names {
		if _, ok := data[name]; ok {
			changes = append(changes, name)
		}
	}
	if len(changes) > 0 {
		p[r.key("changes")] = changes
	}
}

// Decode returns the object of an envelope, which is a map as encoding/json
// makes it. Errors are IncompatibleObjectVersionError, UnsupportedObjectError,
// ValueError, or match versioned.ErrMalformed.
func (r *Registry) Decode(v any) (Object, error) {
	p, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: an envelope is required, not a %T", versioned.ErrMalformed, v)
	}
	name, err := r.text(p, "name")
	if err != nil {
		return nil, err
	}
	namespace, err := r.text(p, "namespace")
	if err != nil {
		return nil, err
	}
	class, ok := r.classes[name]
	if !ok || class.Namespace != namespace {
		return nil, &UnsupportedObjectError{Namespace: namespace, Name: name}
	}
	version, err := r.readVersion(p, class)
	if err != nil {
		return nil, err
	}
	data, ok := p[r.key("data")].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: %s has no data", versioned.ErrMalformed, name)
	}
	o := class.New()
	h := o.ObjectHeader()
	h.version = version
	if r.strict {
		if err := errors.Join(r.strangers(p, name), h.strangers(data)); err != nil {
			return nil, err
		}
	}
	for _, m := range h.members {
		value, ok := data[m.Name()]
		if !ok {
			continue
		}
		if err := m.decode(value, r); err != nil {
			return nil, err
		}
	}
	h.ResetChanges()
	changes, _ := p[r.key("changes")].([]any)
	for _, m := range h.members {
		if m.IsSet() && slices.Contains(changes, any(m.Name())) {
			m.markChanged(true)
		}
	}
	return o, nil
}

// strangers refuses an envelope with unknown members, which would be dropped silently.
func (r *Registry) strangers(p Primitive, class string) error {
	parts := []string{r.key("name"), r.key("namespace"), r.key("version"), r.key("data"), r.key("changes")}
	for _, part := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("%w: the envelope of %s has an unknown key %q", versioned.ErrMalformed, class, part)
		}
	}
	return nil
}

// strangers refuses data with fields that the class does not have: they belong to a newer
// version than the envelope names.
func (h *Header) strangers(data map[string]any) error {
	known := 0
	for _, m := range h.members {
		if _, ok := data[m.Name()]; ok {
			known++
		}
	}
	if known == len(data) {
		return nil
	}
	for _, field := range slices.Sorted(maps.Keys(data)) {
		if _, err := h.member(field); err != nil {
			return err
		}
	}
	return nil
}

// readVersion returns the version of an envelope of class c. The third number, which a
// stable branch increments, is dropped.
func (r *Registry) readVersion(p Primitive, c Class) (versioned.Version, error) {
	s, err := r.text(p, "version")
	if err != nil {
		return versioned.Version{}, err
	}
	return c.reads(s)
}

// reads returns the version in text, if a program that knows c can read objects of it.
func (c Class) reads(text string) (versioned.Version, error) {
	v, err := parseVersion(text)
	if err != nil {
		return v, fmt.Errorf("%w: %s: %w", versioned.ErrMalformed, c.Name, err)
	}
	if knows := c.Version(); v.Major != knows.Major || v.Minor > knows.Minor {
		return v, &IncompatibleObjectVersionError{Object: c.Name, Has: text, Knows: knows}
	}
	return v, nil
}

// parseVersion reads X.Y or X.Y.Z, of which it drops the Z.
func parseVersion(s string) (versioned.Version, error) {
	if parts := strings.Split(s, "."); len(parts) == 3 {
		s = parts[0] + "." + parts[1]
	}
	return versioned.ParseVersion(s)
}

func (r *Registry) text(p Primitive, part string) (string, error) {
	s, ok := p[r.key(part)].(string)
	if !ok {
		return "", fmt.Errorf("%w: the envelope has no %s, which must be text", versioned.ErrMalformed, r.key(part))
	}
	return s, nil
}

// EncodeJSON is Encode as JSON with sorted keys.
func (r *Registry) EncodeJSON(o Object) ([]byte, error) {
	p, err := r.Encode(o)
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// DecodeJSON is Decode of a JSON text. Any bytes give an object or an error.
func (r *Registry) DecodeJSON(b []byte) (Object, error) {
	v, err := ParseJSON(b)
	if err != nil {
		return nil, err
	}
	return r.Decode(v)
}

// ParseJSON returns the one value of a JSON text, with its numbers as they are
// written. Anything that a reader would drop, such as all but the last of several
// members of one name, is an error. Errors match versioned.ErrMalformed.
func ParseJSON(b []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w: %w", versioned.ErrMalformed, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: there is more after the value", versioned.ErrMalformed)
	}
	return v, versioned.CheckJSON(b)
}
