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
//
// It takes []E, and not any type made of it, so that all rows that are pointers share
// one compiled By, and all that are strings another.
func By[E any](rows []E, compare func(a, b E) int) {
	var room [few]int32
	for i, j := range swaps(room[:], len(rows), func(i, j int32) int { return compare(rows[i], rows[j]) }) {
		rows[i], rows[j] = rows[j], rows[i]
	}
}

// Ascending sorts rows in their natural order.
func Ascending[E cmp.Ordered](rows []E) { By(rows, cmp.Compare[E]) }

// Seq returns what seq yields, in the order of compare.
func Seq[E any](seq iter.Seq[E], compare func(a, b E) int) []E {
	var rows []E
	for e := range seq {
		rows = append(rows, e)
	}
	By(rows, compare)
	return rows
}

// Keys returns the keys of a map in ascending order. Maps of any type with the same kinds
// of keys and values share its code.
func Keys[K cmp.Ordered, V any](m map[K]V) []K {
	var keys []K
	for k := range m {
		keys = append(keys, k)
	}
	Ascending(keys)
	return keys
}

// few is how many rows are sorted without allocating.
const few = 12

// swaps returns, given how to compare two of n rows, with which row to swap each of them,
// one after another, to sort them. It writes that into room where it fits.
func swaps(room []int32, n int, compare func(i, j int32) int) []int32 {
	if n > len(room) {
		room = make([]int32, n)
	}
	from := room[:n] // for each place, the row that belongs there
	for i := range from {
		from[i] = int32(i)
	}
	if n > few {
		slices.SortFunc(from, func(i, j int32) int {
			if c := compare(i, j); c != 0 {
				return c
			}
			return int(i - j)
		})
	} else {
		for i := 1; i < n; i++ {
			for j := i; j > 0 && compare(from[j-1], from[j]) > 0; j-- {
				from[j-1], from[j] = from[j], from[j-1]
			}
		}
	}
	for i, at := range from {
		for at < int32(i) {
			at = from[at] // where the swap at that place has put it
		}
		from[i] = at
	}
	return from
}
