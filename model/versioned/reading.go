package versioned

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// A reading reads a value of one type quickly. It fails unless it is sure that the slow
// reader would read the same: on an unknown field, a key given twice, another type.
type reading func(r *CanonicalReader, v reflect.Value)

var readings sync.Map //nolint:gochecknoglobals // a cache of the readings of types, by reflect.Type

// readingOf returns the reading of a type according to its tags; nil if there is none.
func readingOf(t reflect.Type) reading {
	if read, ok := readings.Load(t); ok {
		return read.(reading) // it holds nothing else
	}
	read := newReading(t)
	readings.Store(t, read)
	return read
}

func newReading(t reflect.Type) reading {
	if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[cbor.Unmarshaler]()) ||
		p.Implements(reflect.TypeFor[encoding.BinaryUnmarshaler]()) && t.Kind() != reflect.Array {
		return nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(r *CanonicalReader, v reflect.Value) { v.SetBool(r.Bool()) }
	case reflect.Int, reflect.Int64:
		return setInt
	case reflect.Float64:
		return func(r *CanonicalReader, v reflect.Value) { v.SetFloat(r.Float()) }
	case reflect.String:
		return setText
	case reflect.Array: // of an id
		if t.Elem().Kind() == reflect.Uint8 {
			return func(r *CanonicalReader, v reflect.Value) { r.Bytes(v.Bytes()) }
		}
	case reflect.Pointer:
		return pointerReading(t)
	case reflect.Slice:
		return listReading(t)
	case reflect.Map:
		return mapReading(t)
	case reflect.Struct:
		return structReading(t)
	default:
	}
	return nil
}

func setText(r *CanonicalReader, v reflect.Value) { v.SetString(r.Shared()) }

func setOwnText(r *CanonicalReader, v reflect.Value) { v.SetString(string(r.Text())) }

func setInt(r *CanonicalReader, v reflect.Value) {
	n := r.Int()
	if v.OverflowInt(n) {
		r.fail()
	}
	v.SetInt(n)
}

func pointerReading(t reflect.Type) reading {
	read := readingOf(t.Elem())
	if read == nil {
		return nil
	}
	return func(r *CanonicalReader, v reflect.Value) {
		v.Set(reflect.New(t.Elem()))
		read(r, v.Elem())
	}
}

func listReading(t reflect.Type) reading {
	read := readingOf(t.Elem())
	if read == nil {
		return nil
	}
	text := t.Elem().Kind() == reflect.String
	return func(r *CanonicalReader, v reflect.Value) {
		if text && r.shared != nil {
			r.sharedTexts(v)
			return
		}
		r.list(v, read)
	}
}

// list reads an array into the slice v.
func (r *CanonicalReader) list(v reflect.Value, read reading) {
	n := r.Array()
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := 0; i < n && !r.bad; i++ {
		read(r, v.Index(i))
	}
}

func mapReading(t reflect.Type) reading {
	key, value := readingOf(t.Key()), readingOf(t.Elem())
	if key == nil || value == nil {
		return nil
	}
	return func(r *CanonicalReader, v reflect.Value) {
		n := r.Map()
		v.Set(reflect.MakeMapWithSize(t, n))
		k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		for i := 0; i < n && !r.bad; i++ {
			e.SetZero()
			key(r, k)
			value(r, e)
			v.SetMapIndex(k, e)
		}
		if v.Len() != n {
			r.fail()
		}
	}
}

// structReading returns the reading of structs in which the key of each field is a small
// integer. A Bulk does not share texts of a field with the tag `text:"own"`, which few
// records have in common.
func structReading(t reflect.Type) reading {
	type field struct {
		index int
		read  reading
	}
	var fields [64]field // by key
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("cbor"), ",")
		if key == "-" {
			continue
		}
		n, err := strconv.Atoi(key)
		if err != nil || n < 0 || n >= len(fields) || !strings.HasPrefix(options, "keyasint") || !f.IsExported() {
			return nil
		}
		if fields[n] = (field{i, readingOf(f.Type)}); fields[n].read == nil {
			return nil
		}
		if f.Tag.Get("text") == "own" {
			fields[n].read = setOwnText
		}
	}
	return func(r *CanonicalReader, v reflect.Value) {
		r.Fields(func(key int64) bool {
			if key < 0 || key >= int64(len(fields)) || fields[key].read == nil {
				return false
			}
			fields[key].read(r, v.Field(fields[key].index))
			return true
		})
	}
}
