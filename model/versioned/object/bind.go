package object

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Make returns an object of the class with the same name as T, with nothing set. *T is
// an Object whose fields all have the type that goes with their values.
func Make[T any]() *T {
	o := new(T)
	bindAny(o)
	return o
}

// Maker returns what Make is for a type that only reflection knows.
func Maker(t reflect.Type) func() Object {
	return func() Object { return bindAny(reflect.New(t).Interface()) }
}

// bindAny makes o, a pointer to a struct, an object of the class with the name of its type.
func bindAny(o any) Object {
	object := o.(Object)
	bind(object, reflect.TypeOf(o).Elem().Name())
	return object
}

// Bind makes o an object of the named class. Fields whose type Make could not infer
// must have been given it by Field.Of.
func Bind[P Object](o P, class string) P {
	bind(o, class)
	return o
}

// bind sets up the fields of o as their tags say, in the order of the struct.
func bind(o Object, class string) {
	v, h := reflect.ValueOf(o).Elem(), o.ObjectHeader()
	h.name = class
	for _, d := range declared(v.Type()) {
		s := &v.FieldByIndex(d.index).Field(anyField).Addr().Interface().(*AnyField).slot
		if s.typ == nil {
			s.typ = d.typ
		}
		if s.typ == nil {
			panic(fmt.Sprintf("object: %s.%s: no field type matches its values", class, d.name))
		}
		s.header, s.name, s.options, s.def = h, d.name, d.options, d.def
		h.members = append(h.members, s)
	}
}

// anyField is the index of the AnyField in a Field.
const anyField = 1

// valuesOf returns the type of the values of a Field, and false for another type.
func valuesOf(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || t.NumField() != anyField+1 || t.Field(anyField).Type != reflect.TypeFor[AnyField]() {
		return nil, false
	}
	return t.Field(0).Type.Elem(), true
}

// declaration is what the struct says about a field.
type declaration struct {
	index   []int
	name    string
	typ     AnyType // for its values; nil if there is none
	options option
	def     any // nil for none
}

// declared returns the fields of a struct that embeds a Header, including those of other
// structs that it embeds.
func declared(t reflect.Type) []declaration {
	if all, ok := declarations.Load(t); ok {
		return all.([]declaration)
	}
	var all []declaration
	for _, f := range reflect.VisibleFields(t) {
		if values, ok := valuesOf(f.Type); ok {
			all = append(all, declare(f, values))
		}
	}
	declarations.Store(t, all)
	return all
}

//nolint:gochecknoglobals // what is read from a type once is the same each time
var declarations sync.Map

// declare reads the tag of a field: its name, "null" if null is a value, "once" if it can
// be set only once, and its default, as JSON.
func declare(f reflect.StructField, values reflect.Type) declaration {
	words := strings.Split(f.Tag.Get("field"), ",")
	d := declaration{index: f.Index, name: words[0], typ: typeOf(values)}
	for _, word := range words[1:] {
		text, isDefault := strings.CutPrefix(word, "default=")
		switch {
		case word == "null":
			d.options |= nullable
		case word == "once":
			d.options |= readOnly
		case isDefault:
			def := reflect.New(values)
			if err := json.Unmarshal([]byte(text), def.Interface()); err != nil {
				panic(fmt.Sprintf("object: the default of %s: %v", f.Name, err))
			}
			d.def = def.Elem().Interface()
		default:
			panic(fmt.Sprintf("object: the tag of %s says %q", f.Name, word))
		}
	}
	return d
}

// typeOf returns the type for values of a Go type; nil if there is none. The class of an
// object has the name of its Go type.
func typeOf(t reflect.Type) AnyType {
	for _, known := range []struct {
		is  any
		typ AnyType
	}{
		{int64(0), &Integer{}},
		{float64(0), &Float{}},
		{false, &Boolean{}},
		{"", &String{}},
		{uuid.UUID{}, &UUID{}},
		{time.Time{}, &DateTime{}},
		{netip.Addr{}, &IPAddress{}},
		{(*string)(nil), &textOrNull{}},
	} {
		if t == reflect.TypeOf(known.is) {
			return known.typ
		}
	}
	if t.Kind() == reflect.Pointer && t.Implements(reflect.TypeFor[Object]()) {
		class := t.Elem().Name()
		return &instance{class, []string{class}, t}
	}
	switch t.Kind() {
	case reflect.Map:
		if of := typeOf(t.Elem()); of != nil {
			return &dict{of, t}
		}
	case reflect.Slice:
		switch of := typeOf(t.Elem()).(type) {
		case nil:
		case *instance:
			return &instances{list{of, t}, of}
		default:
			return &list{of, t}
		}
	default:
	}
	return nil
}
