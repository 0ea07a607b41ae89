package list

import (
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// TextCell returns how to draw a cell that holds a text in one colour.
func TextCell[R any](t themes.Token, get func(row R, at At) string) func(*component.Line, R, At) {
	return func(l *component.Line, row R, at At) { l.Add(t, get(row, at)) }
}

// CountCell returns how to draw a cell that holds a number of things.
func CountCell[R any](t themes.Token, get func(row R, at At) int64) func(*component.Line, R, At) {
	return func(l *component.Line, row R, at At) {
		var buf [32]byte
		l.AddBytes(t, component.AppendCount(buf[:0], get(row, at)))
	}
}

// TextColumn returns a column of a text in one colour: at least and at most so many
// cells wide, 0 for no most, with a share of what is left over. The greater its
// priority the earlier it goes where there is no room; one of 0 stays.
func TextColumn[R any](key, title string, least, most, share, priority int, t themes.Token, get func(row R, at At) string) Column[R] {
	return Column[R]{
		Column: component.Column{Key: key, Title: title, Min: least, Max: most, Flex: share, Priority: priority}, Cell: TextCell(t, get),
	}
}
