package list

import (
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// folds says which rows are not in their initial state: folded, or unfolded.
type folds struct {
	whole map[string]bool // without a filter, by id
	found map[string]bool // with one
}

func (f folds) clone() folds { return folds{maps.Clone(f.whole), maps.Clone(f.found)} }

// of returns the folds for a wish: a filtered list has its own.
func (f *folds) of(w wish) *map[string]bool {
	of := &f.whole
	if w.also > 0 || w.expr != "" {
		of = &f.found
	}
	if *of == nil {
		*of = map[string]bool{}
	}
	return of
}

// atFirst reports whether the rows below a row are initially shown.
func (f *form) atFirst(w wish) bool { return f.narrow(w) || f.Open }

// unfolded reports whether the rows below a row are shown.
func (s *Screen) unfolded(id string) bool { return s.form.atFirst(s.wish) != (*s.open.of(s.wish))[id] }

// fold folds or unfolds the row with an id. A list in the making is started again, as it does
// not know of this.
func (s *Screen) fold(id string, unfold bool) tea.Cmd {
	if s.src == nil || s.src.nested == nil {
		return nil
	}
	set := *s.open.of(s.wish)
	if unfold == s.form.atFirst(s.wish) {
		delete(set, id)
	} else {
		set[id] = true
	}
	if s.src.wish != s.wish {
		return s.request()
	}
	busy, next := s.lists.Busy(), *s.src.rows
	next.fold(s.form, s.open)
	s.show(&next)
	if busy {
		return s.request()
	}
	return nil
}

// foldKey reports whether a key folds or unfolds the row under the cursor.
func foldKey(key string) bool { return key == "h" || key == "left" || key == "l" || key == "right" }

// foldBy handles a key for the row under the cursor: it unfolds the row, or enters it if
// it is unfolded; it folds the row, or goes to its parent if there is nothing to fold.
func (s *Screen) foldBy(key string) tea.Cmd {
	r, id := s.grid.Cursor()
	if id == "" {
		return nil
	}
	fold := s.src.foldOf(r)
	switch unfold := key == "l" || key == "right"; {
	case unfold && fold == component.FoldClosed, !unfold && fold == component.FoldOpen:
		return s.fold(id, unfold)
	case unfold && fold == component.FoldOpen:
		s.grid.Move(1)
	case !unfold:
		if up := s.src.up[s.src.shown[r]]; up >= 0 {
			s.grid.MoveTo(s.src.ids[up])
		}
	}
	return nil
}

// foldAll folds or unfolds all rows. It unfolds an initially unfolded list only if no row
// is unfolded, any other list if any row is folded. The cursor moves up to a visible row.
func (s *Screen) foldAll() tea.Cmd {
	if s.src == nil || s.src.nested == nil {
		return nil
	}
	open, closed := false, false
	for r := range s.src.shown {
		switch s.src.foldOf(r) {
		case component.FoldOpen:
			open = true
		case component.FoldClosed:
			closed = true
		case component.FoldLeaf:
		}
	}
	unfold := closed
	if s.form.Open {
		unfold = !open
	}
	set := *s.open.of(s.wish)
	clear(set)
	for i := range s.src.nested.last {
		if unfold != s.form.atFirst(s.wish) && s.src.nested.last[i] >= 0 && (unfold || s.src.up[i] < 0) {
			set[s.src.ids[i]] = true
		}
	}
	if r, id := s.grid.Cursor(); id != "" && !unfold {
		s.grid.MoveTo(s.src.ids[s.src.top(s.src.shown[r])])
	}
	return s.request()
}

// Seek puts the cursor on the first row that is sought, and unfolds its parents: now,
// or as soon as there are rows. The list must be of R.
func Seek[R any](s *Screen, sought func(row R) bool) tea.Cmd {
	s.sought = of(sought)
	return s.seek()
}

// seek goes to the sought row, once.
func (s *Screen) seek() tea.Cmd {
	if s.src == nil || s.sought == nil || s.src.wish != s.wish {
		return nil
	}
	sought := s.sought
	s.sought = nil
	for _, i := range s.src.order {
		if sought(s.src.all[i]) {
			return s.reveal(i)
		}
	}
	return nil
}

// toMade goes to what the user has just made, as soon as it is listed, or says that a
// filter hides it.
func (s *Screen) toMade() tea.Cmd {
	if s.src == nil {
		return nil
	}
	var unsay tea.Cmd
	if s.hides != "" && !s.filtersOut(s.src.find(s.hides)) {
		s.hides, unsay = "", screen.Send(screen.UnsayMsg(s.hidden))
	}
	i := s.src.find(s.made)
	switch {
	case s.made == "" || i < 0:
		return unsay
	case !s.filtersOut(i):
		s.made = ""
		return tea.Batch(unsay, s.reveal(int32(i))) // rows are fewer
	case s.hides == s.made:
		return nil
	}
	s.hides = s.made
	s.hidden = screen.ToastMsg{Severity: style.SeverityInfo, Text: "the filter hides the new " + s.form.Thing, Hint: "esc clears it"}
	return screen.Send(s.hidden)
}

// filtersOut reports whether the filter hides a row.
func (s *Screen) filtersOut(i int) bool {
	return i >= 0 && s.src.passed != nil && !s.src.passed[i]
}

// reveal moves the cursor to a row, and unfolds its parents.
func (s *Screen) reveal(i int32) tea.Cmd {
	var cmds []tea.Cmd
	if s.src.nested != nil {
		for _, up := range slices.Backward(s.src.over(i)) {
			if s.src.Find(s.src.ids[up]) >= 0 && !s.unfolded(s.src.ids[up]) {
				cmds = append(cmds, s.fold(s.src.ids[up], true))
			}
		}
	}
	s.grid.MoveTo(s.src.ids[i])
	return tea.Batch(cmds...)
}

// Fold says whether there are rows below the one under the cursor, and whether they are
// shown.
func (s *Screen) Fold() component.Fold {
	r, id := s.grid.Cursor()
	if s.src == nil || id == "" {
		return component.FoldLeaf
	}
	return s.src.foldOf(r)
}

// Unfold unfolds the row under the cursor, or folds it if it is unfolded.
func (s *Screen) Unfold() tea.Cmd { return s.fold(s.CursorID(), s.Fold() != component.FoldOpen) }
