package terminal

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
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

// PictureCell is a cell of a picture. An empty Text is drawn as a space; an empty
// colour is that of the ground.
type PictureCell struct {
	Text                        string
	Width                       int    // in cells; 0 is 1
	Fg, Bg                      string // "#rrggbb"
	Bold, Faint, Under, Reverse bool
}

// SVG returns a picture of w x h cells. At is called for each cell that a wide one
// before it does not cover.
func SVG(g Ground, w, h int, at func(x, y int) PictureCell) string {
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

// FrameSVG returns a picture of a frame of w x h cells, as a screen takes it.
func FrameSVG(g Ground, frame string, w, h int) string {
	lines := strings.Split(frame, "\n")
	rows := make([]map[int]PictureCell, h)
	for y := range min(h, len(lines)) {
		rows[y] = pictureRow(lines[y], w)
	}
	return SVG(g, w, h, func(x, y int) PictureCell { return rows[y][x] })
}

// pictureRow splits a line into the cells of a picture, by position.
func pictureRow(line string, w int) map[int]PictureCell {
	out := map[int]PictureCell{}
	var l looks
	l.reset()
	r := l.parse(line, w, nil)
	for x, c := range r.cells {
		out[x] = l.list[c.look].picture(string(c.char), 1)
	}
	x := len(r.cells)
	for rest := ansi.Strip(r.rest); rest != "" && x < w; {
		text, width := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if text == "" {
			break
		}
		rest = rest[len(text):]
		out[x] = l.list[r.look].picture(text, width)
		x += max(width, 1)
	}
	return out
}

// picture returns a cell of a picture in the look.
func (l look) picture(text string, width int) PictureCell {
	has := func(n int) bool { return l.attrs&(1<<n) != 0 }
	return PictureCell{Text: text, Width: width, Fg: hexOf(l.fg), Bg: hexOf(l.bg), Bold: has(1), Faint: has(2), Under: has(4), Reverse: has(7)}
}

// hexOf returns the colour that the parameters of a style sequence set, as "#rrggbb", or
// "" for the terminal's own.
func hexOf(params string) string {
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	n := make([]int, len(fields))
	for i, f := range fields {
		n[i], _ = strconv.Atoi(f) // they were parsed as numbers before
	}
	indexed := func(i int) string { return termenv.ConvertToRGB(termenv.ANSI256Color(i)).Hex() }
	switch {
	case len(n) == 5 && n[1] == 2:
		return fmt.Sprintf("#%02x%02x%02x", n[2], n[3], n[4])
	case len(n) == 3 && n[1] == 5:
		return indexed(n[2])
	case len(n) != 1:
		return ""
	case n[0] >= 90:
		return indexed(n[0]%10 + 8)
	}
	return indexed(n[0] % 10)
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

func svgRow(b *strings.Builder, g Ground, y, w int, at func(x, y int) PictureCell) {
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

func lookOf(c PictureCell, g Ground) pictureLook {
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
