package object

import (
	"errors"
	"fmt"

	"github.com/placetop/placetop/model/versioned"
)

// errNull is the error of a type about a null that it does not allow.
var errNull = errors.New("cannot be null")

// IncompatibleObjectVersionError reports an object of a newer minor version, or
// of another major one, than the reader knows. It matches versioned.ErrNewer.
// Ask a newer service to backport the envelope with the Manifest of the class.
type IncompatibleObjectVersionError struct {
	Object string            // name of the class
	Has    string            // version of the envelope
	Knows  versioned.Version // version of the reader's class
}

func (e *IncompatibleObjectVersionError) Error() string {
	return fmt.Sprintf("version %s of %s is not supported, supported version is %s: have a newer service backport it", e.Has, e.Object, e.Knows)
}

// Is reports whether target is versioned.ErrNewer.
func (e *IncompatibleObjectVersionError) Is(target error) bool { return target == versioned.ErrNewer }

// UnsupportedObjectError reports an envelope of a class that the registry does
// not hold. It matches versioned.ErrMalformed.
type UnsupportedObjectError struct {
	Namespace, Name string
}

func (e *UnsupportedObjectError) Error() string {
	return fmt.Sprintf("unsupported object type %s.%s", e.Namespace, e.Name)
}

// Is reports whether target is versioned.ErrMalformed.
func (e *UnsupportedObjectError) Is(target error) bool { return target == versioned.ErrMalformed }

// InvalidTargetVersionError reports that an object cannot be written for a
// version: it is newer than the object itself, or of another major version.
type InvalidTargetVersionError struct {
	Object string
	Target string
	Own    versioned.Version // version of the object
}

func (e *InvalidTargetVersionError) Error() string {
	return fmt.Sprintf("invalid target version %q: %s is of version %s and can only be lowered to %d.0 and up", e.Target, e.Object, e.Own, e.Own.Major)
}

// NotExpressibleError reports that an older version of a class has no way to express a
// value, so that the object cannot be lowered to it.
type NotExpressibleError struct {
	Object string
	Target versioned.Version
	Field  string
	Value  any
}

func (e *NotExpressibleError) Error() string {
	return fmt.Sprintf("%s: %s=%v is not supported in version %s", e.Object, e.Field, e.Value, e.Target)
}

// ValueError reports a value that a field cannot hold. It matches
// versioned.ErrMalformed.
type ValueError struct {
	Object, Field string
	Why           error
}

func (e *ValueError) Error() string { return fmt.Sprintf("%s.%s: %v", e.Object, e.Field, e.Why) }

// Unwrap returns why the field cannot hold the value.
func (e *ValueError) Unwrap() error { return e.Why }

// Is reports whether target is versioned.ErrMalformed.
func (e *ValueError) Is(target error) bool { return target == versioned.ErrMalformed }

// ReadOnlyFieldError reports a different value for a field that may be set only once.
type ReadOnlyFieldError struct {
	Object, Field string
}

func (e *ReadOnlyFieldError) Error() string {
	return fmt.Sprintf("cannot modify read-only field %s.%s", e.Object, e.Field)
}
