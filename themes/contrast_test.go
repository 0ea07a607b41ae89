package themes_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/muesli/termenv"

	"github.com/placetop/placetop/themes"
)

// grounds returns what the tokens of p may stand on: the background it is made
// for, and the plain black or white that many terminals have.
func grounds(p themes.Palette) []string {
	if p.Dark {
		return []string{p.Background, "#000000"}
	}
	return []string{p.Background, "#ffffff"}
}

func TestTextStandsOut(t *testing.T) {
	t.Parallel()
	for _, name := range themes.Builtins() {
		p := load(t, name)
		text, sign := 4.5, 3.0
		if name == "high-contrast" {
			text, sign = 7, 4.5
		}
		for tok := themes.Token(0); int(tok) < themes.TokenCount; tok++ {
			l := p.Look(tok)
			if l.Fg == "" {
				continue
			}
			least := 1.0
			switch tok.Role() {
			case themes.RoleText:
				least = text
			case themes.RoleSign:
				least = sign
			case themes.RoleDecor:
			}
			on := grounds(p)
			if l.Bg != "" {
				on = []string{l.Bg}
			}
			if p.Selection == themes.SelectionTint && tok.Signal() && l.Bg == "" {
				on = append(on, p.Look(themes.Selected).Bg)
			}
			for _, bg := range on {
				if c := contrast(l.Fg, bg); c < least {
					t.Errorf("%s: %s %s on %s has %.2f:1, needs %.1f:1", name, tok, l.Fg, bg, c, least)
				}
			}
		}
	}
}

// TestTextStandsOutIn256Colours checks what terminals with 8 bits of colour
// make of the palettes. The nearest of 256 may be a little off, so a tenth less
// is enough.
func TestTextStandsOutIn256Colours(t *testing.T) {
	t.Parallel()
	for _, name := range themes.Builtins() {
		p := load(t, name)
		least := 4.5 * 0.9
		if name == "high-contrast" {
			least = 7 * 0.9
		}
		for tok := themes.Token(0); int(tok) < themes.TokenCount; tok++ {
			l := p.Look(tok)
			if l.Fg == "" || tok.Role() != themes.RoleText {
				continue
			}
			on := grounds(p)
			if l.Bg != "" {
				on = []string{as256(l.Bg, l.Bg256)}
			}
			if sel := p.Look(themes.Selected); p.Selection == themes.SelectionTint && tok.Signal() && l.Bg == "" {
				on = append(on, as256(sel.Bg, sel.Bg256))
			}
			for _, bg := range on {
				fg := as256(l.Fg, l.Fg256)
				if c := contrast(fg, bg); c < least {
					t.Errorf("%s: %s %s on %s has %.2f:1, needs %.2f:1", name, tok, fg, bg, c, least)
				}
			}
		}
	}
}

// as256 returns the colour that a terminal with 256 shows.
func as256(hex string, number uint8) string {
	c := termenv.ANSI256.Color(hex)
	if number != 0 {
		c = termenv.ANSI256Color(number)
	}
	return termenv.ConvertToRGB(c).Hex()
}

