// Package style turns a palette into what one terminal session draws with.
//
// A Styles value is built once per session from a themes.Palette, the
// session's lipgloss renderer and a glyph set. It holds every token as a ready
// escape sequence, since drawing a cell through lipgloss costs fifty times as
// much.
//
// Without colour (NO_COLOR) each token has attributes of its own instead. A Styles value
// may be used from any goroutine. Its palette can be changed while it is in use: what was
// drawn before and kept then has an older Version.
package style

import (
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/themes"
)

// Paint is a style as a line builder wants it, which switches from one to the
// next without going back to plain in between.
type Paint struct {
	// Pre begins the style on plain ground, Next from any other style.
	Pre, Next string
	// Class is equal for paints that look alike; 0 is plain.
	Class uint8
	// SpaceSafe is whether a space in it looks like a plain one.
	SpaceSafe bool
}

// Reset ends any style.
const Reset = "\x1b[0m"

// Styles is everything one session draws with.
type Styles struct {
	// Glyphs is the set of signs this terminal can show.
	Glyphs Glyphs

	profile termenv.Profile
	plain   bool
	looks   atomic.Pointer[paletteStyle]
}

// paletteStyle is how a palette is drawn.
type paletteStyle struct {
	version uint64
	palette themes.Palette
	paints  [2][themes.TokenCount]Paint // normal rows, the selected row
}

// New builds the styles of a session. The renderer's colour profile decides
// how much of the palette is used; a nil renderer means no colour.
func New(p themes.Palette, r *lipgloss.Renderer, g Glyphs) *Styles {
	if r == nil {
		r = lipgloss.NewRenderer(io.Discard)
		r.SetColorProfile(termenv.Ascii)
	}
	return build(p, r, g, false)
}

// NewPlain builds styles that emit no escape sequence at all, for output that
// goes to a file or a pipe.
func NewPlain(p themes.Palette, g Glyphs) *Styles {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	return build(p, r, g, true)
}

func build(p themes.Palette, r *lipgloss.Renderer, g Glyphs, plain bool) *Styles {
	s := &Styles{Glyphs: g, profile: r.ColorProfile(), plain: plain}
	s.SetPalette(p)
	return s
}

// Palette returns the palette that the colours come from.
func (s *Styles) Palette() themes.Palette { return s.looks.Load().palette }

// Version changes whenever the palette does: what was drawn with another one must be drawn
// again.
func (s *Styles) Version() uint64 { return s.looks.Load().version }

// SetPalette changes the colours from now on.
func (s *Styles) SetPalette(p themes.Palette) {
	next := &paletteStyle{palette: p}
	if before := s.looks.Load(); before != nil {
		next.version = before.version + 1
	}
	classes := map[string]uint8{"": 0}
	for t := themes.Token(0); int(t) < themes.TokenCount; t++ {
		normal := s.codes(p.Look(t))
		selected := s.codes(s.onSelected(p, t))
		for i, codes := range [2]string{normal, selected} {
			class, ok := classes[codes]
			if !ok {
				class = uint8(len(classes))
				classes[codes] = class
			}
			pt := Paint{Class: class, Next: Reset}
			if codes != "" {
				pt.Pre = "\x1b[" + codes + "m"
				pt.Next = "\x1b[0;" + codes + "m"
			}
			next.paints[i][t] = pt
		}
	}
	for t := themes.Token(0); int(t) < themes.TokenCount; t++ {
		l := p.Look(t)
		a := s.attr(l)
		next.paints[0][t].SpaceSafe = a&(themes.Reverse|themes.Underline) == 0 && (l.Bg == "" || s.profile == termenv.Ascii)
		a = s.attr(s.onSelected(p, t))
		next.paints[1][t].SpaceSafe = a&themes.Underline == 0
	}
	s.looks.Store(next)
}

// Render returns text in the style of t. The text is taken as it is.
func (s *Styles) Render(t themes.Token, text string) string {
	if pre := s.Paint(t, false).Pre; pre != "" {
		return pre + text + Reset
	}
	return text
}

// Paint returns the paint of t, on the selected row or elsewhere.
func (s *Styles) Paint(t themes.Token, selected bool) *Paint {
	if selected {
		return &s.looks.Load().paints[1][index(t)]
	}
	return &s.looks.Load().paints[0][index(t)]
}

// Profile returns how much colour the session has.
func (s *Styles) Profile() termenv.Profile { return s.profile }

func index(t themes.Token) themes.Token {
	if int(t) >= themes.TokenCount {
		return themes.Blank
	}
	return t
}

// onSelected returns the look of t on the selected row. If the row is tinted, signals
// keep their colour; with 16 colours or none, or if the palette says so, the row has one
// look: no colour is certain to be readable on another.
func (s *Styles) onSelected(p themes.Palette, t themes.Token) themes.Look {
	sel := p.Look(themes.Selected)
	own := p.Look(t)
	if p.Selection != themes.SelectionTint || s.profile > termenv.ANSI256 {
		return sel
	}
	out := sel
	out.Attr |= own.Attr & (themes.Bold | themes.Underline)
	if t.Signal() && own.Bg == "" && own.Fg != "" {
		out.Fg, out.Fg256 = own.Fg, own.Fg256
	}
	return out
}

// attr returns the attributes of l on this session's terminal.
func (s *Styles) attr(l themes.Look) themes.Attr {
	switch s.profile {
	case termenv.TrueColor, termenv.ANSI256:
		return l.Attr
	case termenv.ANSI:
		return l.ANSIAttr
	default:
		return l.Mono
	}
}

// colours returns the colours of l in termenv's form: by number if the session has 256
// colours and the palette has numbers, else in full.
func (s *Styles) colours(l themes.Look) (fg, bg string) {
	fg, bg = l.Fg, l.Bg
	if s.profile != termenv.ANSI256 {
		return fg, bg
	}
	if l.Fg256 != 0 {
		fg = strconv.Itoa(int(l.Fg256))
	}
	if l.Bg256 != 0 {
		bg = strconv.Itoa(int(l.Bg256))
	}
	return fg, bg
}

// codes returns the parameters of the SGR sequence that draws l, or "".
func (s *Styles) codes(l themes.Look) string {
	if s.plain {
		return ""
	}
	var parts []string
	a := s.attr(l)
	for _, x := range []struct {
		bit  themes.Attr
		code string
	}{
		{themes.Bold, "1"},
		{themes.Faded, "2"},
		{themes.Italic, "3"},
		{themes.Underline, "4"},
		{themes.Reverse, "7"},
	} {
		if a&x.bit != 0 {
			parts = append(parts, x.code)
		}
	}
	switch s.profile {
	case termenv.TrueColor, termenv.ANSI256:
		fg, bg := s.colours(l)
		if c := s.profile.Color(fg); c != nil {
			parts = append(parts, c.Sequence(false))
		}
		if c := s.profile.Color(bg); c != nil {
			parts = append(parts, c.Sequence(true))
		}
	case termenv.ANSI:
		if l.ANSIFg != themes.NoANSI {
			parts = append(parts, termenv.ANSIColor(l.ANSIFg).Sequence(false))
		}
		if l.ANSIBg != themes.NoANSI {
			parts = append(parts, termenv.ANSIColor(l.ANSIBg).Sequence(true))
		}
	case termenv.Ascii:
	}
	return strings.Join(parts, ";")
}
