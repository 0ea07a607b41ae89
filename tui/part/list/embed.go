package list

import tea "github.com/charmbracelet/bubbletea"

// A list may be one panel of a screen with several. That screen passes it messages and
// keys, and tells it more than a list alone needs to know.

// Blur says whether keys go elsewhere: the row under the cursor then loses its
// background.
func (s *Screen) Blur(on bool) { s.grid.Blurred = on }

// Headless leaves out the headings of the columns, for a list that explains itself.
func (s *Screen) Headless() { s.grid.NoHeader = true }

// Counts returns how many rows pass the filter, and how many there are; both are 0
// before the first list is there.
func (s *Screen) Counts() (shown, all int) {
	if s.src == nil {
		return 0, 0
	}
	return len(s.src.shown), len(s.src.all)
}

// Need returns how many lines the list would like: its rows, their headings, and the filter
// line while it is open.
func (s *Screen) Need() int {
	shown, _ := s.Counts()
	n := max(shown, 1) + s.Heads()
	if s.Typing() {
		n++
	}
	return n
}

// Heads returns how many lines the headings of the columns take.
func (s *Screen) Heads() int {
	if s.grid.NoHeader {
		return 0
	}
	return 1
}

// Expr returns the filter as typed.
func (s *Screen) Expr() string { return s.wish.expr }

// Remake makes the rows again, for a list that shows more than its Snapshot says.
// Filter, order and cursor stay.
func (s *Screen) Remake() tea.Cmd {
	was := s.src
	s.src = nil
	job := s.job(true)
	s.src = was
	return s.lists.Start(s.env.Context, job)
}

// Marked says how many rows are marked, "" if none is.
func (s *Screen) Marked() string { return s.marked() }
