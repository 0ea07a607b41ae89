package component

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/tui/style"
)

// maxMarks is how many combining marks a character may carry; more is not writing but an
// attempt to draw over other lines.
const maxMarks = 3

// nextGrapheme removes the first grapheme of s and returns what may be drawn of it, its
// width in cells, and the rest of s. s must not be empty.
//
// Terminals disagree on the width of sequences: emoji joined into one, flags, variation
// selectors. Only the first character of those is kept, whose width is certain.
func nextGrapheme(s string, g *style.Glyphs) (out string, w int, rest string) {
	if c := s[0]; c < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		if c < 0x20 || c == 0x7f {
			return g.Unprintable, 1, s[1:]
		}
		return s[:1], 1, s[1:]
	}
	cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if cluster == "" {
		return g.Unprintable, 1, s[1:]
	}
	rest = s[len(cluster):]
	r, size := utf8.DecodeRuneInString(cluster)
	switch {
	case r == utf8.RuneError && size <= 1,
		!unicode.IsPrint(r),
		unicode.In(r, unicode.M, unicode.Other_Grapheme_Extend),
		skinTone(r): // these join whatever precedes them
		return g.Unprintable, 1, rest
	case g.ASCIIOnly && (size > 1 || len(cluster) > 1):
		return g.Unprintable, 1, rest
	}
	if size < len(cluster) {
		marks := 0
		for _, m := range cluster[size:] {
			marks++
			if !unicode.Is(unicode.Mn, m) || unicode.Is(unicode.Variation_Selector, m) || marks > maxMarks {
				cluster = cluster[:size]
				break
			}
		}
		w = ansi.StringWidth(cluster)
	}
	if w < 1 || w > 2 || joins(cluster) {
		return g.Unprintable, 1, rest
	}
	return cluster, w, rest
}

// joins reports whether a cluster may merge with what is drawn before or after it, even
// if it was separate in the text or came from another text: as jamo and flags do, vowels
// after their consonant, and marks before their letter. The width of the merged cluster
// is not the sum of both.
func joins(cluster string) bool {
	if r, size := utf8.DecodeRuneInString(cluster); size == len(cluster) && alone(r) {
		return false
	}
	const vowel, flag = "\u1161", "\U0001f1e9"
	for _, before := range [...]string{"a", "\u1100", "\u1100" + vowel, "\u1100" + vowel + "\u11a8", flag} {
		if first, _ := ansi.FirstGraphemeCluster(before+cluster, ansi.GraphemeWidth); len(first) != len(before) {
			return true
		}
	}
	for _, after := range [...]string{"a", "\uac00", flag, "\u0915"} {
		if first, _ := ansi.FirstGraphemeCluster(cluster+after, ansi.GraphemeWidth); len(first) != len(cluster) {
			return true
		}
	}
	return false
}

// alone reports whether r certainly joins nothing: Latin, Greek and Cyrillic, the signs
// that screens are drawn with, kana and Han.
func alone(r rune) bool {
	return r < 0x300 || r >= 0x370 && r < 0x483 || r >= 0x2010 && r < 0x2900 || r >= 0x3041 && r < 0x3097 || r >= 0x30a1 && r < 0xa000
}

// skinTone reports whether r is an emoji modifier, which by itself is two cells wide, but
// none after another character.
func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }
