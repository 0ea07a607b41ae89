package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/versioned"
)

// The keys of an envelope, and what is the same in all.
const (
	keyName      = "nova_object.name"
	keyNamespace = "nova_object.namespace"
	keyVersion   = "nova_object.version"
	keyData      = "nova_object.data"
	keyChanges   = "nova_object.changes" // which fields a writer has set; of no meaning to the next reader
	namespace    = "nova"
)

// Object is a pointer to an Envelope.
type Object interface {
	// Class returns the name of the object's class.
	Class() string
	// ObjectVersion returns the version in which the object was written; the newest of its
	// class if it was made here.
	ObjectVersion() versioned.Version
	data() any // a pointer to the struct
	as(v versioned.Version)
}

// Envelope is an object of class T.
type Envelope[T any] struct {
	Version versioned.Version // in which it was written; the zero version for the newest
	Data    T
}

// New returns an object of the newest version.
func New[T any](data T) *Envelope[T] { return &Envelope[T]{Data: data} }

func made[T any]() Object { return new(Envelope[T]) }

// Class implements Object.
func (e *Envelope[T]) Class() string { return reflect.TypeFor[T]().Name() }

// ObjectVersion implements Object.
func (e *Envelope[T]) ObjectVersion() versioned.Version {
	if e.Version != (versioned.Version{}) {
		return e.Version
	}
	c, _ := classOf(e.Class())
	return c.version
}

func (e *Envelope[T]) data() any              { return &e.Data }
func (e *Envelope[T]) as(v versioned.Version) { e.Version = v }

// MarshalJSON implements json.Marshaler.
func (e Envelope[T]) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{keyName: e.Class(), keyNamespace: namespace, keyVersion: e.ObjectVersion().String(), keyData: e.Data})
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *Envelope[T]) UnmarshalJSON(text []byte) error {
	v, err := parse(text)
	if err != nil {
		return err
	}
	o, err := decode(v)
	if err != nil {
		return err
	}
	same, ok := o.(*Envelope[T])
	if !ok {
		return fmt.Errorf("%w: an object of class %s is required, not one of %s", versioned.ErrMalformed, e.Class(), o.Class())
	}
	*e = *same
	return nil
}

// parse returns the one value of a JSON text, with its numbers as they are written.
func parse(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%w: %w", versioned.ErrMalformed, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: there is more after the value", versioned.ErrMalformed)
	}
	return v, nil
}

// envelopeOf returns an object in its envelope as JSON has it.
func envelopeOf(o Object) (map[string]any, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	return v.(map[string]any), nil
}

// dataOf returns what an object says, by field, as JSON has it.
func dataOf(o Object) (map[string]any, error) {
	p, err := envelopeOf(o)
	if err != nil {
		return nil, err
	}
	return p[keyData].(map[string]any), nil
}

// isEnvelope reports whether v is an object of any class.
func isEnvelope(v any) (map[string]any, bool) {
	p, ok := v.(map[string]any)
	_, has := p[keyName]
	return p, ok && has
}

// Decode reads an object of any older version. What people hand over must not be dropped
// silently: anything that its class does not have is an error. Errors match
// versioned.ErrMalformed, or are *IncompatibleVersionError.
func Decode(text []byte) (Object, error) {
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	if err := versioned.CheckJSON(text); err != nil {
		return nil, err
	}
	settle(v)
	o, err := decode(v)
	if err != nil {
		return nil, err
	}
	return o, strangers(v)
}

// decode reads an object; what its class does not have is ignored, as between services.
//
// Source: oslo_versionedobjects/base.py, _obj_from_primitive.
func decode(v any) (Object, error) {
	p, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: an envelope is required, not a %T", versioned.ErrMalformed, v)
	}
	for _, key := range []string{keyName, keyNamespace, keyVersion} {
		if _, ok := p[key].(string); !ok {
			return nil, fmt.Errorf("%w: the envelope has no %s, which must be text", versioned.ErrMalformed, key)
		}
	}
	name := p[keyName].(string)
	class, known := classOf(name)
	if !known || p[keyNamespace] != namespace {
		return nil, fmt.Errorf("%w: unsupported object type %s.%s", versioned.ErrMalformed, p[keyNamespace], name)
	}
	version, err := class.reads(name, p[keyVersion].(string))
	if err != nil {
		return nil, err
	}
	data, ok := p[keyData].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: %s has no data", versioned.ErrMalformed, name)
	}
	o := class.make()
	o.as(version)
	return o, fill(o, data)
}

