package list

import (
	"slices"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/screen"
)

// ProblemField returns the field that holds the rules that found something wrong with a row.
func ProblemField[R any](found func(row R) []audit.Finding) *kinds.Field {
	return kinds.WordsField("problem", func(row R, _ At, words []string) []string {
		for _, f := range found(row) {
			words = append(words, string(f.Rule))
		}
		return words
	})
}

// field is a field of a list's rows: one of the list itself, or of its kind.
type field struct {
	*kinds.Field
	own bool
}

// field returns the field with a name, and false if there is none.
func (f *form) field(name string) (field, bool) {
	if i := slices.IndexFunc(f.Fields, func(own *kinds.Field) bool { return own.Name == name }); i >= 0 {
		return field{f.Fields[i], true}, true
	}
	if f.kind == nil {
		return field{}, false
	}
	of := f.kind.Field(name)
	return field{of, false}, of != nil
}

// rowsOf returns a function that returns a row as a field takes it.
func (f *form) rowsOf(of field, at At) func(row any) kinds.Row {
	if of.own {
		return func(row any) kinds.Row { return row }
	}
	return f.Of(at)
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
	}
	get, of := f.Ask(r.at, name), r.rowsOf(f, r.at)
	return func(i int) filter.Value { return get(of(r.all[i])) }
}

// key returns a function from a row to its sort key.
func (f *form) key(order int, at At) func(row any) Key {
	o := f.orders[order]
	if o.Key != nil {
		return func(row any) Key { return o.Key(row, at) }
	}
	get, of := o.by.Get(at), f.rowsOf(o.by, at)
	return func(row any) Key {
		v := get(of(row))
		n, text := v.Key()
		if o.by.Type == kinds.Time {
			n = -n // by age
		}
		return Key{None: v.Empty(), Number: n, Text: text}
	}
}
