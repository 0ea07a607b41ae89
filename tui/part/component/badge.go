package component

import (
	"slices"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// Owner draws shape and letter of an owner in three cells: ⬢ N.
func (l *Line) Owner(o style.Owner) *Line {
	if int(o) >= len(l.st.Glyphs.Owners) {
		o = style.OwnerNone
	}
	return l.Add(o.Token(), l.st.Glyphs.Owners[o])
}

// Mark draws the sign of a severity in one cell.
func (l *Line) Mark(v style.Severity) *Line {
	if v == style.SeverityNone || int(v) >= len(l.st.Glyphs.Severities) {
		return l.Space(1)
	}
	return l.Glyphs(v.Token(), l.st.Glyphs.Severities[v], 1)
}

// Fold says whether a row of a tree has rows below it.
type Fold uint8

// The folds of a tree.
const (
	FoldLeaf   Fold = iota // nothing below
	FoldClosed             // hides what is below
	FoldOpen               // shows what is below
)

// maxDepth is the depth down to which a tree is drawn with lines; deeper rows are drawn
// at that depth.
const maxDepth = 24

// Branch draws the lines of a tree before a row's name: ├─ ▾ . The root has
// depth 0. Bit k of last says that the row's ancestor at depth k, or the row
// itself at its own depth, is the last of its siblings.
func Branch(l *Line, depth int, last uint64, f Fold) *Line {
	g := &l.st.Glyphs
	depth = min(max(depth, 0), maxDepth)
	for d := 1; d < depth; d++ {
		if last>>uint(d)&1 == 1 {
			l.Space(3)
		} else {
			l.Add(themes.Tree, g.TreePipe)
		}
	}
	if depth > 0 {
		if last>>uint(depth)&1 == 1 {
			l.Add(themes.Tree, g.TreeLast)
		} else {
			l.Add(themes.Tree, g.TreeBranch)
		}
	}
	switch f {
	case FoldOpen:
		l.Glyphs(themes.Dim, g.Unfolded, 1).Space(1)
	case FoldClosed:
		l.Glyphs(themes.Dim, g.Folded, 1).Space(1)
	case FoldLeaf:
		if depth == 0 {
			l.Space(2)
		}
	}
	return l
}

// Spark draws the last values as a sparkline, one cell each, scaled between 0 and most, or
// the largest value if most is 0. Missing values at the start are spaces.
func Spark(l *Line, w int, values []float64, most float64) *Line {
	w = min(w, l.Left())
	if w <= 0 {
		return l
	}
	if len(values) > w {
		values = values[len(values)-w:]
	}
	if most <= 0 && len(values) > 0 {
		most = slices.Max(values)
	}
	l.Space(w - len(values))
	for _, v := range values {
		i := 0
		if most > 0 && v > 0 {
			i = min(int(v/most*8), 7)
		}
		l.Glyphs(themes.Spark, l.st.Glyphs.Spark[i], 1)
	}
	return l
}

// Keys draws key hints, such as "enter open  / filter", as many as fit; the
// first ones matter most. Hints are pairs of key and meaning.
func Keys(l *Line, hints ...string) *Line {
	for i := 0; i+1 < len(hints); i += 2 {
		need := Width(l.st, hints[i]) + 1 + Width(l.st, hints[i+1])
		gap := 0
		if i > 0 {
			gap = 2
		}
		if need+gap > l.Left() {
			continue
		}
		l.Space(gap).Add(themes.Key, hints[i]).Space(1).Add(themes.KeyHint, hints[i+1])
	}
	return l
}
