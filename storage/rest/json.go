package rest

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonText is JSON being written as the service does: a blank after commas and colons,
// only ASCII, and no characters escaped for HTML.
type jsonText []byte

// comma appends a comma if a member comes before.
func (b jsonText) comma(behind bool) jsonText {
	if behind {
		return b.raw(", ")
	}
	return b
}

// raw appends JSON unchanged.
func (b jsonText) raw(s string) jsonText { return append(b, s...) }

// id appends a uuid in quotes.
func (b jsonText) id(id [16]byte) jsonText { return b.raw(`"`).hex(id).raw(`"`) }

// hex appends a uuid.
func (b jsonText) hex(id [16]byte) jsonText {
	text := hexOf(id)
	return append(b, text[:]...)
}

// hexOf returns a uuid as text.
func hexOf(id [16]byte) (text [36]byte) {
	const digits = "0123456789abcdef"
	at := 0
	for i, c := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text[at] = '-'
			at++
		}
		text[at], text[at+1] = digits[c>>4], digits[c&15]
		at += 2
	}
	return text
}

// num appends a whole number.
func (b jsonText) num(n int64) jsonText { return strconv.AppendInt(b, n, 10) }

// float appends a number as the service writes it: 16.0, 1e+16.
func (b jsonText) float(f float64) jsonText {
	if f != 0 && (math.Abs(f) < 1e-4 || math.Abs(f) >= 1e16) {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	at := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	if !bytes.Contains(b[at:], []byte(".")) {
		b = b.raw(".0")
	}
	return b
}

// str appends a string.
func (b jsonText) str(s string) jsonText {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		b = append(b, s[from:i]...)
		size := 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if r > 0xffff {
				high, low := utf16.EncodeRune(r)
				b = b.unit(high)
				r = low
			}
			b = b.unit(r)
		}
		i += size
		from = i
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

// unit appends one unit of UTF-16.
func (b jsonText) unit(r rune) jsonText {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
