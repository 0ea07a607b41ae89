package filter

// Field is a property of a row that a filter can name: owner=cyborg, age<1d. A is what
// is needed to read rows, such as the time. It is made by TextField, NumberField or
// WordsField, or of its parts.
type Field[R, A any] struct {
	Name string
	// Open returns a function that gets the field from a row. The function is for one
	// goroutine, and a Value is good until the next call.
	Open func(at A) func(row R) Value
}

// TextField returns a field that holds a word.
func TextField[R, A any](name string, get func(row R, at A) string) Field[R, A] {
	return Field[R, A]{Name: name, Open: func(at A) func(R) Value {
		return func(row R) Value { return Text(get(row, at)) }
	}}
}

// NumberField returns a field that holds a number of units; get reports whether a
// row has one.
func NumberField[R, A any](name string, unit Unit, get func(row R, at A) (float64, bool)) Field[R, A] {
	return Field[R, A]{Name: name, Open: func(at A) func(R) Value {
		return func(row R) Value {
			if n, ok := get(row, at); ok {
				return Number(n, unit)
			}
			return Value{}
		}
	}}
}

// WordsField returns a field that holds several words, which get appends to words.
func WordsField[R, A any](name string, get func(row R, at A, words []string) []string) Field[R, A] {
	return Field[R, A]{Name: name, Open: func(at A) func(R) Value {
		var words []string // of the last row asked for
		return func(row R) Value {
			words = get(row, at, words[:0])
			return List(words...)
		}
	}}
}
