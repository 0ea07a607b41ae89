package component

// Mark turns the mark of the row under the cursor on or off and moves down, so
// that a run of rows is marked by holding the key.
func (g *Grid) Mark() {
	g.sync()
	if g.Len() == 0 {
		return
	}
	if _, ok := g.marks[g.cursorID]; ok {
		delete(g.marks, g.cursorID)
	} else {
		g.marks[g.cursorID] = struct{}{}
		g.lastMark = g.cursorID
	}
	g.dirty = true
	g.setCursor(g.cursor + 1)
}

// Range begins a range of marks at the cursor, or ends it: the rows between
// become marked.
func (g *Grid) Range() {
	g.sync()
	g.dirty = true
	if g.anchorID == "" {
		if g.Len() > 0 {
			g.anchorID, g.anchor = g.cursorID, g.cursor
		}
		return
	}
	g.keepRange()
}

// RangeFromLastMark marks all rows from the last marked one to the cursor.
func (g *Grid) RangeFromLastMark() {
	g.sync()
	if g.Len() == 0 {
		return
	}
	at := find(g.src, g.lastMark, g.cursor)
	if at < 0 {
		at = g.cursor
	}
	g.anchorID, g.anchor = g.src.ID(at), at
	g.keepRange()
}

// keepRange turns the range into marks.
func (g *Grid) keepRange() {
	lo, hi := g.rangeRows()
	for i := lo; i <= hi; i++ {
		g.marks[g.src.ID(i)] = struct{}{}
	}
	if g.Len() > 0 {
		g.lastMark = g.cursorID
	}
	g.anchorID, g.anchor, g.dirty = "", -1, true
}

// InRange reports whether a range has begun.
func (g *Grid) InRange() bool { return g.anchorID != "" }

// MarkAll marks all rows, or those that the source Finds; when they all are marked it
// clears the marks.
func (g *Grid) MarkAll() {
	g.sync()
	g.dirty = true
	finds, picky := g.src.(Finds)
	all := true
	for i := range g.Len() {
		if id := g.src.ID(i); !g.IsMarked(id) && (!picky || finds.Finds(i)) {
			g.marks[id], all = struct{}{}, false
		}
	}
	if all {
		g.ClearMarks()
	}
}

// ClearMarks removes all marks, also those of rows that are not shown, and
// drops a range that has begun. It reports whether there was anything to clear.
func (g *Grid) ClearMarks() bool {
	had := len(g.marks) > 0 || g.anchorID != ""
	clear(g.marks)
	g.anchorID, g.anchor, g.lastMark, g.dirty = "", -1, "", true
	return had
}

// DropRange ends a range without marking anything. It reports whether there
// was one.
func (g *Grid) DropRange() bool {
	had := g.anchorID != ""
	g.anchorID, g.anchor, g.dirty = "", -1, g.dirty || had
	return had
}

// KeepMarks removes the marks of all rows but those with some ids.
func (g *Grid) KeepMarks(ids []string) {
	if len(g.marks) == 0 {
		return
	}
	kept := map[string]struct{}{}
	for _, id := range ids {
		if g.IsMarked(id) {
			kept[id] = struct{}{}
		}
	}
	g.dirty = g.dirty || len(kept) < len(g.marks)
	g.marks = kept
}

// Marked returns how many rows are marked, shown or not, a range that has
// begun not counted.
func (g *Grid) Marked() int { return len(g.marks) }

// IsMarked reports whether the row with an id is marked.
func (g *Grid) IsMarked(id string) bool {
	_, ok := g.marks[id]
	return ok
}

// Chosen returns the ids an action applies to: the marked rows and those of a
// range, in the order of the rows; without any the row under the cursor. Rows
// that are marked but not in the source now are left out.
func (g *Grid) Chosen() []string {
	g.sync()
	if g.Len() == 0 {
		return nil
	}
	if len(g.marks) == 0 && g.anchorID == "" {
		return []string{g.cursorID}
	}
	lo, hi := g.rangeRows()
	var ids []string
	for i := range g.src.Len() {
		id := g.src.ID(i)
		if _, ok := g.marks[id]; ok || (lo <= i && i <= hi) {
			ids = append(ids, id)
		}
	}
	return ids
}

// rangeRows returns the first and last row of the range; last is below first if there is
// none.
func (g *Grid) rangeRows() (lo, hi int) {
	if g.anchorID == "" || g.anchor < 0 {
		return 0, -1
	}
	return min(g.anchor, g.cursor), max(g.anchor, g.cursor)
}
