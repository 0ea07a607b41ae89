package walk

import (
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// The size of a large letter in cells, with the space after it.
const (
	bigWidth = 4
	bigRows  = 3
)

// mostBig is the most lines of large letters.
const mostBig = 2

// bigLetters are five rows of three dots each, from the upper left.
const bigLetters = `A010101111101101 B110101110101110 C011100100100011 D110101101101110 E111100110100111
F111100110100100 G011100101101011 H101101111101101 I111010010010111 J001001001101010 K101101110101101
L100100100100111 M101111111101101 N111101101101101 O010101101101010 P110101110100100 Q010101101110011
R110101110101101 S011100010001110 T111010010010010 U101101101101111 V101101101101010 W101101111111101
X101101010101101 Y101101010010010 Z111001010100111 0111101101101111 1010110010010111 2110001010100111
3110001010001110 4101101111001001 5111100110001110 6011100110101010 7111001010010010 8010101010101010
9010101011001110 -000000111000000 .000000000000010 ,000000000010100 '010010000000000`

// dots returns the dots of a letter; none for an unknown one.
func dots(letter rune) string {
	for word := range strings.FieldsSeq(bigLetters) {
		if rune(word[0]) == letter {
			return word[1:]
		}
	}
	return strings.Repeat("0", 15)
}

// halves are the signs for two dots, one above the other: neither, the upper, the lower,
// both.
func halves(g *style.Glyphs) [4]string {
	switch g.Name {
	case "block":
		return [4]string{" ", "▀", "▄", "█"}
	case "braille":
		return [4]string{" ", "⠛", "⣤", "⣿"}
	default:
		return [4]string{" ", "'", ".", "#"}
	}
}

// bigLines breaks text into lines that fit in large letters; nil if these are too many,
// or a word is too long.
func bigLines(text string, width int) []string {
	room := (width - 1) / bigWidth
	var lines []string
	for word := range strings.FieldsSeq(strings.ToUpper(text)) {
		last := len(lines) - 1
		switch {
		case len(word) > room:
			return nil
		case last >= 0 && len(lines[last])+1+len(word) <= room:
			lines[last] += " " + word
		default:
			lines = append(lines, word)
		}
	}
	if len(lines) > mostBig {
		return nil
	}
	return lines
}

// big draws text in large letters; no lines if there is no room.
func big(st *style.Styles, text string, width int) []string {
	var out []string
	signs := halves(&st.Glyphs)
	for _, line := range bigLines(text, width) {
		for row := range bigRows {
			l := component.NewLine(st, width).Space(1)
			for _, letter := range line {
				of := dots(letter) + "000" // a sixth row
				for x := range bigWidth - 1 {
					upper, lower := of[row*6+x]-'0', of[row*6+3+x]-'0'
					if sign := signs[upper+2*lower]; sign == " " {
						l.Space(1)
					} else {
						l.Glyphs(themes.Title, sign, 1)
					}
				}
				l.Space(1)
			}
			out = append(out, l.String())
		}
	}
	return out
}
