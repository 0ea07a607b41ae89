package ops

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// Merge returns now with the changes from base to want, and the names of those that
// another writer changed too: for these want wins. Lists count as sets. All three have
// one type: structs, maps, lists and plain values, nested to any depth.
func Merge[T any](base, want, now T) (merged T, clashes []string) {
	m := merging{}
	out := m.merge("", reflect.ValueOf(&base).Elem(), reflect.ValueOf(&want).Elem(), reflect.ValueOf(&now).Elem())
	return out.Interface().(T), m.clashes
}

type merging struct{ clashes []string }

// merge merges the values at a path.
func (m *merging) merge(at string, base, want, now reflect.Value) reflect.Value {
	switch {
	case same(base, want):
		return now
	case same(now, base):
		return want
	}
	switch base.Kind() {
	case reflect.Struct:
		out := reflect.New(base.Type()).Elem()
		for i := range base.NumField() {
			out.Field(i).Set(m.merge(fieldPath(at, base.Type().Field(i)), base.Field(i), want.Field(i), now.Field(i)))
		}
		return out
	case reflect.Map:
		return m.maps(at, base, want, now)
	case reflect.Slice:
		return mergedSet(base, want, now)
	default:
	}
	if !same(now, want) {
		m.clash(at, base, now)
	}
	return want
}

// maps merges maps key by key. A missing key has the invalid Value.
func (m *merging) maps(at string, base, want, now reflect.Value) reflect.Value {
	out := reflect.MakeMap(base.Type())
	for _, key := range keysOf(base, want, now) {
		b, w, n := base.MapIndex(key), want.MapIndex(key), now.MapIndex(key)
		path := join(at, fmt.Sprint(key))
		switch {
		case same(b, w):
			w = n
		case same(n, b), same(n, w):
		case b.IsValid() && w.IsValid() && n.IsValid():
			w = m.merge(path, b, w, n)
		default:
			m.clash(path, b, n)
		}
		if w.IsValid() {
			out.SetMapIndex(key, w)
		}
	}
	return out
}

// mergedSet returns now with what want adds to base, and without what it removes.
func mergedSet(base, want, now reflect.Value) reflect.Value {
	out := reflect.MakeSlice(now.Type(), 0, now.Len()+want.Len())
	for _, from := range []reflect.Value{now, want} {
		for i := range from.Len() {
			x := from.Index(i)
			gone := inList(base, x) && !inList(want, x)
			stays := inList(now, x) || !inList(base, x)
			if !gone && stays && !inList(out, x) {
				out = reflect.Append(out, x)
			}
		}
	}
	return out
}

func inList(list, x reflect.Value) bool {
	for i := range list.Len() {
		if same(list.Index(i), x) {
			return true
		}
	}
	return false
}

// same reports whether two values are equal; an empty map or list equals none.
func same(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if k := a.Kind(); (k == reflect.Map || k == reflect.Slice) && a.Len()+b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// clash notes that another writer has changed the value at a path.
func (m *merging) clash(at string, base, now reflect.Value) {
	m.clashes = append(m.clashes, teller{}.changed(at, base, now)...)
}

// teller says how two values differ, with names from s.
type teller struct{ s *cloud.Snapshot }

// changed says how b differs from a, with a line for each difference: "VCPU total 16 >
// 32".
func (t teller) changed(at string, a, b reflect.Value) (out []string) {
	if same(a, b) {
		return nil
	}
	if !a.IsValid() || !b.IsValid() || a.Kind() == reflect.Array {
		return []string{fmt.Sprintf("%s %s > %s", at, t.told(a), t.told(b))}
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			out = append(out, t.changed(fieldPath(at, a.Type().Field(i)), a.Field(i), b.Field(i))...)
		}
	case reflect.Map:
		for _, key := range keysOf(a, b) {
			out = append(out, t.changed(join(at, t.told(key)), a.MapIndex(key), b.MapIndex(key))...)
		}
	case reflect.Slice:
		for i, lists := range [][2]reflect.Value{{b, a}, {a, b}} {
			for n := range lists[0].Len() {
				if x := lists[0].Index(n); !inList(lists[1], x) {
					out = append(out, fmt.Sprintf("%s %c%s", at, "+-"[i], t.told(x)))
				}
			}
		}
	default:
		out = []string{fmt.Sprintf("%s %s > %s", at, t.told(a), t.told(b))}
	}
	return out
}

// told returns a value as shown: "none" for a missing one, and the first field of a
// struct.
func (t teller) told(v reflect.Value) string {
	switch {
	case !v.IsValid(), v.IsZero() && (v.Kind() == reflect.Array || v.Kind() == reflect.String):
		return "none"
	case v.Kind() == reflect.Struct && v.NumField() > 0:
		return t.told(v.Field(0))
	case v.Kind() == reflect.Map:
		var of []string
		for _, key := range keysOf(v) {
			of = append(of, t.told(key)+" "+t.told(v.MapIndex(key)))
		}
		return cmp.Or(strings.Join(of, ", "), "none")
	}
	if id, ok := reflect.TypeAssert[placement.ProviderID](v); ok && t.s != nil {
		return t.s.Placement().ProviderName(id)
	}
	return fmt.Sprint(v)
}

// fieldPath returns the path of a field: its name in YAML or JSON, or in Go. A map adds
// nothing, as its keys say enough.
func fieldPath(at string, f reflect.StructField) string {
	if f.Type.Kind() == reflect.Map {
		return at
	}
	for _, tag := range []string{"yaml", "json"} {
		if name, _, _ := strings.Cut(f.Tag.Get(tag), ","); name != "" {
			return join(at, name)
		}
	}
	return join(at, strings.ToLower(f.Name))
}

// keysOf returns the keys of maps in alphabetical order.
func keysOf(all ...reflect.Value) []reflect.Value {
	var out []reflect.Value
	seen := map[any]bool{}
	for _, m := range all {
		for _, key := range m.MapKeys() {
			if !seen[key.Interface()] {
				seen[key.Interface()] = true
				out = append(out, key)
			}
		}
	}
	sorted.By(out, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return out
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + " " + name
}
