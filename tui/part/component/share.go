package component

import "github.com/placetop/placetop/tui/style"

// Share divides room among needs, in cells: the smallest are met first, so that as many
// as possible are met in full. The sum of the result is at most room.
func Share(room int, needs ...int) []int {
	got := make([]int, len(needs))
	for range needs {
		at := -1
		for i, n := range needs {
			if n > got[i] && got[i] == 0 && (at < 0 || n < needs[at]) {
				at = i
			}
		}
		if at < 0 || room <= 0 {
			break
		}
		got[at] = min(needs[at], room)
		room -= got[at]
	}
	return got
}

// Texts returns a line of w cells for each row, with its texts in columns that are as wide
// as they need to be, and a cell apart. A text with nothing after it may use the room to its
// right. All rows have as many texts as the first.
func Texts(st *style.Styles, w int, rows [][]Seg) []string {
	if len(rows) == 0 {
		return nil
	}
	needs := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			if spanned(row, i) == 1 {
				needs[i] = max(needs[i], Width(st, text.Text))
			}
		}
	}
	widths := Share(w-columnGap*(len(needs)-1), needs...)
	left := w - across(widths)
	for _, row := range rows {
		for i, text := range row {
			if n := spanned(row, i); n > 1 {
				more := max(min(Width(st, text.Text)-across(widths[i:i+n]), left), 0)
				widths[i], left = widths[i]+more, left-more
			}
		}
	}
	out, l := make([]string, len(rows)), NewLine(st, w)
	for at, row := range rows {
		l.Reset(w)
		for i := 0; i < len(row); {
			if i > 0 {
				l.Space(columnGap)
			}
			next := i + spanned(row, i)
			l.Column(across(widths[i:next]), row[i].Token, row[i].Text)
			i = next
		}
		out[at] = l.String()
	}
	return out
}

// spanned returns how many columns the i-th text of a row spans: also the empty ones
// after it, unless it is empty itself.
func spanned(row []Seg, i int) int {
	n := 1
	for row[i].Text != "" && i+n < len(row) && row[i+n].Text == "" {
		n++
	}
	return n
}

// across returns the total width of columns.
func across(widths []int) int {
	w := columnGap * (len(widths) - 1)
	for _, of := range widths {
		w += of
	}
	return w
}
