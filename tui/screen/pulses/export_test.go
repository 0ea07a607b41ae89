package pulses

// CursorID returns the row under the cursor.
func (s *Screen) CursorID() string {
	if s.rows(s.pane) == 0 {
		return ""
	}
	return string(rune('0'+s.pane)) + s.rowName(s.pane, s.cursor[s.pane])
}

// HasRow reports whether there is such a row.
func (s *Screen) HasRow(id string) bool {
	p := pane(id[0] - '0')
	for i := range s.rows(p) {
		if s.rowName(p, i) == id[1:] {
			return true
		}
	}
	return false
}
