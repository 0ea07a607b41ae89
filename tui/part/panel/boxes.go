package panel

import (
	"bytes"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// Pane is a box of Width cells with lines in it, or a text of them. Each line must be as wide
// as the box's inner width; missing lines are blank, surplus ones are left out.
type Pane struct {
	component.Box
	Width int // at least 4
	Lines []string
	Text  []byte
}

// appendLine appends the next line of the pane, which is number y.
func (p *Pane) appendLine(b []byte, y int) []byte {
	switch {
	case y < len(p.Lines):
		return append(b, p.Lines[y]...)
	case len(p.Text) > 0:
		var line []byte
		line, p.Text, _ = bytes.Cut(p.Text, []byte{'\n'})
		return append(b, line...)
	}
	for range p.Width - 4 {
		b = append(b, ' ')
	}
	return b
}

// Lay appends panes side by side, h lines high and one cell apart, to b. It draws
// what component.Beside makes of rendered boxes, without rendering each of them
// first: that matters where a screen is drawn on each key.
func Lay(b []byte, st *style.Styles, h int, panes ...Pane) []byte {
	type edges struct{ top, bottom, side string }
	drawn := make([]edges, len(panes))
	for i, p := range panes {
		border := themes.Border
		if p.Focused {
			border = themes.BorderFocus
		}
		drawn[i].side = st.Render(border, st.Glyphs.Vertical)
		drawn[i].top, drawn[i].bottom, _ = strings.Cut(p.Render(st, p.Width, 2, ""), "\n")
	}
	for y := range h {
		if y > 0 {
			b = append(b, '\n')
		}
		for i := range panes {
			if i > 0 {
				b = append(b, ' ')
			}
			switch y {
			case 0:
				b = append(b, drawn[i].top...)
				continue
			case h - 1:
				b = append(b, drawn[i].bottom...)
				continue
			}
			b = append(append(b, drawn[i].side...), ' ')
			b = panes[i].appendLine(b, y-1)
			b = append(append(b, ' '), drawn[i].side...)
		}
	}
	return b
}
