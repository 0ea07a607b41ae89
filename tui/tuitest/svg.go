package tuitest

import (
	"fmt"
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
)

// SVG returns the screen as a picture, cell by cell: pictures in documents are
// taken from the running program, not drawn.
func (e *Emulator) SVG(g Ground) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return svg(g, e.vt.Width(), e.vt.Height(), func(x, y int) pictureCell {
		cell := e.vt.CellAt(x, y)
		if cell == nil {
			return pictureCell{}
		}
		attr := func(a uint8) bool { return cell.Style.Attrs&a != 0 }
		return pictureCell{
			Text: cell.Content, Width: cell.Width, Fg: hex(cell.Style.Fg), Bg: hex(cell.Style.Bg),
			Bold: attr(uv.AttrBold), Faint: attr(uv.AttrFaint), Under: cell.Style.Underline != 0, Reverse: attr(uv.AttrReverse),
		}
	})
}

// hex returns c as "#rrggbb", or "" for the terminal's own colour.
func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
