package filter

import (
	"encoding/binary"
	"math"
	"slices"
)

// Column remembers what a field holds in each of many rows, every different Value
// once, so that a term is evaluated once for all rows with the same Value. It reads a
// row when it is first asked for, and is for one goroutine at a time.
//
// Where nearly every row has a different value, as names and uuids do, it remembers
// nothing.
type Column struct {
	get    func(row int) Value
	of     []int32 // by row, one more than the number of its value; 0 if not read yet
	read   int     // rows
	values []Value
	known  map[string]int32 // the number of a value, by its key
	key    []byte           // of the last value asked for
	vain   bool             // nearly every row has a different value
}

// How many different values are few: this number, plus one for so many rows.
const (
	fewValues     = 256
	rowsOfOneKind = 8
)

// NewColumn returns the column of a field of rows 0 to rows-1, none of which has been
// read yet.
func NewColumn(rows int) *Column {
	return &Column{of: make([]int32, rows), known: map[string]int32{}}
}

// Through makes c read the rows that it does not know yet through get, which must
// return the same values as the get before it.
func (c *Column) Through(get func(row int) Value) { c.get = get }

// number returns the number of a row's value, and false if c remembers none.
func (c *Column) number(row int) (int32, bool) {
	if c.vain || row >= len(c.of) {
		return 0, false
	}
	if n := c.of[row]; n > 0 {
		return n - 1, true
	}
	v := c.get(row)
	c.key = v.appendKey(c.key[:0])
	n, ok := c.known[string(c.key)]
	if !ok {
		if len(c.values) >= fewValues+c.read/rowsOfOneKind {
			*c = Column{get: c.get, vain: true}
			return 0, false
		}
		n = int32(len(c.values)) // no more than rows
		v.List, v.Numbers = slices.Clone(v.List), slices.Clone(v.Numbers)
		c.values, c.known[string(c.key)] = append(c.values, v), n
	}
	c.read++
	c.of[row] = n + 1
	return n, true
}

// appendKey appends a key that equal values have in common.
func (v Value) appendKey(b []byte) []byte {
	if v.IsNum {
		b = append(b, 1, byte(v.Unit))
		b = binary.NativeEndian.AppendUint64(b, math.Float64bits(v.Num))
	} else {
		b = append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(v.Text)))
	b = append(b, v.Text...)
	b = binary.AppendUvarint(b, uint64(len(v.Numbers)))
	for _, n := range v.Numbers {
		b = binary.NativeEndian.AppendUint32(b, uint32(n)) // its bits
	}
	for _, s := range v.List {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}
