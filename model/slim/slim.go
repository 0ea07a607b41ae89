// Package slim holds functions of package slices that make less machine code.
//
// Those of package slices are compiled for each type of slice that they are used with:
// DeleteFunc, with a kilobyte for a struct, was there 58 times, and 16 of them were for
// slices of pointers. These are compiled for each kind of element, so that all pointers
// share one.
package slim

// DeleteFunc removes the rows for which drop holds, as slices.DeleteFunc does. It is not
// inlined: a loop that moves large rows takes more room than a call.
//
//go:noinline
func DeleteFunc[E any](rows []E, drop func(E) bool) []E {
	n := 0
	for i := range rows {
		if !drop(rows[i]) {
			rows[n] = rows[i]
			n++
		}
	}
	clear(rows[n:])
	return rows[:n]
}

// Insert puts a row at place i, as slices.Insert does.
func Insert[E any](rows []E, i int, row E) []E {
	rows = append(rows, row)
	copy(rows[i+1:], rows[i:])
	rows[i] = row
	return rows
}
