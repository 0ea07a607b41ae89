package session

import (
	"strings"

	"github.com/muesli/termenv"

	"github.com/placetop/placetop/tui/style"
)

// Flags are what the user said about the terminal; they win over what the
// environment says. The zero value leaves all to the environment.
type Flags struct {
	NoColor bool   // --no-color, or a theme without colours
	ASCII   bool   // --ascii
	Glyphs  string // --glyphs: block, braille, ascii, auto, or empty for auto
	Sync    string // --sync: on, off, auto, or empty for auto
}

// Multiplexer is the program between us and the terminal.
type Multiplexer int

// The multiplexers that need to be known.
const (
	NoMultiplexer Multiplexer = iota
	Tmux
	GNUScreen
)

// Capabilities are what is known about a terminal without asking it.
type Capabilities struct {
	// Profile is how many colours it shows.
	Profile termenv.Profile

	// Glyphs names the set of signs to draw with: block, braille or ascii, as
	// style.GlyphsByName takes it.
	Glyphs string

	// Sync is whether frames are wrapped in mode 2026.
	Sync bool

	// Strings is whether it swallows control strings it does not know: otherwise titles
	// and the clipboard are left out.
	Strings bool

	// VT100 is set if cells can be cleared only by writing over them.
	VT100 bool

	// Multiplexer is what the terminal runs in.
	Multiplexer Multiplexer

	// Dumb is set if the cursor cannot be moved, so that no dashboard can be drawn.
	Dumb bool
}

// Detect tells what the terminal can do from the environment, whose keys are
// the variables, and from flags. It asks the terminal nothing: an answer may
// take a second over a slow link, or never come, and eats keys meanwhile.
func Detect(env map[string]string, flags Flags) Capabilities {
	term := strings.ToLower(env["TERM"])
	c := Capabilities{
		Profile: profile(env, term, flags),
		Glyphs:  glyphs(env, flags),
		Dumb:    term == "" || term == "dumb",
	}
	switch {
	case env["TMUX"] != "" || strings.HasPrefix(term, "tmux"):
		c.Multiplexer = Tmux
	case env["STY"] != "" || strings.HasPrefix(term, "screen"):
		c.Multiplexer = GNUScreen
	}
	c.Strings = !c.Dumb && term != "linux"
	c.VT100 = term == "vt100" || term == "vt102"
	switch flags.Sync {
	case "on":
		c.Sync = true
	case "off":
	default:
		// tmux and screen redraw from their own copy of our screen, at their own pace.
		c.Sync = c.Strings && c.Multiplexer == NoMultiplexer
	}
	return c
}

// profile follows no-color.org, bixense.com/clicolors and COLORTERM, in this
// order.
func profile(env map[string]string, term string, flags Flags) termenv.Profile {
	if flags.NoColor || env["NO_COLOR"] != "" {
		return termenv.Ascii
	}
	p := termProfile(env, term)
	forced := env["CLICOLOR_FORCE"] != "" && env["CLICOLOR_FORCE"] != "0"
	switch {
	case forced && p == termenv.Ascii:
		return termenv.ANSI
	case !forced && env["CLICOLOR"] == "0":
		return termenv.Ascii
	default:
		return p
	}
}

// termProfile determines the colours from what the terminal says about itself.
func termProfile(env map[string]string, term string) termenv.Profile {
	if term == "" || term == "dumb" {
		return termenv.Ascii
	}
	switch strings.ToLower(env["COLORTERM"]) {
	case "truecolor", "24bit":
		if strings.HasPrefix(term, "screen") && env["TMUX"] == "" {
			return termenv.ANSI256 // GNU screen forwards no 24-bit colour
		}
		return termenv.TrueColor
	}
	switch term {
	case "xterm-kitty", "xterm-ghostty", "wezterm", "alacritty", "foot", "contour":
		return termenv.TrueColor
	case "linux":
		return termenv.ANSI
	}
	switch {
	case strings.HasSuffix(term, "-direct"):
		return termenv.TrueColor
	case strings.Contains(term, "256color"):
		return termenv.ANSI256
	case strings.HasSuffix(term, "-mono") || strings.HasSuffix(term, "-m") || term == "vt100" || term == "vt220":
		return termenv.Ascii
	default:
		return termenv.ANSI
	}
}

// glyphs chooses the glyphs by flag, then by terminal and locale.
func glyphs(env map[string]string, flags Flags) string {
	switch {
	case flags.ASCII:
		return "ascii"
	case flags.Glyphs != "" && flags.Glyphs != "auto":
		return flags.Glyphs
	default:
		return style.PickGlyphs(func(key string) string { return env[key] }).Name
	}
}

// Environ turns the form of [os.Environ] into the map that [Detect] takes.
func Environ(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, item := range list {
		if key, value, ok := strings.Cut(item, "="); ok {
			env[key] = value
		}
	}
	return env
}
