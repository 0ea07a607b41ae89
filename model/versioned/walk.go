package versioned

import (
	"cmp"
	"reflect"
	"strings"
	"sync"
)

// Texts calls visit with each text of a record, which points to a struct, that is not
// empty, until visit returns false: those of its exported fields, and of what they
// hold. For the contents of maps visit gets copies.
func Texts(r Record, visit func(*string) bool) { texts(reflect.ValueOf(r).Elem(), visit) }

func texts(v reflect.Value, visit func(*string) bool) bool {
	switch v.Kind() {
	case reflect.String:
		if v.Len() == 0 {
			return true
		}
		if v.CanAddr() {
			return visit((*string)(v.Addr().UnsafePointer()))
		}
		s := v.String()
		return visit(&s)
	case reflect.Pointer:
		return v.IsNil() || texts(v.Elem(), visit)
	case reflect.Slice:
		for i := range v.Len() {
			if !texts(v.Index(i), visit) {
				return false
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if !texts(it.Key(), visit) || !texts(it.Value(), visit) {
				return false
			}
		}
	case reflect.Struct:
		for _, i := range fieldsOf(v.Type()).texts {
			if !texts(v.Field(i), visit) {
				return false
			}
		}
	default: // holds no text
	}
	return true
}

// Clone returns a copy of a record, which points to a struct, that can be changed
// without changing r: what its exported fields hold is copied, too.
func Clone[R Record](r R) R { return clone(reflect.ValueOf(r)).Interface().(R) } // of the type of r

// Edited returns a Clone of r as edit leaves it.
func Edited[R Record](r R, edit func(R)) R {
	own := Clone(r)
	edit(own)
	return own
}

// clone returns a pointer to a copy of what p points to.
func clone(p reflect.Value) reflect.Value {
	own := reflect.New(p.Type().Elem())
	own.Elem().Set(p.Elem())
	unshare(own.Elem())
	return own
}

// unshare replaces everything that v, which can be set, refers to by copies.
func unshare(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			v.Set(clone(v))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		if refers(v.Type().Elem()) {
			for i := range own.Len() {
				unshare(own.Index(i))
			}
		}
		v.Set(own)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		own := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(it.Value())
			unshare(value)
			own.SetMapIndex(it.Key(), value)
		}
		v.Set(own)
	case reflect.Struct:
		for _, i := range fieldsOf(v.Type()).refers {
			unshare(v.Field(i))
		}
	default: // holds nothing
	}
}

// fields are the exported fields of a struct type.
type fields struct {
	texts  []int                   // that are texts or may hold some
	refers []int                   // that may refer to other memory
	json   map[string]reflect.Type // by name in JSON
}

var known sync.Map //nolint:gochecknoglobals // a cache of the fields of types, by reflect.Type

func fieldsOf(t reflect.Type) *fields {
	if f, ok := known.Load(t); ok {
		return f.(*fields) // it holds nothing else
	}
	f := &fields{json: map[string]reflect.Type{}}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.IsExported() && name != "-" && (name != "" || !field.Anonymous) {
			f.json[cmp.Or(name, field.Name)] = field.Type
		}
	}
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			continue
		}
		of := t.Field(i).Type
		if hasTexts(of) {
			f.texts = append(f.texts, i)
		}
		if refers(of) {
			f.refers = append(f.refers, i)
		}
	}
	known.Store(t, f)
	return f
}

// hasTexts reports whether values of type t are texts or may hold some.
func hasTexts(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String:
		return true
	case reflect.Pointer, reflect.Slice:
		return hasTexts(t.Elem())
	case reflect.Map:
		return hasTexts(t.Key()) || hasTexts(t.Elem())
	case reflect.Struct:
		return len(fieldsOf(t).texts) > 0
	default:
		return false
	}
}

// refers reports whether values of type t may refer to other memory that can be changed.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return true
	case reflect.Struct:
		return len(fieldsOf(t).refers) > 0
	default:
		return false
	}
}
