package print

import (
	"strings"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Answer prints rows of a kind, in the given order, in the printer's format.
func (p *Printer) Answer(a kinds.Answer) {
	if p.Structured() {
		p.Value(a.Records())
		return
	}
	l := &List{rows: make([][]Cell, len(a.Rows))}
	var tree []string
	if a.Kind.Under != nil && !a.Sorted {
		tree = branches(p.Styles.Glyphs, a)
	}
	for i, c := range a.Kind.TableColumns() {
		value, shown := c.Get(a.At), c.Cell(a.At)
		l.columns = append(l.columns, column{c.Name, c.Wide || c.Filled && !c.Any(a.At, a.Rows)})
		for n, row := range a.Rows {
			text, grade := shown(row)
			out := Cell{Text: text, Token: tokenOf(c, i == 0, text, grade), Right: c.Type.Number()}
			switch {
			case p.Format == CSV:
				out.Text = value(row).String()
			case i == 0 && tree != nil:
				out.Text = tree[n] + text
			}
			l.rows[n] = append(l.rows[n], out)
		}
	}
	p.List(nil, l)
}

// tokenOf returns the colour of a cell.
func tokenOf(c kinds.Column, first bool, text string, grade kinds.Grade) themes.Token {
	switch {
	case grade == kinds.Critical:
		return themes.Critical
	case grade == kinds.Warn:
		return themes.Warn
	case c.Type == kinds.Owner:
		owner, _ := placement.ParseOwner(text)
		return panel.Owner(owner).Token()
	case c.Type == kinds.ID && !first:
		return themes.Dim
	}
	return themes.Text
}

// branches returns the tree signs of rows below others. A row whose parent is not listed
// is drawn below its nearest listed ancestor.
func branches(g style.Glyphs, a kinds.Answer) []string {
	levels := map[kinds.Row]int{}
	for _, row := range a.Rows {
		level := 0
		for up := a.Kind.Under(a.At, row); up != nil; up = a.Kind.Under(a.At, up) {
			if l, ok := levels[up]; ok {
				level = l + 1
				break
			}
		}
		levels[row] = level
	}
	out := make([]string, len(a.Rows))
	// more[l] says whether another row of level l comes before the next of a lower level.
	more := make([]bool, 0, 8)
	for i := len(a.Rows) - 1; i >= 0; i-- {
		level := levels[a.Rows[i]]
		for len(more) <= level {
			more = append(more, false)
		}
		var b strings.Builder
		for l := 1; l < level; l++ {
			if more[l] {
				b.WriteString(g.TreePipe)
			} else {
				b.WriteString(g.TreeBlank)
			}
		}
		if level > 0 {
			if more[level] {
				b.WriteString(g.TreeBranch)
			} else {
				b.WriteString(g.TreeLast)
			}
		}
		out[i] = b.String()
		more[level] = true
		clear(more[level+1:])
	}
	return out
}