// The deficiencies of colour vision that are simulated, each as a matrix on
// linear RGB at full severity.
//
// Source: Machado, Oliveira and Fernandes, A Physiologically-based Model for
// Simulation of Color Vision Deficiency, IEEE TVCG 15(6), 2009, table 1.
func simulations() map[string][9]float64 {
	return map[string][9]float64{
		"none":         {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	}
}

// lab returns the CIELAB coordinates (D65) of a colour as seen under m.
func lab(hex string, m [9]float64) [3]float64 {
	v, _ := strconv.ParseUint(hex[1:], 16, 32)
	var lin [3]float64
	for i, s := range []uint{16, 8, 0} {
		c := float64(v>>s&0xff) / 255
		if c <= 0.04045 {
			lin[i] = c / 12.92
		} else {
			lin[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	var s [3]float64
	for i := range s {
		s[i] = min(max(m[3*i]*lin[0]+m[3*i+1]*lin[1]+m[3*i+2]*lin[2], 0), 1)
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124564*s[0] + 0.3575761*s[1] + 0.1804375*s[2]) / 0.95047)
	y := f(0.2126729*s[0] + 0.7151522*s[1] + 0.0721750*s[2])
	z := f((0.0193339*s[0] + 0.1191920*s[1] + 0.9503041*s[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// difference returns how far apart two colours are seen under m, as CIE76
// delta E; 2.3 is a just noticeable difference.
func difference(a, b string, m [9]float64) float64 {
	p, q := lab(a, m), lab(b, m)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

func TestSimulationKnowsConfusedColours(t *testing.T) {
	t.Parallel()
	// Pairs that people with the deficiency confuse, against plain sight.
	for name, pair := range map[string][2]string{
		"protanopia":   {"#007a2b", "#82661c"},
		"deuteranopia": {"#c0803c", "#8a9a3c"},
		"tritanopia":   {"#00a0a0", "#3a9ad0"},
	} {
		sims := simulations()
		plain, seen := difference(pair[0], pair[1], sims["none"]), difference(pair[0], pair[1], sims[name])
		if seen > plain*0.75 {
			t.Errorf("%s: %v differ by %.0f, plainly by %.0f", name, pair, seen, plain)
		}
	}
}

func TestColoursAreToldApart(t *testing.T) {
	t.Parallel()
	groups := map[string][]themes.Token{
		"owners":     {themes.OwnerNova, themes.OwnerCyborg, themes.OwnerBoth, themes.OwnerNone},
		"severities": {themes.OK, themes.Warn, themes.Critical, themes.Info},
		"bars":       {themes.BarUsed, themes.BarHigh, themes.BarOver},
		// What else may stand in a bar, or beside one: an owner's colour means only the owner.
		"nova's":   {themes.OwnerNova, themes.BarUsed, themes.BarHigh, themes.BarOver, themes.Warn},
		"cyborg's": {themes.OwnerCyborg, themes.BarUsed, themes.BarHigh, themes.BarOver, themes.Warn},
	}
	// Far apart in plain sight everywhere; in okabe under each deficiency too.
	const plain, safe = 20, 15
	for _, name := range themes.Builtins() {
		p := load(t, name)
		if colourless(p) {
			continue
		}
		for sim, m := range simulations() {
			least := 0.0
			switch {
			case sim == "none":
				least = plain
			case name == "okabe":
				least = safe
			}
			for group, toks := range groups {
				for i, a := range toks {
					for _, b := range toks[:i] {
						if d := difference(p.Look(a).Fg, p.Look(b).Fg, m); d < least {
							t.Errorf("%s, %s: %s and %s differ by %.1f under %s, need %.0f", name, group, a, b, d, sim, least)
						}
					}
				}
			}
		}
	}
}

func TestOwnersAndSeveritiesDifferWithoutTruecolour(t *testing.T) {
	t.Parallel()
	for _, name := range themes.Builtins() {
		p := load(t, name)
		if colourless(p) {
			continue
		}
		for _, toks := range [][]themes.Token{
			{themes.OwnerNova, themes.OwnerCyborg, themes.OwnerBoth, themes.OwnerNone, themes.Warn, themes.BarUsed, themes.BarHigh, themes.BarOver},
			{themes.OK, themes.Warn, themes.Critical, themes.Info},
		} {
			seen := map[[2]int]themes.Token{}
			for _, tok := range toks {
				l := p.Look(tok)
				k := [2]int{int(l.ANSIFg), int(l.ANSIAttr)}
				if other, ok := seen[k]; ok {
					t.Errorf("%s: %s and %s look alike with 16 colours", name, tok, other)
				}
				seen[k] = tok
			}
		}
	}
}

var hex = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// contrast returns the contrast ratio of two "#rrggbb" colours, from 1 (the
// same) to 21 (black on white). It returns 0 when one of them is not a colour.
//
// Source: WCAG 2.2, definitions of contrast ratio and relative luminance.
func contrast(a, b string) float64 {
	if !hex.MatchString(a) || !hex.MatchString(b) {
		return 0
	}
	la, lb := luminance(a), luminance(b)
	if la < lb {
		la, lb = lb, la
	}
	return (la + 0.05) / (lb + 0.05)
}

func luminance(colour string) float64 {
	r, g, b := linearRGB(colour)
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// linearRGB returns the linear light of a valid "#rrggbb", each 0 to 1.
func linearRGB(colour string) (r, g, b float64) {
	// The callers have checked the digits.
	v, _ := strconv.ParseUint(colour[1:], 16, 32)
	lin := func(c uint64) float64 {
		x := float64(c&0xff) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return lin(v >> 16), lin(v >> 8), lin(v)
}
