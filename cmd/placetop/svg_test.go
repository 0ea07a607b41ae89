package main

import (
	"fmt"
	"html"
	"image/color"
	"strings"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// Size of a cell in a picture, in pixels.
const (
	svgCellWidth  = 8.4
	svgCellHeight = 18
	svgFontSize   = 14
	svgMargin     = 12
)

// ground is the terminal that a picture shows: the colours of plain text.
type ground struct {
	Foreground, Background string // "#rrggbb"
}

// pictureCell is a cell of a picture. An empty Text is drawn as a space; an empty
// colour is that of the ground.
type pictureCell struct {
	Text                        string
	Width                       int    // in cells; 0 is 1
	Fg, Bg                      string // "#rrggbb"
	Bold, Faint, Under, Reverse bool
}

// picture returns a screen as a picture, cell by cell: pictures in documents are taken
// from the running program, not drawn.
func picture(e *vt.Emulator, g ground) string {
	return svg(g, e.Width(), e.Height(), func(x, y int) pictureCell {
		cell := e.CellAt(x, y)
		if cell == nil {
			return pictureCell{}
		}
		attr := func(a uint8) bool { return cell.Style.Attrs&a != 0 }
		return pictureCell{
			Text: cell.Content, Width: cell.Width, Fg: hexColour(cell.Style.Fg), Bg: hexColour(cell.Style.Bg),
			Bold: attr(uv.AttrBold), Faint: attr(uv.AttrFaint), Under: cell.Style.Underline != 0, Reverse: attr(uv.AttrReverse),
		}
	})
}

// hexColour returns c as "#rrggbb", or "" for the terminal's own colour.
func hexColour(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// svg returns a picture of w x h cells. At is called for each cell that a wide one
// before it does not cover.
func svg(g ground, w, h int, at func(x, y int) pictureCell) string {
	var b strings.Builder
	width, height := float64(w)*svgCellWidth+2*svgMargin, float64(h)*svgCellHeight+2*svgMargin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", g.Background)
	fmt.Fprintf(&b, `<g font-family="'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="%d" xml:space="preserve">`+"\n", svgFontSize)
	for y := range h {
		svgRow(&b, g, y, w, at)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// svgRun is a stretch of cells with one look.
type svgRun struct {
	x, width int
	text     strings.Builder
	look     pictureLook
}

type pictureLook struct {
	fg, bg             string
	bold, faint, under bool
}

func svgRow(b *strings.Builder, g ground, y, w int, at func(x, y int) pictureCell) {
	var runs []*svgRun
	for x := 0; x < w; {
		cell := at(x, y)
		text, wide, lk := " ", 1, lookOf(cell, g)
		if cell.Text != "" {
			text, wide = cell.Text, max(1, cell.Width)
		}
		// Signs that fonts draw with other widths get a run of their own, so that what
		// follows stays in its column.
		last := len(runs) - 1
		if text == " " && !lk.under {
			// In which colour nothing is drawn depends on what was there before.
			plain := pictureLook{fg: g.Foreground, bg: lk.bg}
			if last >= 0 && runs[last].look.bg == lk.bg && !runs[last].look.under {
				plain = runs[last].look
			}
			lk = plain
		}
		if last < 0 || runs[last].look != lk || !joinsText(runs[last].text.String(), text) {
			runs = append(runs, &svgRun{x: x, look: lk})
			last++
		}
		runs[last].text.WriteString(text)
		runs[last].width += wide
		x += wide
	}
	top := float64(svgMargin) + float64(y)*svgCellHeight
	for _, r := range runs {
		left := float64(svgMargin) + float64(r.x)*svgCellWidth
		if r.look.bg != g.Background {
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, float64(r.width)*svgCellWidth+0.3, svgCellHeight, r.look.bg)
		}
		if s := r.text.String(); strings.TrimSpace(s) != "" {
			if !svgBlock(b, s, left, top, r) {
				fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
					left, top+13.5, float64(r.width)*svgCellWidth, r.look.fg, r.look.attributes(), html.EscapeString(s))
			}
		}
	}
}

// svgBlock draws a block element as a rectangle. It returns false for any other text.
func svgBlock(b *strings.Builder, s string, left, top float64, r *svgRun) bool {
	const eighths = "█▏▎▍▌▋▊▉"
	c := []rune(s)
	if len(c) != 1 && c[0] != '█' {
		return false
	}
	y, w, h := 0.0, 1.0, 1.0
	switch {
	case c[0] == '█':
		w = float64(len(c))
	case strings.ContainsRune(eighths, c[0]):
		w = float64('▏'-c[0]+1) / 8 // the signs run from seven eighths down
	case c[0] >= '▁' && c[0] <= '▇':
		h = float64(c[0]-'▁'+1) / 8
		y = 1 - h
	default:
		return false
	}
	fmt.Fprintf(b, `<rect x="%.1f" y="%.2f" width="%.2f" height="%.2f" fill="%s"/>`+"\n",
		left, top+y*svgCellHeight+1, w*svgCellWidth+0.3, h*svgCellHeight-2*h, r.look.fg)
	return true
}

// joinsText reports whether next can be drawn in one piece with the text before it.
func joinsText(text, next string) bool {
	if latinText(text) && latinText(next) {
		return true
	}
	return next == "█" && strings.HasSuffix(text, "█") || next == "░" && strings.HasSuffix(text, "░") || next == "─" && strings.HasSuffix(text, "─")
}

// latinText reports whether s is only letters, digits and punctuation.
func latinText(s string) bool {
	for _, r := range s {
		if r > unicode.MaxLatin1 {
			return false
		}
	}
	return true
}

func lookOf(c pictureCell, g ground) pictureLook {
	or := func(colour, plain string) string {
		if colour == "" {
			return plain
		}
		return colour
	}
	l := pictureLook{fg: or(c.Fg, g.Foreground), bg: or(c.Bg, g.Background), bold: c.Bold, faint: c.Faint, under: c.Under}
	if c.Reverse {
		l.fg, l.bg = l.bg, l.fg
	}
	return l
}

func (l pictureLook) attributes() string {
	s := ""
	if l.bold {
		s += ` font-weight="bold"`
	}
	if l.faint {
		s += ` opacity="0.65"`
	}
	if l.under {
		s += ` text-decoration="underline"`
	}
	return s
}
