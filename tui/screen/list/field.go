package list

import (
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/tui/component"
)

// Field is something of a row that a filter can name: owner=cyborg, age<1d. It is
// made by TextField, NumberField or WordsField.
type Field[R any] struct {
	name string
	open func(at At) func(row R) filter.Value
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
		var words []string // of the row that was asked for last
		return func(row R) filter.Value {
			words = get(row, at, words[:0])
			return filter.List(words...)
		}
	}}
}

// fields answers what a filter asks about rows. Without rows it can only tell
// whether a filter is sound.
type fields[R any] struct {
	list []Field[R]
	at   At
	rows []R
}

// Names implements filter.Fields.
func (f fields[R]) Names() []string {
	names := make([]string, len(f.list))
	for i, field := range f.list {
		names[i] = field.name
	}
	return names
}

// Field implements filter.Fields.
func (f fields[R]) Field(name string) func(row int) filter.Value {
	for _, field := range f.list {
		if field.name == name {
			get := field.open(f.at)
			return func(row int) filter.Value { return get(f.rows[row]) }
		}
	}
	return nil
}
