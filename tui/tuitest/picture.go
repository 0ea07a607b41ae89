package tuitest

import (
	"fmt"
	"html"
	"strings"
	"unicode"
)

// Size of a cell in a picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	fontSize   = 14
	margin     = 12
)

// Ground is the terminal that a picture shows: the colours of plain text.
type Ground struct {
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

// svg returns a picture of w x h cells. At is called for each cell that a wide one
// before it does not cover.
func svg(g Ground, w, h int, at func(x, y int) pictureCell) string {
	var b strings.Builder
	width, height := float64(w)*cellWidth+2*margin, float64(h)*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", g.Background)
	fmt.Fprintf(&b, `<g font-family="'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="%d" xml:space="preserve">`+"\n", fontSize)
	for y := range h {
		svgRow(&b, g, y, w, at)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// run is a stretch of cells with one look.
type run struct {
	x, width int
	text     strings.Builder
	look     pictureLook
}

type pictureLook struct {
	fg, bg             string
	bold, faint, under bool
}

func svgRow(b *strings.Builder, g Ground, y, w int, at func(x, y int) pictureCell) {
	var runs []*run
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
		if last < 0 || runs[last].look != lk || !joins(runs[last].text.String(), text) {
			runs = append(runs, &run{x: x, look: lk})
			last++
		}
		runs[last].text.WriteString(text)
		runs[last].width += wide
		x += wide
	}
	top := float64(margin) + float64(y)*cellHeight
	for _, r := range runs {
		left := float64(margin) + float64(r.x)*cellWidth
		if r.look.bg != g.Background {
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, float64(r.width)*cellWidth+0.3, cellHeight, r.look.bg)
		}
		if s := r.text.String(); strings.TrimSpace(s) != "" {
			if !block(b, s, left, top, r) {
				fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
					left, top+13.5, float64(r.width)*cellWidth, r.look.fg, r.look.attributes(), html.EscapeString(s))
			}
		}
	}
}

// block draws a block element as a rectangle. It returns false for any other text.
func block(b *strings.Builder, s string, left, top float64, r *run) bool {
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
		left, top+y*cellHeight+1, w*cellWidth+0.3, h*cellHeight-2*h, r.look.fg)
	return true
}

// joins reports whether next can be drawn in one piece with the text before it.
func joins(text, next string) bool {
	if plainText(text) && plainText(next) {
		return true
	}
	return next == "█" && strings.HasSuffix(text, "█") || next == "░" && strings.HasSuffix(text, "░") || next == "─" && strings.HasSuffix(text, "─")
}

// plainText reports whether s is only letters, digits and punctuation.
func plainText(s string) bool {
	for _, r := range s {
		if r > unicode.MaxLatin1 {
			return false
		}
	}
	return true
}

func lookOf(c pictureCell, g Ground) pictureLook {
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
