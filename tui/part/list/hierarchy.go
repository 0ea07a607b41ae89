package list

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// hierarchy says which rows are below which.
type hierarchy struct {
	up   []int32   // the parent of each row, -1 for none
	size []int32   // how many rows there are in the subtree of each
	kids [][]int32 // the children of each
}

// ups returns the parent of each row, -1 for none.
func (t *table) ups(f *form) []int32 {
	at, out := []int32{}, make([]int32, len(t.all))
	for i, row := range t.all {
		own, _ := f.Place(row)
		at = append(at, make([]int32, max(own+1-len(at), 0))...)
		at[own] = int32(i) // rows are fewer
	}
	for i, row := range t.all {
		out[i] = -1
		if _, under := f.Place(row); under >= 0 {
			out[i] = at[under]
		}
	}
	return out
}

func newHierarchy(up []int32) *hierarchy {
	n := &hierarchy{up: up, size: make([]int32, len(up)), kids: make([][]int32, len(up))}
	for i, up := range up {
		if up >= 0 {
			n.kids[up] = append(n.kids[up], int32(i)) // rows are fewer
		}
	}
	for i, up := range up {
		if up < 0 {
			n.measure(int32(i)) // as above
		}
	}
	return n
}

// measure counts the rows in the subtree of a row.
func (n *hierarchy) measure(i int32) int32 {
	n.size[i] = 1
	for _, k := range n.kids[i] {
		n.size[i] += n.measure(k)
	}
	return n.size[i]
}

// over returns the ancestors of a row, nearest first.
func (n *hierarchy) over(i int32) []int32 {
	var out []int32
	for up := n.up[i]; up >= 0; up = n.up[up] {
		out = append(out, up)
	}
	return out
}

// top returns the outermost ancestor of a row, or the row itself if it has none.
func (n *hierarchy) top(i int32) int32 {
	for n.up[i] >= 0 {
		i = n.up[i]
	}
	return i
}

// within reports whether a row is in the subtree of another.
func (n *hierarchy) within(i, other int32) bool {
	for i >= 0 && i != other {
		i = n.up[i]
	}
	return i == other
}

// sort appends all rows, each before its descendants; rows with the same parent are
// sorted.
func (n *hierarchy) sort(out []int32, compare func(a, b int32) int) []int32 {
	roots := make([]int32, 0, len(n.up))
	for i, up := range n.up {
		if up < 0 {
			roots = append(roots, int32(i)) // rows are fewer
		}
	}
	var group func(rows []int32)
	group = func(rows []int32) {
		slices.SortFunc(rows, compare)
		for _, i := range rows {
			out = append(out, i)
			switch kids := n.kids[i]; len(kids) {
			case 0:
			case 1:
				group(kids) // a single row needs no sorting
			default:
				group(slices.Clone(kids))
			}
		}
	}
	group(roots)
	return out
}

// nestedView says which rows of a nested list are shown.
type nestedView struct {
	wanted []bool  // the matching rows and their ancestors; nil for all
	last   []int32 // the last wanted child of each, -1 for none
}

// fold puts the matching rows below their ancestors, which are shown with them, and hides
// those that are folded away.
func (l *rows) fold(f *form, open folds) {
	n := &nestedView{last: make([]int32, len(l.ids))}
	if l.passed != nil {
		n.wanted = slices.Clone(l.passed)
		for i, ok := range l.passed {
			for up := l.up[i]; ok && up >= 0 && !n.wanted[up]; up = l.up[up] {
				n.wanted[up] = true
			}
		}
	}
	for i := range n.last {
		n.last[i] = -1
	}
	for _, i := range l.order {
		if up := l.up[i]; up >= 0 && (n.wanted == nil || n.wanted[i]) {
			n.last[up] = i
		}
	}
	l.nested = n
	l.shown = nil
	first, other := f.atFirst(l.wish), *open.of(l.wish)
	for k := 0; k < len(l.order); {
		i := l.order[k]
		wanted := n.wanted == nil || n.wanted[i]
		if wanted {
			l.shown = append(l.shown, i)
		}
		if !wanted || n.last[i] >= 0 && first == other[l.ids[i]] {
			k += int(l.size[i])
		} else {
			k++
		}
	}
}

