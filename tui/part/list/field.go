package list

import (
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/filter"
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

// Fields returns the fields that rules of users know too, with others of the list
// beside them.
func Fields[R any](known []audit.Field[R], more ...Field[R]) []Field[R] {
	out := make([]Field[R], len(known), len(known)+len(more))
	for i, f := range known {
		out[i] = Field[R]{Name: f.Name, Open: func(at At) func(R) filter.Value { return f.Open(audit.At(at)) }}
	}
	return append(out, more...)
}
