package component

// Mark turns the mark of the row under the cursor on or off and moves down, so
// that a run of rows is marked by holding the key.
func (g *Grid) Mark() {
	if g.Len() == 0 {
		return
	}
	if _, ok := g.marks[g.cursorID]; ok {
		delete(g.marks, g.cursorID)
	} else {
		g.marks[g.cursorID] = struct{}{}
	}
	g.setCursor(g.cursor + 1)
}

// MarkAll marks all rows; when they all are marked it clears the marks.
func (g *Grid) MarkAll() {
	all := true
	for i := range g.Len() {
		if id := g.rows.Name(i); !g.IsMarked(id) {
			g.marks[id], all = struct{}{}, false
		}
	}
	if all {
		g.ClearMarks()
	}
}

// ClearMarks removes all marks, also those of rows that are not shown. It reports whether there
// were any.
func (g *Grid) ClearMarks() bool {
	had := len(g.marks) > 0
	clear(g.marks)
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
	g.marks = kept
}

// Marked returns how many rows are marked, shown or not.
func (g *Grid) Marked() int { return len(g.marks) }

// IsMarked reports whether the row with an id is marked.
func (g *Grid) IsMarked(id string) bool {
	_, ok := g.marks[id]
	return ok
}

// Chosen returns the ids an action applies to: the marked rows, in the order of
// the rows; without any the row under the cursor. Rows that are marked but not in
// the source now are left out.
func (g *Grid) Chosen() []string {
	if g.Len() == 0 {
		return nil
	}
	if len(g.marks) == 0 {
		return []string{g.cursorID}
	}
	var ids []string
	for i := range g.rows.N {
		if id := g.rows.Name(i); g.IsMarked(id) {
			ids = append(ids, id)
		}
	}
	return ids
}
