package rest

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/uuid"
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
func (b jsonText) id(id [16]byte) jsonText {
	text := uuid.UUID(id).String()
	return append(append(append(b, '"'), text...), '"')
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
	for i, r := range s {
		switch {
		case r >= ' ' && r != '"' && r != '\\' && r < utf8.RuneSelf:
			b = append(b, s[i])
		case r == '"', r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = b.raw(`\n`)
		case r == '\r':
			b = b.raw(`\r`)
		case r == '\t':
			b = b.raw(`\t`)
		case r == '\b':
			b = b.raw(`\b`)
		case r == '\f':
			b = b.raw(`\f`)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				b = fmt.Appendf(b, `\u%04x`, unit)
			}
		}
	}
	return append(b, '"')
}
