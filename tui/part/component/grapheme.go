package component

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/bidi"

	"github.com/placetop/placetop/tui/style"
)

// The most runes and combining marks of a character: more is not writing, but an attempt
// to draw over other lines. A family of emoji has 11 runes, a stack of Tibetan 6 marks.
const maxRunes, maxMarks = 16, 8

// nextGrapheme removes the first character of s and returns it as it may be drawn, its
// width in cells, and the rest of s. s must not be empty.
//
// What is a character, and how wide, is as package ansi says, which also measures and cuts
// what is drawn. What acts on the terminal or on its neighbours is replaced: controls,
// overrides of the direction, and marks without a character that carries them.
func nextGrapheme(s string, g *style.Glyphs) (out string, w int, rest string) {
	if c := s[0]; c < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		if c < 0x20 || c == 0x7f {
			return g.Unprintable, 1, s[1:]
		}
		return s[:1], 1, s[1:]
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size <= 1 || !unicode.IsPrint(r) {
		return g.Unprintable, 1, s[size:]
	}
	cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	rest = s[len(cluster):]
	if g.ASCIIOnly {
		return g.Unprintable, 1, rest
	}
	if short := readable(cluster); short != cluster {
		cluster, w = short, ansi.StringWidth(short)
		if joins(cluster, rest) {
			w = 0
		}
	}
	if w < 1 || joins("a", cluster) || joins(cluster, "a") {
		return g.Unprintable, 1, rest
	}
	return cluster, w, rest
}

// readable returns a character without what is too much of it.
func readable(cluster string) string {
	runes, marks := 0, 0
	for i, r := range cluster {
		if runes++; unicode.Is(unicode.M, r) {
			marks++
		}
		if r == utf8.RuneError || runes > maxRunes || marks > maxMarks {
			return cluster[:i]
		}
	}
	return cluster
}

// joins reports whether text that is drawn right after a character becomes part of it: a
// mark, or the other half of a flag or of a syllable.
func joins(cluster, text string) bool {
	if cluster == "" || text == "" {
		return false
	}
	var both [2 * utf8.UTFMax * maxRunes]byte
	first, _ := ansi.FirstGraphemeCluster(append(append(both[:0], cluster...), text[:min(len(text), utf8.UTFMax*maxRunes)]...), ansi.GraphemeWidth)
	return len(first) > len(cluster)
}

// leftToRight is a mark without width. Around text that is written from right to left it
// keeps terminals that arrange such text from moving what is beside it, and so the columns.
//
// Source: Unicode Standard Annex 9, LEFT-TO-RIGHT MARK.
const leftToRight = "\u200e"

// DirectionMark returns what is to be written before and after a text so that all beside it
// stays where it is: nothing, unless some of it is written from right to left.
func DirectionMark(text string) string {
	for _, r := range text {
		if r < 0x590 { // the first letters of Hebrew
			continue
		}
		p, _ := bidi.LookupRune(r)
		if c := p.Class(); c == bidi.R || c == bidi.AL || c == bidi.AN {
			return leftToRight
		}
	}
	return ""
}

// separator keeps characters of two texts apart that would join. It has no width.
const separator = "\u200c"
