package list

import (
	"slices"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/part/component"
)

// Field is something of a row that a filter can name: owner=cyborg, age<1d. It is
// made by TextField, NumberField, WordsField or Fields.
type Field[R any] = filter.Field[R, At]

// TextField returns a field that holds a word.
func TextField[R any](name string, get func(row R, at At) string) Field[R] {
	return filter.TextField(name, get)
}

// NumberField returns a field that holds a number of units; get reports whether a
// row has one.
func NumberField[R any](name string, unit component.Unit, get func(row R, at At) (float64, bool)) Field[R] {
	return filter.NumberField(name, unit, get)
}

// WordsField returns a field that holds several words, which get appends to words.
func WordsField[R any](name string, get func(row R, at At, words []string) []string) Field[R] {
	return filter.WordsField(name, get)
}

// Fields returns the fields of a kind for rows that have one of its things, which of
// returns, with others of the list beside them.
func Fields[R any](name kinds.Name, of func(R) kinds.Row, more ...Field[R]) []Field[R] {
	var out []Field[R]
	for _, f := range kinds.Of(name).Fields {
		if slices.ContainsFunc(more, func(m Field[R]) bool { return m.Name == f.Asked() }) {
			continue // the list knows it better
		}
		out = append(out, Field[R]{Name: f.Asked(), Also: f.Name, Open: func(at At) func(R) filter.Value {
			get := f.Ask(at, f.Asked())
			return func(r R) filter.Value { return get(of(r)) }
		}})
	}
	return append(out, more...)
}
