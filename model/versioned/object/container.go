package object

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// textOrNull is the type of texts in a Dict that may be null, a nil pointer.
type textOrNull struct{}

func (*textOrNull) Describe() string { return "NullableString" }

func (*textOrNull) Primitive(v any) any {
	if p := v.(*string); p != nil {
		return *p
	}
	return nil
}

func (*textOrNull) Coerce(v any) (any, error) {
	var none *string
	if p, ok := v.(*string); ok {
		if p == nil {
			return none, nil
		}
		v = *p
	}
	if v == nil {
		return none, nil
	}
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// dict is the type of maps with Go type is. It takes any map with text keys and coerces
// each value. Get returns a copy: adding to it in place would bypass the coercion, and
// leaves the field unchanged.
type dict struct {
	of AnyType
	is reflect.Type
}

func (t *dict) Describe() string { return "Dict<" + t.of.Describe() + ">" }

func (t *dict) Primitive(v any) any {
	p := make(map[string]any)
	for it := reflect.ValueOf(v).MapRange(); it.Next(); {
		p[it.Key().String()] = t.of.Primitive(it.Value().Interface())
	}
	return p
}

func (t *dict) Coerce(v any) (any, error) {
	if v == nil {
		return nil, errNull
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Map || rv.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("a dict is required, not a %T", v)
	}
	m := reflect.MakeMapWithSize(t.is, rv.Len())
	for it := rv.MapRange(); it.Next(); {
		key := it.Key().String()
		e, err := t.of.Coerce(it.Value().Interface())
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", key, elementError(err))
		}
		m.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(e))
	}
	return m.Interface(), nil
}

func (t *dict) copy(v any) any {
	m := reflect.MakeMap(t.is)
	for it := reflect.ValueOf(v).MapRange(); it.Next(); {
		m.SetMapIndex(it.Key(), it.Value())
	}
	return m.Interface()
}

// list is the type of slices with Go type is. It takes any list and coerces each element.
type list struct {
	of AnyType
	is reflect.Type
}

func (t *list) Describe() string { return "List<" + t.of.Describe() + ">" }

func (t *list) Primitive(v any) any {
	rv := reflect.ValueOf(v)
	p := make([]any, rv.Len())
	for i := range p {
		p[i] = t.of.Primitive(rv.Index(i).Interface())
	}
	return p
}

