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
	Sync    string // --sync: on, off, auto, or empty for auto
}

// Capabilities are what is known about a terminal without asking it.
type Capabilities struct {
	// Profile is how many colours it shows.
	Profile termenv.Profile

	// Glyphs is the set of signs to draw with.
	Glyphs style.Glyphs

	// Sync is whether frames are wrapped in mode 2026.
	Sync bool

	// Strings is whether it swallows control strings it does not know: otherwise titles
	// and the clipboard are left out.
	Strings bool

	// VT100 is set if cells can be cleared only by writing over them.
	VT100 bool

	// GNUScreen is set if it runs in GNU screen, which passes on nothing that is not wrapped.
	GNUScreen bool

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
		Glyphs:  style.PickGlyphs(func(key string) string { return env[key] }),
		Dumb:    term == "" || term == "dumb",
	}
	if flags.ASCII {
		c.Glyphs = style.ASCII()
	}
	tmux := env["TMUX"] != "" || strings.HasPrefix(term, "tmux")
	c.GNUScreen = !tmux && (env["STY"] != "" || strings.HasPrefix(term, "screen"))
	c.Strings = !c.Dumb && term != "linux"
	c.VT100 = term == "vt100" || term == "vt102"
	switch flags.Sync {
	case "on":
		c.Sync = true
	case "off":
	default:
		// tmux and screen redraw from their own copy of our screen, at their own pace.
		c.Sync = c.Strings && !tmux && !c.GNUScreen
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
