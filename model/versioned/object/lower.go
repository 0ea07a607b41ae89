package object

import (
	"slices"

	"github.com/placetop/placetop/model/versioned"
)

// Target is the reader that an envelope is for.
type Target struct {
	Version versioned.Version // of the object
	// Manifest says which versions the reader knows of the objects inside. An object
	// whose class it lacks is left as it is. Without a manifest the versions are those
	// that the class of the object pinned at Version.
	Manifest Manifest
}

// EncodeFor returns o in the envelope that a reader of the target version understands:
// without newer fields, with changed ones converted and with what older readers
// require. Errors are InvalidTargetVersionError for a version above the object's own
// or of another major, or NotExpressibleError.
//
// Source: oslo_versionedobjects/base.py, obj_to_primitive and
// obj_make_compatible_from_manifest.
func (r *Registry) EncodeFor(o Object, target Target) (Primitive, error) {
	p, err := r.encode(o)
	if err != nil {
		return nil, err
	}
	own, err := r.Version(o)
	if err != nil {
		return nil, err
	}
	to := target.Version
	if to.Major != own.Major || to.Minor > own.Minor {
		return nil, &InvalidTargetVersionError{Object: o.ObjectHeader().name, Target: to.String(), Own: own}
	}
	if err := r.lower(p, to, target.Manifest); err != nil {
		return nil, err
	}
	return p, nil
}

// EncodeUpTo is EncodeFor for a peer of which only the manifest is known: an object
// that is older than what the peer knows is sent unchanged.
func (r *Registry) EncodeUpTo(o Object, manifest Manifest) (Primitive, error) {
	own, err := r.Version(o)
	if err != nil {
		return nil, err
	}
	name := o.ObjectHeader().name
	knows, err := parseVersion(manifest[name])
	if err != nil {
		return nil, &InvalidTargetVersionError{Object: name, Target: manifest[name], Own: own}
	}
	return r.EncodeFor(o, Target{Version: upTo(own, knows), Manifest: manifest})
}

// EncodeUpToVersion is EncodeUpTo for a peer of which only the version that it knows
// of o's class is known. For a version newer than the class there is no way to tell
// what it holds: the error is InvalidTargetVersionError.
func (r *Registry) EncodeUpToVersion(o Object, knows versioned.Version) (Primitive, error) {
	own, err := r.Version(o)
	if err != nil {
		return nil, err
	}
	name := o.ObjectHeader().name
	class, _ := r.Class(name) // it has a version
	if newest := class.Version(); upTo(newest, knows) != knows {
		return nil, &InvalidTargetVersionError{Object: name, Target: knows.String(), Own: newest}
	}
	return r.EncodeFor(o, Target{Version: upTo(own, knows)})
}

// upTo returns the version in which an object of version own is sent to a peer: the older
// of own and what the peer knows.
func upTo(own, knows versioned.Version) versioned.Version {
	if knows.Major == own.Major && knows.Minor > own.Minor {
		return own
	}
	return knows
}

// Lowering is what a Note's Lower may use while it rewrites data.
type Lowering struct {
	Object   string            // name of the class that is lowered
	Version  versioned.Version // the target
	registry *Registry
	manifest Manifest
}

// Refuse returns the error for a value that the target version cannot express.
func (l Lowering) Refuse(field string, value any) error {
	return &NotExpressibleError{Object: l.Object, Target: l.Version, Field: field, Value: value}
}

// Nested returns the envelope of o as it appears inside the object that is lowered.
func (l Lowering) Nested(o Object) (Primitive, error) {
	p, err := l.registry.encode(o)
	if err != nil {
		return nil, err
	}
	return p, l.registry.lowerNested(p, l.registry.classes[l.Object], l.Version, l.manifest)
}

// lower rewrites an envelope that was encoded here, in place. Objects inside it are
// lowered first, so that a Note sees them as the reader will.
func (r *Registry) lower(p Primitive, to versioned.Version, manifest Manifest) error {
	name, _ := p[r.key("name")].(string)
	class := r.classes[name]
	own, err := r.readVersion(p, class)
	if err != nil {
		return err
	}
	if own == to && manifest == nil {
		return nil
	}
	data := p[r.key("data")].(map[string]any)
	for _, field := range r.fields[name] {
		if err := r.lowerValue(data[field], class, to, manifest); err != nil {
			return err
		}
	}
	l := Lowering{Object: name, Version: to, registry: r, manifest: manifest}
	for _, note := range slices.Backward(class.History[to.Minor+1:]) {
		if note.Lower != nil {
			if err := note.Lower(data, l); err != nil {
				return err
			}
		}
		for _, field := range note.Adds {
			delete(data, field)
		}
	}
	p[r.key("version")] = to.String()
	changes, _ := p[r.key("changes")].([]any)
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.(string)
	}
	r.putChanges(p, names)
	return nil
}

// lowerValue lowers the objects that a field of an object of class parent holds.
func (r *Registry) lowerValue(value any, parent Class, to versioned.Version, manifest Manifest) error {
	switch value := value.(type) {
	case map[string]any:
		return r.lowerNested(value, parent, to, manifest)
	case []any:
		for _, e := range value {
			if err := r.lowerValue(e, parent, to, manifest); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowerNested lowers an object inside one of class parent to the version that the
// manifest names or, without a manifest, to the one that the parent pinned. It is left as
// it is if there is no such version, or its own is older.
func (r *Registry) lowerNested(p Primitive, parent Class, to versioned.Version, manifest Manifest) error {
	name, _ := p[r.key("name")].(string)
	own, err := r.readVersion(p, r.classes[name])
	if err != nil {
		return err
	}
	want, ok := parent.pin(to, name)
	if manifest != nil {
		s, named := manifest[name]
		if want, err = parseVersion(s); named && err != nil {
			return &InvalidTargetVersionError{Object: name, Target: s, Own: own}
		}
		ok = named
	}
	if !ok {
		return nil
	}
	if want.Major != own.Major {
		return &InvalidTargetVersionError{Object: name, Target: want.String(), Own: own}
	}
	if want.Minor > own.Minor {
		want = own
	}
	return r.lower(p, want, manifest)
}
