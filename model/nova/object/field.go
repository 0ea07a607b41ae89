package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/versioned"
)

// Field is a field of an object, which may be unset. Only a field of a pointer, or of an
// object of an unknown class, can be null.
type Field[T any] struct {
	V   T
	Set bool
}

// Value returns a field with a value.
func Value[T any](v T) Field[T] { return Field[T]{v, true} }

// OrNull returns a field with a value, or with null for the zero value.
func OrNull[T comparable](v T) Field[*T] {
	if v == *new(T) {
		return Value[*T](nil)
	}
	return Value(&v)
}

// IsZero reports whether the field is unset: encoding/json then leaves it out.
func (f Field[T]) IsZero() bool { return !f.Set }

// MarshalJSON implements json.Marshaler.
func (f Field[T]) MarshalJSON() ([]byte, error) { return json.Marshal(f.V) }

// UnmarshalJSON implements json.Unmarshaler.
func (f *Field[T]) UnmarshalJSON(text []byte) error {
	t := reflect.TypeFor[T]()
	if bytes.Equal(text, []byte("null")) && t.Kind() != reflect.Pointer && t != reflect.TypeFor[json.RawMessage]() {
		return errors.New("cannot be null")
	}
	var v T // not the old value: that may point into a row
	if err := json.Unmarshal(text, &v); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("cannot be a %s", wrong.Value)
		}
		return err
	}
	*f = Value(v)
	return nil
}

// or returns the value of a field that may be null; the zero value if there is none.
func or[T any](f Field[*T]) T {
	if f.V == nil {
		return *new(T)
	}
	return *f.V
}

// moment is the value of a field for a time in milliseconds since 1970, null for 0.
// Objects have whole seconds.
func moment(ms int64) Field[*time.Time] { return OrNull(versioned.Time(ms).Truncate(time.Second)) }

// take copies a field, if it is set.
func take[T any](to *T, from Field[T]) {
	if from.Set {
		*to = from.V
	}
}

// takeText copies a text, if it is set; null is "".
func takeText[T ~string](to *T, from Field[*string]) {
	if from.Set {
		*to = T(or(from))
	}
}

// takeTime copies a time as milliseconds since 1970, if it is set. Objects have whole
// seconds: a time within the same second stays.
func takeTime(to *int64, from Field[*time.Time]) {
	if !from.Set {
		return
	}
	if ms := versioned.Millis(or(from)); ms/1000 != *to/1000 {
		*to = ms
	}
}

// fieldsOf returns the fields of an object's struct by their names. They can be set.
func fieldsOf(o Object) map[string]reflect.Value {
	v, out := reflect.ValueOf(o.data()).Elem(), map[string]reflect.Value{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name := nameOf(f); name != "" {
			out[name] = v.FieldByIndex(f.Index)
		}
	}
	return out
}

// nameOf returns the name of a field; "" for an embedded struct.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// fill sets the fields of an object that data has. Unknown ones are ignored, as upstream
// ignores them. Errors match versioned.ErrMalformed, or versioned.ErrNewer for an object
// in a field.
func fill(o Object, data map[string]any) error {
	fields := fieldsOf(o)
	for _, name := range slices.Sorted(maps.Keys(data)) {
		field, ok := fields[name]
		if !ok {
			continue
		}
		text, err := json.Marshal(data[name])
		if err == nil {
			err = field.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text)
		}
		if err != nil {
			return &ValueError{o.Class(), name, err}
		}
	}
	return nil
}
