package list

import (
	"slices"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

// Field is a property of rows for columns, orders and filters: owner=cyborg, age<1d.
// It is made by TextField, NumberField or WordsField, or of its parts.
type Field[R any] struct {
	Name string
	// Open returns a function that gets the field from a row. The function is for one
	// goroutine, and a Value is good until the next call.
	Open func(at At) func(row R) filter.Value
}

// TextField returns a field that holds a word.
func TextField[R any](name string, get func(row R, at At) string) Field[R] {
	return Field[R]{name, func(at At) func(R) filter.Value {
		return func(row R) filter.Value { return filter.Text(get(row, at)) }
	}}
}

// NumberField returns a field that holds a number of units; get reports whether a
// row has one.
func NumberField[R any](name string, unit component.Unit, get func(row R, at At) (float64, bool)) Field[R] {
	return Field[R]{name, func(at At) func(R) filter.Value {
		return func(row R) filter.Value {
			if n, ok := get(row, at); ok {
				return filter.Number(n, unit)
			}
			return filter.Value{}
		}
	}}
}

// WordsField returns a field that holds several words, which get appends to words.
func WordsField[R any](name string, get func(row R, at At, words []string) []string) Field[R] {
	return Field[R]{name, func(at At) func(R) filter.Value {
		var words []string // of the last row asked for
		return func(row R) filter.Value {
			words = get(row, at, words[:0])
			return filter.List(words...)
		}
	}}
}

// ProblemField returns the field that holds the rules that found something wrong with a row.
func ProblemField[R any](found func(row R) []audit.Finding) Field[R] {
	return WordsField("problem", func(row R, _ At, words []string) []string {
		for _, f := range found(row) {
			words = append(words, string(f.Rule))
		}
		return words
	})
}

// field is a field of a list's rows: one of the list itself, or of its kind.
type field struct {
	own  int          // index in Spec.Fields
	kind *kinds.Field // nil if the list itself has it
}

// field returns the field with a name, and false if there is none.
func (f *form) field(name string) (field, bool) {
	if i := slices.IndexFunc(f.Fields, func(own Field[any]) bool { return own.Name == name }); i >= 0 {
		return field{own: i}, true
	}
	if f.kind == nil {
		return field{}, false
	}
	of := f.kind.Field(name)
	return field{kind: of}, of != nil
}

// filterRows are the rows of a list as a filter sees them. It implements filter.Fields;
// without rows it can only tell whether a filter is valid.
type filterRows struct {
	*form
	all []any
	at  At

	memory *screen.Memory
}

// Filter implements filter.Named.
func (r filterRows) Filter(name string) (string, bool) { return r.memory.Filter(name) }

// Names implements filter.Fields.
func (r filterRows) Names() []string {
	var names []string
	for _, own := range r.Fields {
		names = append(names, own.Name)
	}
	if r.kind != nil {
		names = append(names, r.kind.Asked()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Field implements filter.Fields.
func (r filterRows) Field(name string) func(row int) filter.Value {
	f, ok := r.field(name)
	switch {
	case !ok:
		return nil
	case len(r.all) == 0:
		return func(int) filter.Value { return filter.Value{} } // without rows the field cannot be opened
	case f.kind == nil:
		get := r.Fields[f.own].Open(r.at)
		return func(i int) filter.Value { return get(r.all[i]) }
	}
	get, of := f.kind.Ask(r.at, name), r.Of(r.at)
	return func(i int) filter.Value { return get(of(r.all[i])) }
}

// key returns a function from a row to its sort key.
func (f *form) key(order int, at At) func(row any) Key {
	o := f.orders[order]
	switch {
	case o.Key != nil:
		return func(row any) Key { return o.Key(row, at) }
	case o.by.kind == nil:
		get := f.Fields[o.by.own].Open(at)
		return func(row any) Key {
			v := get(row)
			return Key{None: !v.IsNum && v.Text == "" && len(v.List) == 0, Number: v.Num, Text: v.Text}
		}
	}
	get, of := o.by.kind.Get(at), f.Of(at)
	return func(row any) Key {
		v := get(of(row))
		n, text := v.Key()
		if o.by.kind.Type == kinds.Time {
			n = -n // by age
		}
		return Key{None: v.Empty(), Number: n, Text: text}
	}
}
