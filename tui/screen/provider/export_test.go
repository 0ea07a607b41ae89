package provider

// CursorID returns the id under the cursor, "" where there are no rows.
func (s *Screen) CursorID() string {
	_, id := s.grid.Cursor()
	return id
}

// HasRow reports whether a row has that id.
func (s *Screen) HasRow(id string) bool {
	for r := range s.src.Len() {
		if s.src.ID(r) == id {
			return true
		}
	}
	return false
}

// MostConsumers is how many consumers the screen lists.
const MostConsumers = mostConsumers
