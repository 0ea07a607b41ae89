// Package sorted sorts with one compiled sort for all types of rows.
//
// slices.SortFunc takes some 8 kB of machine code for each type of element, in each
// package that calls it: a tenth of all our code. Here only comparing and swapping two
// rows is compiled for each type. slices.SortFunc is a little faster, and is still used
// if a hundred thousand rows are sorted at each key press.
package sorted

import (
	"cmp"
	"iter"
	"slices"
)

// By sorts rows in the order of compare. Rows that compare equal keep their order.
func By[S ~[]E, E any](rows S, compare func(a, b E) int) {
	by(len(rows),
		func(i, j int32) int { return compare(rows[i], rows[j]) },
		func(i, j int32) { rows[i], rows[j] = rows[j], rows[i] })
}

// Ascending sorts rows in their natural order.
func Ascending[S ~[]E, E cmp.Ordered](rows S) { By(rows, cmp.Compare[E]) }

// Seq returns what seq yields, in the order of compare.
func Seq[E any](seq iter.Seq[E], compare func(a, b E) int) []E {
	var rows []E
	for e := range seq {
		rows = append(rows, e)
	}
	By(rows, compare)
	return rows
}

// Keys returns the keys of a map in ascending order.
func Keys[M ~map[K]V, K cmp.Ordered, V any](m M) []K {
	var keys []K
	for k := range m {
		keys = append(keys, k)
	}
	Ascending(keys)
	return keys
}

// Up to few rows are sorted in place; for more, their order is sorted first.
const few = 12

// by sorts n rows, given how to compare and swap two of them.
func by(n int, compare func(i, j int32) int, swap func(i, j int32)) {
	if n <= few {
		for i := int32(1); i < int32(n); i++ {
			for j := i; j > 0 && compare(j-1, j) > 0; j-- {
				swap(j-1, j)
			}
		}
		return
	}
	from := make([]int32, n) // for each place, the row that belongs there
	for i := range from {
		from[i] = int32(i)
	}
	slices.SortFunc(from, func(i, j int32) int {
		if c := compare(i, j); c != 0 {
			return c
		}
		return int(i - j)
	})
	for i := range from {
		// Along a cycle of places, each passes its row to the one before it.
		at := int32(i)
		for from[at] != int32(i) {
			next := from[at]
			swap(at, next)
			from[at], at = at, next
		}
		from[at] = at
	}
}
