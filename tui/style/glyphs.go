package style

import (
	"strings"

	"github.com/placetop/placetop/themes"
)

// Owner says which service a provider belongs to.
type Owner uint8

// The owners.
const (
	OwnerNone   Owner = iota // carries neither trait
	OwnerNova                // carries OWNER_NOVA
	OwnerCyborg              // carries OWNER_CYBORG
	OwnerBoth                // carries both: always a problem
)

// Token returns the colour of o.
func (o Owner) Token() themes.Token {
	switch o {
	case OwnerNova:
		return themes.OwnerNova
	case OwnerCyborg:
		return themes.OwnerCyborg
	case OwnerBoth:
		return themes.OwnerBoth
	default:
		return themes.OwnerNone
	}
}

// String returns the word for o.
func (o Owner) String() string {
	switch o {
	case OwnerNova:
		return "nova"
	case OwnerCyborg:
		return "cyborg"
	case OwnerBoth:
		return "both"
	default:
		return "none"
	}
}

// Severity says how bad a thing is; higher is worse.
type Severity uint8

// The severities. SeverityNone has no sign.
const (
	SeverityNone Severity = iota
	SeverityOK
	SeverityInfo
	SeverityWarn
	SeverityCritical
)

// Token returns the colour of v.
func (v Severity) Token() themes.Token {
	switch v {
	case SeverityOK:
		return themes.OK
	case SeverityInfo:
		return themes.Info
	case SeverityWarn:
		return themes.Warn
	case SeverityCritical:
		return themes.Critical
	default:
		return themes.Blank
	}
}

// String returns the word for v; it is empty for SeverityNone.
func (v Severity) String() string {
	switch v {
	case SeverityOK:
		return "ok"
	case SeverityInfo:
		return "info"
	case SeverityWarn:
		return "warn"
	case SeverityCritical:
		return "critical"
	default:
		return ""
	}
}

// Glyphs is a set of signs that one kind of terminal shows well. Every glyph is
// one cell wide unless it says otherwise. The zero value is no set: use Block,
// Braille or ASCII.
type Glyphs struct {
	// Name is block, braille or ascii.
	Name string
	// ASCIIOnly means that nothing outside ASCII may be drawn, data included.
	ASCIIOnly bool

	Bar      [9]string // by eighths filled: 0 is free, 8 is full
	Held     string    // a cell of a bar that is held by moves, on top of what is in use
	Both     string    // a used cell of what both owners claim
	Reserved string    // the reserved or withheld end of a bar
	Physical string    // the physical end, where the ratio is above 1
	Over     string    // the last cell of a bar over its capacity
	Spark    [8]string // from low to high

	Owners     [4]string // by Owner, shape and letter, three cells
	Severities [5]string // by Severity

	TreeBranch, TreeLast, TreePipe, TreeBlank string // three cells each
	Folded, Unfolded                          string

	RowCursor, RowMark string
	SortUp, SortDown   string
	More               string // before "N more"
	Ellipsis           string // where text was cut
	Unprintable        string // in place of what must not be drawn
	Live, NotLive      string // before the age of the data
	Times              string // between a count and a thing

	Horizontal, Vertical                           string
	TopLeft, TopRight, BottomLeft, BottomRight     string
	TeeLeft, TeeRight, TeeDown, TeeUp, CrossJoin   string
	Corner                                         string // of a chart's axes
	PromptCommand, PromptFilter, PromptGoTo, Arrow string
}

// Block returns the set for terminals with good fonts: eighth blocks and
// rounded boxes.
func Block() Glyphs {
	return Glyphs{
		Name:       "block",
		Bar:        [9]string{"░", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
		Held:       "▒",
		Both:       "▚",
		Reserved:   "/",
		Physical:   "|",
		Over:       "»",
		Spark:      [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		Owners:     [4]string{"◌ -", "⬢ N", "⬡ C", "⊗ B"},
		Severities: [5]string{" ", "✓", "i", "!", "✗"},
		TreeBranch: "├─ ", TreeLast: "└─ ", TreePipe: "│  ", TreeBlank: "   ",
		Folded: "▸", Unfolded: "▾",
		RowCursor: ">", RowMark: "*", SortUp: "▴", SortDown: "▾",
		More: "⋮", Ellipsis: "…", Unprintable: "�", Live: "◉", NotLive: "◌", Times: "×",
		Horizontal: "─", Vertical: "│",
		TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯",
		TeeLeft: "┤", TeeRight: "├", TeeDown: "┬", TeeUp: "┴", CrossJoin: "┼", Corner: "└",
		PromptCommand: ":", PromptFilter: "/", PromptGoTo: ">", Arrow: "→",
	}
}

// Braille returns the set for terminals that draw ambiguous characters two
// cells wide, as in Chinese, Japanese and Korean locales: all of its glyphs are
// one cell wide there too.
func Braille() Glyphs {
	g := Block()
	g.Name = "braille"
	g.Held, g.Both = "⣤", "⢕"
	g.Bar = [9]string{"⠤", "⡀", "⡄", "⡆", "⡇", "⣇", "⣧", "⣷", "⣿"}
	g.Spark = [8]string{"⢀", "⣀", "⣄", "⣤", "⣦", "⣶", "⣷", "⣿"}
	g.plainLines()
	return g
}

// plainLines draws trees, boxes, arrows and replacement signs with only ASCII: their own
// characters are two cells wide if ambiguous ones are.
func (g *Glyphs) plainLines() {
	g.TreeBranch, g.TreeLast, g.TreePipe = "|- ", "`- ", "|  "
	g.SortUp, g.SortDown = "^", "v"
	g.Ellipsis, g.Unprintable, g.Times, g.Arrow = "~", "?", "x", ">"
	g.Horizontal, g.Vertical = "-", "|"
	g.TopLeft, g.TopRight, g.BottomLeft, g.BottomRight = "+", "+", "+", "+"
	g.TeeLeft, g.TeeRight, g.TeeDown, g.TeeUp, g.CrossJoin, g.Corner = "|", "|", "+", "+", "+", "+"
}

// ASCII returns the set for terminals that show nothing else, such as the
// Linux console.
func ASCII() Glyphs {
	g := Block()
	g.Name, g.ASCIIOnly = "ascii", true
	g.Bar = [9]string{".", ".", ".", ".", ":", ":", ":", ":", "#"}
	g.Held, g.Both = "%", "X"
	g.Over = ">"
	g.Spark = [8]string{"_", ".", ":", "-", "=", "+", "*", "#"}
	g.Owners = [4]string{"[ ]", "[N]", "[C]", "[!]"}
	g.Severities = [5]string{" ", "+", "i", "!", "x"}
	g.Folded, g.Unfolded = "+", "-"
	g.More, g.Live, g.NotLive = ":", "*", "o"
	g.plainLines()
	return g
}

// PickGlyphs returns the set that suits the terminal and locale that getenv
// tells about: ASCII on the Linux console, on dumb terminals and without UTF-8,
// Braille where ambiguous characters are wide, else Block.
func PickGlyphs(getenv func(string) string) Glyphs {
	switch getenv("TERM") {
	case "linux", "dumb":
		return ASCII()
	}
	locale := ""
	for _, v := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = getenv(v); locale != "" {
			break
		}
	}
	low := strings.ToLower(locale)
	if low != "" && !strings.Contains(low, "utf-8") && !strings.Contains(low, "utf8") {
		return ASCII()
	}
	for _, lang := range []string{"zh", "ja", "ko"} {
		if strings.HasPrefix(low, lang) {
			return Braille()
		}
	}
	return Block()
}
