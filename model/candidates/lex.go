package candidates

import (
	"strings"
	"unicode/utf8"
)

// param is one key=value of a query string, decoded.
type param struct {
	key, value string
	rawKey     span
	rawValue   span
}

// span is a piece of the text that was parsed, in bytes.
type span struct{ from, to int }

// splitQuery splits a query string as Placement's server does: "&" between parameters, an
// absent "=" is an empty value, "+" is a blank, and a "%" that starts no hexadecimal pair
// is itself.
//
// Source: webob/multidict.py, GetDict; urllib.parse.parse_qsl.
func splitQuery(text string) []param {
	var out []param
	for at := 0; at <= len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '&'); i >= 0 {
			end = at + i
		}
		if end > at {
			p := param{rawKey: span{at, end}, rawValue: span{end, end}}
			if i := strings.IndexByte(text[at:end], '='); i >= 0 {
				p.rawKey.to, p.rawValue.from = at+i, at+i+1
			}
			p.key = unescape(text[p.rawKey.from:p.rawKey.to], -1)
			p.value = unescape(text[p.rawValue.from:p.rawValue.to], -1)
			out = append(out, p)
		}
		at = end + 1
	}
	return out
}

// unescape decodes raw, up to most bytes of the result; all of it if most is negative.
func unescape(raw string, most int) string {
	if !strings.ContainsAny(raw, "%+") {
		if most >= 0 && most < len(raw) {
			return raw[:most]
		}
		return raw
	}
	out, _ := decode(raw, most)
	return out
}

// decode is unescape, and also returns how many bytes of raw it read.
func decode(raw string, most int) (string, int) {
	var b strings.Builder
	i := 0
	for i < len(raw) && (most < 0 || b.Len() < most) {
		c := raw[i]
		switch {
		case c == '+':
			b.WriteByte(' ')
		case c == '%' && i+2 < len(raw) && isHex(raw[i+1]) && isHex(raw[i+2]):
			b.WriteByte(unhex(raw[i+1])<<4 | unhex(raw[i+2]))
			i += 2
		default:
			b.WriteByte(c)
		}
		i++
	}
	return b.String(), i
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// column returns the position in text, in characters from 1, of byte at of the decoded
// value of p.
func (p param) column(text string, at int) int {
	_, raw := decode(text[p.rawValue.from:p.rawValue.to], at)
	return columnOf(text, p.rawValue.from+raw)
}

// keyColumn returns the position of the key of p.
func (p param) keyColumn(text string) int { return columnOf(text, p.rawKey.from) }

func columnOf(text string, at int) int { return utf8.RuneCountInString(text[:at]) + 1 }

// pieces yields the parts of value between commas, each with where it starts.
func pieces(value string, from int) func(yield func(at int, piece string) bool) {
	return func(yield func(int, string) bool) {
		for {
			i := strings.IndexByte(value[from:], ',')
			if i < 0 {
				yield(from, value[from:])
				return
			}
			if !yield(from, value[from:from+i]) {
				return
			}
			from += i + 1
		}
	}
}
