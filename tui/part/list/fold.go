package list

import (
	"maps"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/part/component"
)

// folds says which rows are unfolded: without a filter those that somebody has
// unfolded, with one all but those that somebody has folded.
type folds struct {
	shown map[string]bool // without a filter, by id
	shut  map[string]bool // with one
}

func (f folds) clone() folds { return folds{maps.Clone(f.shown), maps.Clone(f.shut)} }

// unfolded reports whether what stands under a row is shown.
func (f folds) unfolded(w wish, id string) bool {
	if w.expr != "" {
		return !f.shut[id]
	}
	return f.shown[id]
}

// set folds or unfolds a row.
func (f *folds) set(w wish, id string, unfold bool) {
	of, on := &f.shown, unfold
	if w.expr != "" {
		of, on = &f.shut, !unfold
	}
	if *of == nil {
		*of = map[string]bool{}
	}
	(*of)[id] = on
}

// ups returns which row each row stands under, -1 for none.
func (t *table) ups() []int32 {
	at := make(map[string]int32, len(t.ids))
	for i, id := range t.ids {
		at[id] = int32(i) //nolint:gosec // rows are fewer
	}
	out := make([]int32, len(t.ids))
	for i := range out {
		out[i] = -1
		if id := t.all.under(i); id != "" {
			if up, ok := at[id]; ok {
				out[i] = up
			}
		}
	}
	return out
}

// nest puts the rows that match below those that they stand under, which are
// shown with them, and hides those that are folded away.
func (l *rows) nest(f folds) {
	if l.up == nil {
		return
	}
	under := map[int32][]int32{}
	shown, over := make([]bool, len(l.ids)), make([]bool, len(l.ids))
	for _, up := range l.up {
		if up >= 0 {
			over[up] = true
		}
	}
	for _, i := range l.shown {
		if up := l.up[i]; up >= 0 {
			under[up] = append(under[up], i)
			shown[up] = true
		} else if !over[i] {
			shown[i] = true
		}
	}
	l.folds = make(map[int32]component.Fold, len(under))
	out := make([]int32, 0, len(l.shown))
	for _, i := range l.order {
		if !shown[i] || l.up[i] >= 0 {
			continue
		}
		out = append(out, i)
		switch {
		case len(under[i]) == 0:
		case f.unfolded(l.wish, l.ids[i]):
			l.folds[i] = component.FoldOpen
			out = append(out, under[i]...)
		default:
			l.folds[i] = component.FoldClosed
		}
	}
	l.shown = out
}

// branch draws what stands before the first cell of a row.
func (s *source) branch(l *component.Line, r int) {
	i := s.shown[r]
	if s.up[i] < 0 {
		component.Branch(l, 0, 0, s.folds[i])
		return
	}
	last := uint64(0)
	if r+1 == len(s.shown) || s.up[s.shown[r+1]] < 0 {
		last = 1 << 1
	}
	component.Branch(l, 1, last, component.FoldLeaf)
}

// fold folds or unfolds the row with an id.
func (s *Base) fold(id string, unfold bool) tea.Cmd {
	s.open.set(s.wish, id, unfold)
	return s.request()
}

// foldKey reports whether a key folds or unfolds the row under the cursor.
func foldKey(key string) bool { return key == "h" || key == "left" || key == "l" || key == "right" }

// foldBy does what a key means to the row under the cursor: it unfolds it, or
// folds it, or what it stands under.
func (s *Base) foldBy(key string) tea.Cmd {
	r, id := s.grid.Cursor()
	if id == "" {
		return nil
	}
	unfold := key == "l" || key == "right"
	i := s.src.shown[r]
	if up := s.src.up[i]; up >= 0 {
		if unfold {
			return nil
		}
		s.grid.MoveTo(s.src.ids[up])
		return s.fold(s.src.ids[up], false)
	}
	return s.fold(id, unfold)
}

// foldAll unfolds all rows, and folds them where all are unfolded.
func (s *Base) foldAll() tea.Cmd {
	if s.src == nil {
		return nil
	}
	unfold := false
	for _, f := range s.src.folds {
		unfold = unfold || f == component.FoldClosed
	}
	if r, id := s.grid.Cursor(); id != "" && !unfold {
		if up := s.src.up[s.src.shown[r]]; up >= 0 {
			s.grid.MoveTo(s.src.ids[up])
		}
	}
	for i := range s.src.folds {
		s.open.set(s.wish, s.src.ids[i], unfold)
	}
	return s.request()
}

// Seek puts the cursor on the first row that is sought, and unfolds what it stands
// under: now, or as soon as there are rows.
func (s *Screen[R]) Seek(sought func(row R) bool) tea.Cmd {
	s.sought = func(all listing, i int) bool { return sought(all.(listed[R]).rows[i]) }
	return s.seek()
}

// seek goes to what is sought, once.
func (s *Base) seek() tea.Cmd {
	if s.src == nil || s.sought == nil {
		return nil
	}
	for _, i := range s.src.order {
		if !s.sought(s.src.all, int(i)) {
			continue
		}
		if s.grid.MoveTo(s.src.ids[i]) || s.src.up == nil || s.src.up[i] < 0 {
			break
		}
		if up := s.src.ids[s.src.up[i]]; !s.open.unfolded(s.wish, up) {
			return s.fold(up, true)
		}
		break
	}
	s.sought = nil
	return nil
}

// Fold says whether rows stand under the one under the cursor, and are shown.
func (h Here[R]) Fold() component.Fold {
	s := h.list
	r, id := s.grid.Cursor()
	if s.src == nil || id == "" {
		return component.FoldLeaf
	}
	return s.src.folds[s.src.shown[r]]
}

// Unfold unfolds the row under the cursor, or folds it where it is unfolded.
func (h Here[R]) Unfold() tea.Cmd {
	return h.list.fold(h.list.CursorID(), h.Fold() != component.FoldOpen)
}
