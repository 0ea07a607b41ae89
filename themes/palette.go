package themes

// Attr is a set of text attributes.
type Attr uint8

// The attributes.
const (
	Bold Attr = 1 << iota
	Faded
	Italic
	Underline
	Reverse
)

// ANSI is one of the 16 colours of ANSI terminals, 0 to 15, or NoANSI.
type ANSI int8

// NoANSI keeps the terminal's own colour.
const NoANSI ANSI = -1

// Look is how a token is drawn on each kind of terminal.
type Look struct {
	// Fg and Bg are "#rrggbb", or empty for the terminal's own colour.
	Fg, Bg string
	// Fg256 and Bg256 are used with 8 bits of colour, 16 to 255; 0 means the
	// nearest to Fg and Bg.
	Fg256, Bg256 uint8
	// Attr is used with Fg and Bg.
	Attr Attr
	// ANSIFg, ANSIBg and ANSIAttr are used with 16 colours.
	ANSIFg, ANSIBg ANSI
	ANSIAttr       Attr
	// Mono is used on terminals without colour.
	Mono Attr
}

// Selection says how the row under the cursor is drawn.
type Selection uint8

// The selections.
const (
	// SelectionTint lays a background under the row; owners, severities and
	// bars keep their colours on it.
	SelectionTint Selection = iota
	// SelectionSolid draws the whole row in the one look of Selected.
	SelectionSolid
)

// Palette gives each Token its Look. It is immutable.
type Palette struct {
	// Name is the name to load it by.
	Name string
	// Title describes it in a few words.
	Title string
	// Dark reports whether it is made for dark terminals.
	Dark bool
	// Background is the "#rrggbb" that the palette is designed for. It is not painted:
	// the terminal keeps its own.
	Background string
	// Selection is how the row under the cursor is drawn.
	Selection Selection

	looks [tokenCount]Look
}

// Look returns how t is drawn.
func (p Palette) Look(t Token) Look {
	if t >= tokenCount {
		t = Blank
	}
	return p.looks[t]
}
