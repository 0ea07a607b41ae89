package providers

// CursorID returns the id under the cursor, "" where there are no rows.
func (s *Screen) CursorID() string {
	_, id := s.grid.Cursor()
	return id
}

// HasRow reports whether a row has that id.
func (s *Screen) HasRow(id string) bool { return s.src != nil && s.src.Find(id) >= 0 }

// BigList is from how many providers on lists are made off the event loop.
const BigList = bigList
