package list

import (
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/component"
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
