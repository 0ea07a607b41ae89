package list

import "github.com/placetop/placetop/model/kinds"

// moved notes that the cursor may have come nearer to the top.
func (s *Screen) moved() {
	r, _ := s.grid.Cursor()
	s.above = min(s.above, max(r, 0))
}

// newestFirst reports whether new rows come on top.
func (s *Screen) newestFirst() bool {
	if len(s.form.orders) == 0 {
		return false
	}
	by := s.form.orders[s.wish.order].by
	return by.Field != nil && by.Type == kinds.Time && !s.wish.desc || s.form.Newest && s.wish.order == 0 && s.wish.desc
}

// OnNewest reports whether the cursor is on the first row of a list whose newest come
// first: it stays there as others are added.
func (s *Screen) OnNewest() bool {
	r, _ := s.grid.Cursor()
	return r == 0 && s.newestFirst() && s.grid.Marked() == 0
}

// arrive has the cursor stay on the first row while new ones come on top of it, if it was
// there. Elsewhere it stays on its row, and how many came above is told.
func (s *Screen) arrive(old *source, newest bool) {
	switch {
	case old == nil || old.wish != s.src.wish || !s.newestFirst():
		s.above = 0
	case newest:
		s.grid.MoveToRow(0)
	default:
		r, _ := s.grid.Cursor()
		for i := 0; i < r && old.find(s.src.ID(i)) < 0; i++ {
			s.above++
		}
		s.above = min(s.above, max(r, 0))
	}
}
