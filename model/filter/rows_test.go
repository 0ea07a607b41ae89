package filter_test

import "github.com/placetop/placetop/model/filter"

// listOf is a list of rows with their fields, as Fields. Without rows it can only check
// whether a filter is valid.
type listOf[R, A any] struct {
	Fields []filter.Field[R, A]
	At     A
	Rows   []R
}

func (r listOf[R, A]) Names() []string {
	names := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		names[i] = f.Name
	}
	return names
}

func (r listOf[R, A]) Field(name string) func(row int) filter.Value {
	for _, f := range r.Fields {
		if f.Name != name {
			continue
		}
		if len(r.Rows) == 0 {
			return func(int) filter.Value { return filter.Value{} } // there may be no row to open the field with
		}
		get := f.Open(r.At)
		return func(row int) filter.Value { return get(r.Rows[row]) }
	}
	return nil
}