// foldOf returns whether the row in line r has children, and whether they are shown.
func (l *rows) foldOf(r int) component.Fold {
	switch {
	case l.nested == nil || l.nested.last[l.shown[r]] < 0:
		return component.FoldLeaf
	case r+1 < len(l.shown) && l.up[l.shown[r+1]] == l.shown[r]:
		return component.FoldOpen
	}
	return component.FoldClosed
}

// matches reports whether a row passes the filter.
func (l *rows) matches(i int32) bool { return l.passed == nil || l.passed[i] }

// context reports whether a row is shown although it does not match: because a descendant
// does.
func (l *rows) context(f *form, i int32) bool {
	return !l.matches(i) && (!f.Heads || l.hierarchy == nil || l.size[i] < 2)
}

// toMatch moves the cursor from a row that is only shown for its descendants to the first
// match: keys should apply to what was asked for.
func (s *Screen) toMatch() {
	from, id := s.grid.Cursor()
	if id == "" || !s.src.context(s.form, s.src.shown[from]) {
		return
	}
	for r := from + 1; r < len(s.src.shown) && s.src.within(s.src.shown[r], s.src.shown[from]); r++ {
		if !s.src.context(s.form, s.src.shown[r]) {
			s.grid.MoveToRow(r)
			return
		}
	}
}

// wordRank says how well a row matches a word, the better the lower: as filter.WordRank does and,
// where that is equal, better if the word is in its name, the first line of its text, as well as
// in the further words for it below, if there are any. So "leak" means a leaked migration before an orphan, which
// some call a leak as well.
func wordRank(text, word string) int {
	rank := 2 * filter.WordRank(text, word)
	name, also, has := strings.Cut(text, "\n")
	if has && (filter.WordRank(name, word) > 1 || filter.WordRank(also, word) > 1) {
		rank++
	}
	return rank
}

// toBest moves the cursor to the row that matches the one word that was typed best, unless its
// own row, or what is below that, matches as well.
func (s *Screen) toBest() {
	word := strings.ToLower(s.src.wish.expr)
	at, id := s.grid.Cursor()
	if id == "" || strings.ContainsAny(word, " \t") {
		return
	}
	best, to := wordRank(s.src.texts[s.src.shown[at]], word), at
	for r, i := range s.src.shown {
		if best == 0 {
			break
		}
		if s.src.context(s.form, i) {
			continue
		}
		if rank := wordRank(s.src.texts[i], word); rank < best {
			best, to = rank, r
		}
	}
	if to != at && (s.src.hierarchy == nil || s.src.up[s.src.shown[to]] != s.src.shown[at]) {
		s.grid.MoveToRow(to)
	}
}

// below counts the wanted rows below one.
func (l *rows) below(i int32) int {
	n := 0
	for _, k := range l.kids[i] {
		if l.nested.wanted == nil || l.nested.wanted[k] {
			n += 1 + l.below(k)
		}
	}
	return n
}

// branch draws the tree lines before the first cell of a row.
func (s *source) branch(l *component.Line, r int) {
	i := s.shown[r]
	over := s.over(i)
	last := uint64(0)
	for d, row := len(over), i; d > 0; d-- {
		if up := s.up[row]; s.nested.last[up] == row {
			last |= 1 << min(d, 63)
		}
		row = s.up[row]
	}
	component.Branch(l, len(over), last, s.foldOf(r))
}

// hidden draws after the first cell of a row how many rows are folded away.
func (s *source) hidden(l *component.Line, r int) {
	if s.form.Heads || s.foldOf(r) != component.FoldClosed {
		return
	}
	if text := fmt.Sprintf("  (%d below)", s.below(s.shown[r])); len(text) <= l.Left() {
		l.Add(themes.Faint, text)
	}
}

// worst returns the worst severity in the subtree of a row.
func (s *source) worst(i int32) style.Severity {
	v := s.severity(i)
	for _, k := range s.kids[i] {
		v = max(v, s.worst(k))
	}
	return v
}
