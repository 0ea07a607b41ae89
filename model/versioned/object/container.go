package object

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// OrNull holds what Of does, or null: the nil pointer. It is for the elements
// of a Dict; a field that may be null is Nullable.
type OrNull[T any] struct{ Of Type[T] }

// Describe implements Type.
func (t OrNull[T]) Describe() string { return "Nullable" + t.Of.Describe() }

// Primitive implements Type.
func (t OrNull[T]) Primitive(v *T) any {
	if v == nil {
		return nil
	}
	return t.Of.Primitive(*v)
}

// Coerce implements Type.
func (t OrNull[T]) Coerce(v any) (*T, error) {
	if p, ok := v.(*T); ok {
		if p == nil {
			return nil, nil //nolint:nilnil // null is a value
		}
		v = *p
	}
	if v == nil {
		return nil, nil //nolint:nilnil // null is a value
	}
	e, err := t.Of.Coerce(v)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

// Dict holds maps whose values are of one type. It takes any map with text keys
// and coerces each value. What Get returns is a copy: filling it in place would
// pass by the coercion and leave the field unchanged.
type Dict[T any] struct{ Of Type[T] }

// Describe implements Type.
func (t Dict[T]) Describe() string { return "Dict<" + t.Of.Describe() + ">" }

// Primitive implements Type.
func (t Dict[T]) Primitive(v map[string]T) any {
	p := make(map[string]any, len(v))
	for k, e := range v {
		p[k] = t.Of.Primitive(e)
	}
	return p
}

// Coerce implements Type.
func (t Dict[T]) Coerce(v any) (map[string]T, error) {
	if v == nil {
		return nil, errNull
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Map || rv.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("a dict is required, not a %T", v)
	}
	m := make(map[string]T, rv.Len())
	for it := rv.MapRange(); it.Next(); {
		e, err := t.Of.Coerce(it.Value().Interface())
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", it.Key().String(), elementError(err))
		}
		m[it.Key().String()] = e
	}
	return m, nil
}

func (Dict[T]) copy(v map[string]T) map[string]T { return maps.Clone(v) }

// List holds lists whose elements are of one type. It takes any list and coerces
// each element.
type List[T any] struct{ Of Type[T] }

// Describe implements Type.
func (t List[T]) Describe() string { return "List<" + t.Of.Describe() + ">" }

// Primitive implements Type.
func (t List[T]) Primitive(v []T) any {
	p := make([]any, len(v))
	for i, e := range v {
		p[i] = t.Of.Primitive(e)
	}
	return p
}

// Coerce implements Type.
func (t List[T]) Coerce(v any) ([]T, error) {
	if v == nil {
		return nil, errNull
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Slice {
		return nil, fmt.Errorf("a list is required, not a %T", v)
	}
	list := make([]T, rv.Len())
	for i := range list {
		e, err := t.Of.Coerce(rv.Index(i).Interface())
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, elementError(err))
		}
		list[i] = e
	}
	return list, nil
}

func (List[T]) copy(v []T) []T { return slices.Clone(v) }

// elementError says of an element what errNull says of a whole field.
func elementError(err error) error {
	if errors.Is(err, errNull) {
		return errors.New("an element cannot be null")
	}
	return err
}

// IntegerSet holds sets of whole numbers, as sorted lists without repeats. It
// takes any list of what an Integer takes.
type IntegerSet struct{}

// Describe implements Type.
func (IntegerSet) Describe() string { return "Set<Integer>" }

// Primitive implements Type.
func (IntegerSet) Primitive(v []int64) any { return List[int64]{Integer{}}.Primitive(v) }

// Coerce implements Type.
func (IntegerSet) Coerce(v any) ([]int64, error) {
	list, err := List[int64]{Integer{}}.Coerce(v)
	slices.Sort(list)
	return slices.Compact(list), err
}

func (IntegerSet) copy(v []int64) []int64 { return slices.Clone(v) }

