// Package sorted sorts with one compiled sort for all types of rows.
//
// slices.SortFunc takes some 8 kB of machine code for each type of element, in each
// package that calls it: a tenth of all our code. Here only comparing and swapping two
// rows is compiled for each type. Thousands of rows take no longer than with
// slices.SortFunc, and a few up to twice as long. Lists, which sort the numbers of a
// hundred thousand rows at each key press, use slices.SortFunc, as it allocates nothing.
package sorted

import (
	"cmp"
	"iter"
)

// By sorts rows in the order of compare. Rows that compare equal keep their order.
//
// It takes []E, and not any type made of it, so that all rows that are pointers share
// one compiled By, and all that are strings another.
func By[E any](rows []E, compare func(a, b E) int) {
	var m merge
	for i, j, more := m.start(len(rows)); more; i, j, more = m.next(compare(rows[i], rows[j])) {
	}
	for i, j := range m.swaps() {
		rows[i], rows[j] = rows[j], rows[i]
	}
}

// Ascending sorts rows in their natural order.
func Ascending[E cmp.Ordered](rows []E) { By(rows, cmp.Compare[E]) }

// Seq returns what seq yields, in the order of compare.
//
//go:noinline
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
//
//go:noinline
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

// merge is a merge sort of the numbers of rows. It asks for one comparison after another,
// so that it needs no function that is compiled for the type of the rows. By is compiled
// for each of them, so what it calls is not inlined.
type merge struct {
	few     [2 * few]int32
	many    []int32 // instead of few
	n       int     // rows
	width   int     // of a run
	a       int     // the next row of the left run
	b       int     // and of the right one
	mid     int     // where the right run starts
	end     int     // and where it ends
	merging bool    // not only looking whether the two runs are one
}

// room returns the rows, sorted in runs, and where the left one of two is kept while they
// are merged.
func (m *merge) room() (rows, left []int32) {
	if m.n <= few {
		return m.few[:m.n], m.few[few:]
	}
	return m.many[:m.n], m.many[m.n:]
}

// start returns the first two of n rows to be compared, if any.
func (m *merge) start(n int) (i, j int32, more bool) {
	if m.n, m.width = n, 1; n > few {
		m.many = make([]int32, 2*n)
	}
	rows, _ := m.room()
	for i := range rows {
		rows[i] = int32(i)
	}
	return m.next(0)
}

// next is given how the two rows compare that were returned before, and returns the next
// two to be compared, if any.
func (m *merge) next(order int) (i, j int32, more bool) {
	rows, left := m.room()
	switch {
	case m.merging:
		if at := m.a + m.b - m.mid; order > 0 {
			rows[at] = rows[m.b]
			m.b++
		} else {
			rows[at] = left[m.a]
			m.a++
		}
	case order > 0:
		m.merging = true
		copy(left[m.a:m.mid], rows[m.a:])
	default:
		m.a = m.mid // the right run goes on where the left one ends
	}
	if m.a < m.mid && m.b < m.end {
		return left[m.a], rows[m.b], true
	}
	copy(rows[m.a+m.b-m.mid:], left[m.a:m.mid])
	start := m.end
	for ; start+m.width >= m.n; start = 0 {
		if m.width *= 2; m.width >= m.n {
			return 0, 0, false
		}
	}
	m.a, m.mid, m.end, m.merging = start, start+m.width, min(start+2*m.width, m.n), false
	m.b = m.mid
	return rows[m.mid-1], rows[m.mid], true
}

// swaps returns with which row to swap each, one after another, to sort them.
//
//go:noinline
func (m *merge) swaps() []int32 {
	rows, _ := m.room()
	for i, at := range rows {
		for at < int32(i) {
			at = rows[at] // where the swap at that place has put it
		}
		rows[i] = at
	}
	return rows
}
