package filter_test

import "github.com/placetop/placetop/model/filter"

// listOf is a list of rows with their fields, as Fields. Without rows it can only check
// whether a filter is valid.
type listOf[R, A any] struct {
	Fields []field[R, A]
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

// field is a property of a row that a filter can name: owner=cyborg, age<1d. A is what
// is needed to read rows, such as the time. It is made by textField or wordsField, or
// of its parts.
type field[R, A any] struct {
	Name string
	// Open returns a function that gets the field from a row. The function is for one
	// goroutine, and a filter.Value is good until the next call.
	Open func(at A) func(row R) filter.Value
}

// textField returns a field that holds a word.
func textField[R, A any](name string, get func(row R, at A) string) field[R, A] {
	return field[R, A]{Name: name, Open: func(at A) func(R) filter.Value {
		return func(row R) filter.Value { return filter.Text(get(row, at)) }
	}}
}

// wordsField returns a field that holds several words, which get appends to words.
func wordsField[R, A any](name string, get func(row R, at A, words []string) []string) field[R, A] {
	return field[R, A]{Name: name, Open: func(at A) func(R) filter.Value {
		var words []string // of the last row asked for
		return func(row R) filter.Value {
			words = get(row, at, words[:0])
			return filter.List(words...)
		}
	}}
}