func (t *list) Coerce(v any) (any, error) {
	if v == nil {
		return nil, errNull
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Slice {
		return nil, fmt.Errorf("a list is required, not a %T", v)
	}
	return t.each(rv.Len(), func(i int) (any, error) {
		e, err := t.of.Coerce(rv.Index(i).Interface())
		return e, elementError(err)
	})
}

// each makes a list of n elements.
func (t *list) each(n int, element func(i int) (any, error)) (any, error) {
	made := reflect.MakeSlice(t.is, n, n)
	for i := range n {
		e, err := element(i)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		made.Index(i).Set(reflect.ValueOf(e))
	}
	return made.Interface(), nil
}

func (t *list) copy(v any) any {
	rv := reflect.ValueOf(v)
	if rv.IsNil() {
		return v
	}
	return reflect.AppendSlice(reflect.MakeSlice(t.is, 0, rv.Len()), rv).Interface()
}

// elementError turns errNull into the error about an element.
func elementError(err error) error {
	if errors.Is(err, errNull) {
		return errors.New("an element cannot be null")
	}
	return err
}

// IntegerSet holds sets of whole numbers, as sorted lists without repeats. It
// takes any list of what an Integer takes.
type IntegerSet struct{}

// Describe implements AnyType.
func (*IntegerSet) Describe() string { return "Set<Integer>" }

// Primitive implements AnyType.
func (*IntegerSet) Primitive(v any) any { return integers().Primitive(v) }

func (*IntegerSet) sealed([]int64) {}

// integers returns the list that an IntegerSet is based on.
func integers() *list { return &list{new(Integer), reflect.TypeFor[[]int64]()} }

// Coerce implements AnyType.
func (*IntegerSet) Coerce(v any) (any, error) {
	made, err := integers().Coerce(v)
	if err != nil {
		return nil, err
	}
	set := made.([]int64)
	slices.Sort(set)
	return slices.Compact(set), nil
}

func (*IntegerSet) copy(v any) any { return slices.Clone(v.([]int64)) }

// Instance returns the type of objects of the named class, which are P. Further names
// are of classes whose objects are P, too.
func Instance[P Object](class string, or ...string) Type[P] {
	return &typed[P]{&instance{class, append([]string{class}, or...), reflect.TypeFor[P]()}}
}

// instance is the type of objects with Go type is.
type instance struct {
	class string
	any   []string // class, and other classes
	is    reflect.Type
}

func (t *instance) Describe() string { return "Object<" + t.class + ">" }

// Primitive implements AnyType. An object is its own primitive; only a Registry knows its
// envelope.
func (*instance) Primitive(v any) any { return v }

// Coerce implements AnyType. The nil object is null.
func (t *instance) Coerce(v any) (any, error) {
	if v == nil {
		return nil, errNull
	}
	rv := reflect.ValueOf(v)
	fits := rv.Type().AssignableTo(t.is)
	if fits && rv.IsZero() {
		return nil, errNull
	}
	if !fits || !slices.Contains(t.any, v.(Object).ObjectHeader().name) {
		return nil, fmt.Errorf("an object of type %s is required, not a %T", t.class, v)
	}
	return v, nil
}

func (t *instance) classes() []string { return t.any }

func (*instance) children(v any) []Object { return []Object{v.(Object)} }

func (*instance) encode(v any, r *Registry) (any, error) { return r.encode(v.(Object)) }

func (t *instance) decode(p any, r *Registry) (any, error) {
	o, err := r.Decode(p)
	if err != nil {
		return nil, err
	}
	v, err := t.Coerce(o)
	return v, elementError(err)
}

// ListOf returns the type of lists of objects of the named class, which are P. Further
// names are of classes whose objects are P, too.
func ListOf[P Object](class string, or ...string) Type[[]P] {
	of := bare(Instance[P](class, or...)).(*instance)
	return &typed[[]P]{&instances{list{of, reflect.TypeFor[[]P]()}, of}}
}

// instances is the type of lists of objects.
type instances struct {
	list
	of *instance
}

func (t *instances) classes() []string { return t.of.any }

func (*instances) children(v any) []Object {
	rv := reflect.ValueOf(v)
	all := make([]Object, rv.Len())
	for i := range all {
		all[i] = rv.Index(i).Interface().(Object)
	}
	return all
}

func (t *instances) encode(v any, r *Registry) (any, error) {
	all := t.children(v)
	list := make([]any, len(all))
	for i, o := range all {
		p, err := r.encode(o)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		list[i] = p
	}
	return list, nil
}

func (t *instances) decode(p any, r *Registry) (any, error) {
	elements, ok := p.([]any)
	if !ok {
		return nil, &ValueError{Object: t.of.class, Field: "objects", Why: fmt.Errorf("a list is required, not a %T", p)}
	}
	return t.each(len(elements), func(i int) (any, error) { return t.of.decode(elements[i], r) })
}

// Sequence is embedded in objects that are lists: its one field, objects, holds
// them in order.
//
// Source: oslo_versionedobjects/base.py, ObjectListBase.
type Sequence[P Object] struct {
	Header
	Objects Field[[]P] `field:"objects"`
}

// MakeList is Make of a struct that begins with a Sequence. The list is empty and unchanged.
func MakeList[T any]() *T {
	l := new(T)
	bindList(l)
	return l
}

// ListMaker returns what MakeList is for a type that only reflection knows.
func ListMaker(t reflect.Type) func() Object {
	return func() Object { return bindList(reflect.New(t).Interface()) }
}

// bindList is bindAny of a pointer to a struct that begins with a Sequence.
func bindList(l any) Object {
	o := bindAny(l)
	objects := o.ObjectHeader().members[0]
	objects.state, objects.value = valued, reflect.Zero(objects.typ.(*instances).is).Interface()
	return o
}

// Append adds objects at the end.
func (s *Sequence[P]) Append(objects ...P) error {
	return s.Objects.Set(append(s.Objects.Get(), objects...))
}

// All returns the objects in order.
func (s *Sequence[P]) All() []P { return s.Objects.Get() }
