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
	"strings"
)

// Field is a field that differs. What its values are is up to who returns it: Of returns them
// before and after, Back before an undo and now. In what onto takes, After is to be written.
type Field struct {
	Path          []string        // its name in exports, and below it the keys of maps and objects
	Before, After json.RawMessage // nil if it is not set
}

// Of returns the fields that differ between two versions of a thing, in the order of an
// export; either may be nil. The order of a list of texts does not count.
func Of(before, after any) []Field {
	was, is := fields(before), fields(after)
	had, has := values(was), values(is)
	var out []Field
	for _, f := range is {
		if f.Before = had[joined(f.Path)]; !same(f.Before, f.After) {
			out = append(out, f)
		}
	}
	for _, f := range was {
		if has[joined(f.Path)] == nil {
			out = append(out, Field{Path: f.Path, Before: f.After})
		}
	}
	return out
}

// Back returns now with fields as they were before. Those that are neither as before nor as
// after were written since: they are returned with the later value as After.
func Back[T any](now T, of []Field) (back T, written []Field, err error) {
	is := values(fields(now))
	var undo []Field
	for _, f := range of {
		v := is[joined(f.Path)]
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
	edited := map[string]bool{}
	for _, f := range mine {
		edited[f.inventory()] = true
	}
	for _, f := range Of(now, want) {
		// An inventory that is gone comes back whole: one field alone makes none.
		if of := f.inventory(); of != "" && f.Before == nil && edited[of] {
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
	if err != nil {
		return out, err
	}
	tree := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber() // large numbers stay exact
	if err := dec.Decode(&tree); err != nil {
		return out, err
	}
	for _, f := range of {
		if err := f.put(tree, f.Path); err != nil {
			return out, err
		}
	}
	if doc, err = json.Marshal(tree); err != nil {
		return out, err
	}
	to := reflect.New(reflect.TypeOf(now))
	if err := json.Unmarshal(doc, to.Interface()); err != nil {
		return out, err
	}
	return to.Elem().Interface().(T), nil
}

// put sets the field at a path of an object.
func (f Field) put(in map[string]any, path []string) error {
	name := path[0]
	if len(path) > 1 {
		under, ok := in[name].(map[string]any)
		if !ok {
			under = map[string]any{}
		}
		err := f.put(under, path[1:])
		if in[name] = under; len(under) == 0 {
			delete(in, name)
		}
		return err
	}
	is, err := json.Marshal(in[name])
	if added, removed, set := f.Elements(); set && !same(is, f.Before) {
		has, _ := texts(is)
		has = except(append(except(has, added), added...), removed)
		slices.Sort(has)
		in[name] = has
	} else if in[name] = f.After; f.After == nil {
		delete(in, name)
	}
	return err
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

// values returns what fields are, by path as joined returns it.
func values(of []Field) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(of))
	for _, f := range of {
		out[joined(f.Path)] = f.After
	}
	return out
}

// joined returns a path as one text: no name and no key has a NUL in it.
func joined(path []string) string { return strings.Join(path, "\x00") }

// inventory returns the path of the inventory that f is a field of, "" for any other field.
func (f Field) inventory() string {
	path := f.Path
	if path[0] == "providers" { // of several, by id
		path = path[min(2, len(path)):]
	}
	if len(path) < 3 || path[0] != "inventories" {
		return ""
	}
	return joined(f.Path[:len(f.Path)-1])
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
