package list

import (
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
)

// Wish requests a list as keys would, with some rows folded away.
func (s *Screen) Wish(order int, desc bool, expr string, also int, class placement.ResourceClass, flat bool, shut map[string]bool) {
	s.wish = wish{order: order, desc: desc, expr: expr, also: also, class: class, flat: flat}
	s.open = folds{whole: shut, found: shut}
	s.request()
}

// Line is a row as the list shows it.
type Line struct {
	ID           string
	Depth, Below int
	Fold         component.Fold
	Context      bool
}

// Lines returns the shown rows.
func (s *Screen) Lines() []Line {
	var out []Line
	for r, i := range s.src.shown {
		l := Line{ID: s.src.ids[i]}
		if s.src.nested != nil {
			l.Depth, l.Fold, l.Context = len(s.src.over(i)), s.src.foldOf(r), s.src.context(s.form, i)
			if l.Fold == component.FoldClosed {
				l.Below = s.src.below(i)
			}
		}
		out = append(out, l)
	}
	return out
}

// Refold folds or unfolds the row with an id, and leaves other rows as they are.
func (s *Screen) Refold(id string, unfold bool) { s.fold(id, unfold) }

// ColumnPicker returns the page on which the columns of a list are picked.
func ColumnPicker(s *Screen) *Menu { return s.columnPicker() }
