// Package delta tells how two versions of a thing differ: field by field, as exports have
// them. Previews, the journal, comparisons, undo and the merge of edits all read it, and the
// words for it are in words.go.
package delta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Field is a field that differs.
type Field struct {
	Path          []string        // its name in exports, and below it the keys of maps and objects
	Before, After json.RawMessage // nil if it is not set
}

// Of returns the fields that differ between two versions of a thing, in the order of an
// export; either may be nil. The order of a list of texts does not count.
func Of(before, after any) []Field {
	was, is := fields(before), fields(after)
	var out []Field
	for _, f := range is {
		if f.Before = value(was, f.Path); !same(f.Before, f.After) {
			out = append(out, f)
		}
	}
	for _, f := range was {
		if value(is, f.Path) == nil {
			out = append(out, Field{Path: f.Path, Before: f.After})
		}
	}
	return out
}

// Back returns now with fields as they were before. Those that are neither as before nor as
// after were written since: they are returned with the later value as After.
func Back[T any](now T, of []Field) (back T, written []Field, err error) {
	is := fields(now)
	var undo []Field
	for _, f := range of {
		v := value(is, f.Path)
		_, isSet := texts(v)
		_, _, wasSet := f.Elements()
		switch {
		case same(v, f.Before):
		case same(v, f.After), isSet && wasSet:
			undo = append(undo, Field{f.Path, f.After, f.Before})
		default:
			written = append(written, Field{f.Path, f.After, v})
		}
	}
	back, err = onto(now, undo)
	return back, written, err
}

// Merge returns now with what differs in want from base.
func Merge[T any](base, want, now T) (T, error) {
	mine := Of(base, want)
	for _, f := range Of(now, want) {
		// An inventory that is gone comes back whole: one field alone makes none.
		whole := f.Before == nil && slices.Contains(f.Path, "inventories")
		if parent := f.Path[:len(f.Path)-1]; whole && slices.ContainsFunc(mine, func(m Field) bool { return slices.Equal(m.Path[:len(m.Path)-1], parent) }) {
			mine = append(mine, f)
		}
	}
	return onto(now, mine)
}

// Elements returns what is added to and removed from a list of texts, which is a set; ok is
// false for any other field.
func (f Field) Elements() (added, removed []string, ok bool) {
	was, had := texts(f.Before)
	is, has := texts(f.After)
	added, removed = except(is, was), except(was, is)
	return added, removed, had && has && len(added)+len(removed) > 0
}

// onto returns now with fields as they are after: of a set, with the elements that are added
// and without those that are removed.
func onto[T any](now T, of []Field) (out T, err error) {
	doc, err := json.Marshal(now)
	for _, f := range of {
		if err == nil {
			doc, err = f.put(doc, f.Path)
		}
	}
	if err != nil {
		return out, err
	}
	to := reflect.New(reflect.TypeOf(now))
	if err := json.Unmarshal(doc, to.Interface()); err != nil {
		return out, err
	}
	return to.Elem().Interface().(T), nil
}

// put sets the field at a path of an object, nil for an empty one.
func (f Field) put(doc json.RawMessage, path []string) (json.RawMessage, error) {
	members, name := map[string]json.RawMessage{}, path[0]
	if doc != nil && string(doc) != "null" {
		if err := json.Unmarshal(doc, &members); err != nil {
			return nil, err
		}
	}
	var err error
	is := members[name]
	if len(path) > 1 {
		is, err = f.put(is, path[1:])
	} else if added, removed, set := f.Elements(); set && !same(is, f.Before) {
		has, _ := texts(is)
		has = except(append(except(has, added), added...), removed)
		slices.Sort(has)
		is, err = json.Marshal(has)
	} else {
		is = f.After
	}
	if members[name] = is; is == nil {
		delete(members, name)
	}
	if err != nil || len(members) == 0 {
		return nil, err
	}
	return json.Marshal(members)
}

// fields returns the fields of a thing that are set, as After, in the order of an export.
func fields(of any) []Field {
	doc, err := json.Marshal(of)
	if err != nil {
		return nil // what is compared always marshals
	}
	return members(nil, nil, doc)
}

// members appends the fields of a JSON object, and those of objects in it.
func members(out []Field, under []string, doc json.RawMessage) []Field {
	dec := json.NewDecoder(bytes.NewReader(doc))
	if _, err := dec.Token(); err != nil { // the brace that opens it
		return out
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return out
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return out
		}
		path := append(slices.Clone(under), fmt.Sprint(key))
		switch {
		case v[0] == '{':
			out = members(out, path, v)
		case string(v) != "null" && string(v) != "[]":
			out = append(out, Field{Path: path, After: v})
		}
	}
	return out
}

// value returns the value of the field at a path, nil if it is not set.
func value(of []Field, path []string) json.RawMessage {
	for _, f := range of {
		if slices.Equal(f.Path, path) {
			return f.After
		}
	}
	return nil
}

// same reports whether two values are equal, or lists of the same texts.
func same(a, b json.RawMessage) bool {
	x, ok1 := texts(a)
	y, ok2 := texts(b)
	slices.Sort(x)
	slices.Sort(y)
	return bytes.Equal(a, b) || ok1 && ok2 && slices.Equal(x, y)
}

// texts returns the elements of a list of texts, of which nil is an empty one.
func texts(v json.RawMessage) (out []string, ok bool) {
	ok = v == nil || json.Unmarshal(v, &out) == nil
	return out, ok
}

// except returns the elements of a that are not in b.
func except(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}