// Instance holds objects of a class. P is the type of its objects; Or names
// further classes whose objects are P too.
type Instance[P Object] struct {
	Class string
	Or    []string
}

// Describe implements Type.
func (t Instance[P]) Describe() string { return "Object<" + t.Class + ">" }

// Primitive implements Type. An object as such stands for itself; what its
// envelope is a Registry knows.
func (Instance[P]) Primitive(v P) any { return v }

// Coerce implements Type. The nil object is null.
func (t Instance[P]) Coerce(v any) (P, error) {
	var none P
	p, ok := v.(P)
	if v == nil || ok && reflect.ValueOf(v).IsZero() {
		return none, errNull
	}
	if !ok || !slices.Contains(t.classes(), p.ObjectHeader().name) {
		return none, fmt.Errorf("an object of type %s is required, not a %T", t.Class, v)
	}
	return p, nil
}

func (t Instance[P]) classes() []string { return append([]string{t.Class}, t.Or...) }

func (Instance[P]) children(v P) []Object { return []Object{v} }

func (Instance[P]) encode(v P, r *Registry) (any, error) { return r.encode(v) }

func (t Instance[P]) decode(p any, r *Registry) (P, error) {
	var none P
	o, err := r.Decode(p)
	if err != nil {
		return none, err
	}
	v, err := t.Coerce(o)
	if err != nil {
		return none, elementError(err)
	}
	return v, nil
}

// Instances holds lists of objects of a class.
type Instances[P Object] struct{ Of Instance[P] }

// ListOf returns the type of lists of objects of the named class. Further names
// are of classes whose objects are P too.
func ListOf[P Object](class string, or ...string) Instances[P] {
	return Instances[P]{Instance[P]{Class: class, Or: or}}
}

// Describe implements Type.
func (t Instances[P]) Describe() string { return "List<" + t.Of.Describe() + ">" }

// Primitive implements Type.
func (t Instances[P]) Primitive(v []P) any { return List[P]{t.Of}.Primitive(v) }

// Coerce implements Type.
func (t Instances[P]) Coerce(v any) ([]P, error) { return List[P]{t.Of}.Coerce(v) }

func (t Instances[P]) copy(v []P) []P { return slices.Clone(v) }

func (t Instances[P]) classes() []string { return t.Of.classes() }

func (Instances[P]) children(v []P) []Object {
	list := make([]Object, len(v))
	for i, o := range v {
		list[i] = o
	}
	return list
}

func (Instances[P]) encode(v []P, r *Registry) (any, error) {
	list := make([]any, len(v))
	for i, o := range v {
		p, err := r.encode(o)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		list[i] = p
	}
	return list, nil
}

func (t Instances[P]) decode(p any, r *Registry) ([]P, error) {
	elements, ok := p.([]any)
	if !ok {
		return nil, &ValueError{Object: t.Of.Class, Field: "objects", Why: fmt.Errorf("a list is required, not a %T", p)}
	}
	list := make([]P, len(elements))
	for i, e := range elements {
		o, err := t.Of.decode(e, r)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		list[i] = o
	}
	return list, nil
}

// Sequence is embedded in objects that are lists: its one field, objects, holds
// them in order.
//
// Source: oslo_versionedobjects/base.py, ObjectListBase.
type Sequence[P Object] struct {
	Header
	Objects Field[[]P]
}

// BindList makes o, which embeds s, a list of objects of the element class. It
// holds none and has not changed.
func (s *Sequence[P]) BindList(o Object, class, element string) {
	s.Bind(o, class, s.Objects.As("objects", ListOf[P](element)))
	s.Objects.state = valued
}

// Append adds objects at the end.
func (s *Sequence[P]) Append(objects ...P) error {
	return s.Objects.Set(append(s.Objects.Get(), objects...))
}

// All returns the objects in order.
func (s *Sequence[P]) All() []P { return s.Objects.Get() }