// strangers refuses members of an envelope, and fields of objects, that nothing would
// read: they belong to a newer version than the envelope names.
func strangers(v any) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := strangers(e); err != nil {
				return err
			}
		}
	case map[string]any:
		if _, is := isEnvelope(v); is {
			if err := strange(v); err != nil {
				return err
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := strangers(v[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// strange is strangers for one envelope.
func strange(p map[string]any) error {
	name, _ := p[keyName].(string)
	class, known := classOf(name)
	if !known {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains([]string{keyName, keyNamespace, keyVersion, keyData}, key) {
			return fmt.Errorf("%w: the envelope of %s has an unknown key %q", versioned.ErrMalformed, name, key)
		}
	}
	data, _ := p[keyData].(map[string]any)
	fields := fieldsOf(class.make())
	for _, field := range slices.Sorted(maps.Keys(data)) {
		if _, ok := fields[field]; !ok {
			return &ValueError{name, field, errors.New("there is no such field")}
		}
	}
	return nil
}

// settle takes what a writer has changed out of all envelopes in v.
func settle(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, is := isEnvelope(v); is {
			delete(v, keyChanges)
		}
		for _, e := range v {
			settle(e)
		}
	case []any:
		for _, e := range v {
			settle(e)
		}
	}
}

// reads returns the version in text, if objects of it can be read. The third number,
// which a stable branch increments, is dropped.
func (c class) reads(name, text string) (versioned.Version, error) {
	parts := strings.SplitN(text, ".", 3)
	v, err := versioned.ParseVersion(strings.Join(parts[:min(len(parts), 2)], "."))
	if err != nil {
		return v, fmt.Errorf("%w: %s: %w", versioned.ErrMalformed, name, err)
	}
	if v.Major != c.version.Major || v.Minor > c.version.Minor {
		return v, &IncompatibleVersionError{Class: name, Has: text, Knows: c.version}
	}
	return v, nil
}

// Encode returns an object in its envelope as JSON with sorted keys, for a reader that
// knows its class up to a version: without newer fields, with changed ones converted and
// with what older readers require, which is looked for in s. An object that is older than
// that is sent as it is. With nil it is sent in its own version. Errors are
// *NotExpressibleError, or about a version of which there is no way to tell what it holds.
//
// Source: oslo_versionedobjects/base.py, obj_to_primitive and
// obj_make_compatible_from_manifest.
func Encode(s *nova.Snapshot, o Object, knows *versioned.Version) (string, error) {
	p, err := envelopeOf(o)
	if err != nil {
		return "", err
	}
	if knows != nil {
		own := o.ObjectVersion()
		if class, _ := classOf(o.Class()); knows.Major != own.Major || knows.Minor > class.version.Minor {
			return "", fmt.Errorf("invalid target version %q: %s is of version %s and can only be lowered to %d.0 and up", knows, o.Class(), class.version, own.Major)
		}
		if knows.Minor < own.Minor {
			if err := (lowering{nova: s, to: *knows}).lower(p); err != nil {
				return "", err
			}
		}
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// lowering is an object being rewritten for an older reader.
type lowering struct {
	nova *nova.Snapshot    // for what older readers require; may be nil
	to   versioned.Version // of the object
}

// lower rewrites an envelope. Objects inside it are lowered first, so that each change
// sees them as the reader will.
func (l lowering) lower(p map[string]any) error {
	name := p[keyName].(string)
	class, _ := classOf(name)
	own, err := class.reads(name, p[keyVersion].(string))
	if err != nil || own == l.to {
		return err
	}
	data := p[keyData].(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(data)) {
		if err := l.inside(name, data[field]); err != nil {
			return err
		}
	}
	for n := own.Minor; n > l.to.Minor; n-- {
		change := class.since[n]
		if change.lower != nil {
			if err := change.lower(l, data); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		for _, field := range change.adds {
			delete(data, field)
		}
	}
	p[keyVersion] = l.to.String()
	return nil
}

// inside lowers the objects in a field of an object of the named class to the version that
// goes with it. One without such a version stays as it is, and so does an older one.
func (l lowering) inside(outer string, v any) error {
	if list, ok := v.([]any); ok {
		for _, e := range list {
			if err := l.inside(outer, e); err != nil {
				return err
			}
		}
		return nil
	}
	p, ok := isEnvelope(v)
	if !ok {
		return nil
	}
	name, _ := p[keyName].(string)
	parent, _ := classOf(outer)
	to, pinned := parent.pinned(l.to, name)
	class, known := classOf(name)
	if !pinned || !known {
		return nil
	}
	own, err := class.reads(name, fmt.Sprint(p[keyVersion]))
	if err != nil || to.Minor >= own.Minor {
		return err
	}
	return lowering{l.nova, to}.lower(p)
}

// IncompatibleVersionError reports an object of a newer minor version, or of another major
// one, than is known here. It matches versioned.ErrNewer.
type IncompatibleVersionError struct {
	Class string
	Has   string            // version of the envelope
	Knows versioned.Version // the newest one here
}

func (e *IncompatibleVersionError) Error() string {
	return fmt.Sprintf("version %s of %s is not supported, supported version is %s: have a newer service backport it", e.Has, e.Class, e.Knows)
}

// Is reports whether target is versioned.ErrNewer.
func (e *IncompatibleVersionError) Is(target error) bool { return target == versioned.ErrNewer }

// ValueError reports a value that a field cannot hold. It matches versioned.ErrMalformed.
type ValueError struct {
	Class, Field string
	Why          error
}

func (e *ValueError) Error() string { return fmt.Sprintf("%s.%s: %v", e.Class, e.Field, e.Why) }

// Unwrap returns why the field cannot hold the value.
func (e *ValueError) Unwrap() error { return e.Why }

// Is reports whether target is versioned.ErrMalformed.
func (e *ValueError) Is(target error) bool { return target == versioned.ErrMalformed }

// NotExpressibleError reports a value that an older version of a class cannot express.
type NotExpressibleError struct {
	Field  string
	Value  any
	Target versioned.Version
}

func (e *NotExpressibleError) Error() string {
	return fmt.Sprintf("%s=%v is not supported in version %s", e.Field, e.Value, e.Target)
}
