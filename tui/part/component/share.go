package component

import "github.com/placetop/placetop/tui/style"

// Share shares room out among those who need it, in cells: who needs least is served
// first, so that as many as can be have all that they need. The sum of what they get is
// at most room.
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
// as they need to be, and a cell apart. Rows have as many texts as the first.
func Texts(st *style.Styles, w int, rows [][]Seg) []string {
	if len(rows) == 0 {
		return nil
	}
	needs := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			needs[i] = max(needs[i], Width(st, text.Text))
		}
	}
	widths := Share(w-columnGap*(len(needs)-1), needs...)
	out, l := make([]string, len(rows)), NewLine(st, w)
	for n, row := range rows {
		l.Reset(w)
		for i, text := range row {
			if i > 0 {
				l.Space(columnGap)
			}
			l.Cell(widths[i]).Add(text.Token, text.Text).EndCell(AlignLeft)
		}
		out[n] = l.String()
	}
	return out
}
