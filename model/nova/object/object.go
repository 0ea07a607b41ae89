package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
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

// Object is what a service says of a row.
type Object struct {
	Class   string
	Version versioned.Version // in which it was written
	// Data has its fields by name as JSON has them, those of objects in it in their envelopes.
	Data Fields
}

// Fields are those of an object, by name.
type Fields = map[string]any

// New returns an object of the newest version of a class. The fields may be any of Go's values.
func New(class string, fields Fields) *Object {
	return &Object{class, classes()[class].version, again(fields).(Fields)}
}

// MarshalJSON implements json.Marshaler.
func (o *Object) MarshalJSON() ([]byte, error) { return json.Marshal(o.envelope()) }

func (o *Object) envelope() map[string]any {
	return map[string]any{keyName: o.Class, keyNamespace: namespace, keyVersion: o.Version.String(), keyData: o.Data}
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

// Decode reads an object of any older version. What people hand over must not be dropped
// silently: anything that its class does not have is an error. Errors match
// versioned.ErrMalformed, or are *IncompatibleVersionError.
func Decode(text []byte) (*Object, error) {
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	if err := versioned.CheckJSON(text); err != nil {
		return nil, err
	}
	return read(v, true)
}

// read returns the object in an envelope. Unless strict is set, what its class does not have is
// ignored, as between services.
//
// Source: oslo_versionedobjects/base.py, _obj_from_primitive.
func read(v any, strict bool) (*Object, error) {
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
	class, known := classes()[name]
	if !known || p[keyNamespace] != namespace {
		return nil, fmt.Errorf("%w: unsupported object type %s.%s", versioned.ErrMalformed, p[keyNamespace], name)
	}
	version, err := class.reads(p[keyVersion].(string))
	if err != nil {
		return nil, err
	}
	data, ok := p[keyData].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%w: %s has no data", versioned.ErrMalformed, name)
	}
	for _, key := range slices.Sorted(maps.Keys(p)) {
		if strict && !slices.Contains([]string{keyName, keyNamespace, keyVersion, keyData, keyChanges}, key) {
			return nil, fmt.Errorf("%w: the envelope of %s has an unknown key %q", versioned.ErrMalformed, name, key)
		}
	}
	values, err := class.values(data, strict)
	return &Object{name, version, values}, err
}

// get returns a field of an object; the zero value if it is unset or null.
func get[T any](o *Object, name string) T {
	v, _ := into[T](o.Data[name]) // it has been checked
	return v
}

// inner returns the object in a field; one without fields if there is none.
func inner(o *Object, name string) *Object {
	p, _ := o.Data[name].(map[string]any)
	class, _ := p[keyName].(string)
	data, _ := p[keyData].(map[string]any)
	return &Object{Class: class, Data: data}
}

// needs refuses an object without all the fields that a row needs: unset or null.
func needs(o *Object, names ...string) error {
	for _, name := range names {
		if o.Data[name] == nil {
			return &placement.InvalidError{Field: o.Class + "." + name, Why: "is required, but not set"}
		}
	}
	return nil
}

// Encode returns an object in its envelope as JSON with sorted keys, for a reader that
// knows its class up to a version: without newer fields, with changed ones converted and
// with what older readers require, which is looked for in s. An object that is older than
// that is sent as it is. With nil it is sent in its own version. Errors are
// *NotExpressibleError, or about a version of which there is no way to tell what it holds.
//
// Source: oslo_versionedobjects/base.py, obj_to_primitive and
// obj_make_compatible_from_manifest.
func Encode(s *nova.Snapshot, o *Object, knows *versioned.Version) (string, error) {
	if knows != nil {
		if newest := classes()[o.Class].version; knows.Major != o.Version.Major || knows.Minor > newest.Minor {
			return "", fmt.Errorf("invalid target version %q: %s is of version %s and can only be lowered to %d.0 and up", knows, o.Class, newest, o.Version.Major)
		}
		var err error
		if o, err = lowered(s, o, *knows); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(o)
	return string(text), err
}

// lowered returns an object as a reader of an older version of its class expects it. One that
// is older than that stays as it is.
func lowered(s *nova.Snapshot, o *Object, to versioned.Version) (*Object, error) {
	if o.Version.Minor <= to.Minor {
		return o, nil
	}
	out := &Object{o.Class, to, Fields{}}
	class := classes()[o.Class]
	for _, name := range slices.Sorted(maps.Keys(o.Data)) {
		var err error
		if out.Data[name], err = loweredIn(s, class, to, o.Data[name]); err != nil {
			return nil, err
		}
	}
	for n := o.Version.Minor; n > to.Minor; n-- {
		if err := out.lower(s, n); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Class, err)
		}
	}
	maps.DeleteFunc(out.Data, func(name string, _ any) bool { return class.fields[name].since > to.Minor })
	return out, nil
}

// loweredIn returns the value of a field with the objects in it in the version that goes with
// a version of the class around them. One without such a version stays as it is.
func loweredIn(s *nova.Snapshot, outer *class, v versioned.Version, of any) (any, error) {
	if list, ok := of.([]any); ok {
		out := make([]any, len(list))
		for i, e := range list {
			var err error
			if out[i], err = loweredIn(s, outer, v, e); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	p, _ := of.(map[string]any)
	name, _ := p[keyName].(string)
	to, ok := outer.held(v, name)
	if !ok {
		return of, nil
	}
	o, err := read(p, false)
	if err == nil {
		o, err = lowered(s, o, to)
	}
	if err != nil {
		return nil, err
	}
	return o.envelope(), nil
}

// lower rewrites the data of an object for readers of versions before the given minor one.
//
// Source: nova/objects/fields.py, ResourceClass.V1_0, for the classes.
func (o *Object) lower(s *nova.Snapshot, minor uint16) error {
	switch o.Class + fmt.Sprint(minor) {
	case "ComputeNode13": // service_id was never null, and no service has this one
		if o.Data["service_id"] == nil {
			o.Data["service_id"] = json.Number("-1")
		}
	case "HVSpec1":
		if o.Data["hv_type"] == "vz" {
			o.Data["hv_type"] = "parallels"
		}
	case "Service10": // compute_node was not loaded when it was needed
		host, ok := o.Data["host"].(string)
		if o.Data["compute_node"] != nil || !ok || s == nil {
			return nil
		}
		for row := range s.ComputeNodesOf(host) {
			node, err := computeNode(s, row)
			if err != nil {
				continue
			}
			o.Data["compute_node"], err = loweredIn(s, classes()[o.Class], o.Version, node.envelope())
			return err
		}
	case "Inventory1", "Allocation1": // classes were an enumeration
		switch o.Data["resource_class"] {
		case nil, "VCPU", "MEMORY_MB", "DISK_GB", "PCI_DEVICE", "SRIOV_NET_VF", "NUMA_SOCKET", "NUMA_CORE", "NUMA_THREAD", "NUMA_MEMORY_MB", "IPV4_ADDRESS":
		default:
			return &NotExpressibleError{Field: "resource_class", Value: o.Data["resource_class"], Target: o.Version}
		}
	}
	return nil
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
