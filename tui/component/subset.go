package component

// Subset shows some rows of a source, in any order: a filtered or sorted view
// of it. It is not changed after it is made.
type Subset struct {
	src  Source
	rows []int32
	ver  uint64
}

// NewSubset returns the given rows of src, in the order given. The version
// must differ from that of every other subset that the same grid has shown or
// will show.
func NewSubset(src Source, rows []int32, version uint64) *Subset {
	return &Subset{src: src, rows: rows, ver: version}
}

// Len returns the number of rows.
func (s *Subset) Len() int { return len(s.rows) }

// ID returns the id of a row.
func (s *Subset) ID(row int) string { return s.src.ID(int(s.rows[row])) }

// Cell draws a cell of a row.
func (s *Subset) Cell(l *Line, row, col int) { s.src.Cell(l, int(s.rows[row]), col) }

// Version returns the version given.
func (s *Subset) Version() uint64 { return s.ver }

// Row returns which row of the source a row is.
func (s *Subset) Row(row int) int { return int(s.rows[row]) }
