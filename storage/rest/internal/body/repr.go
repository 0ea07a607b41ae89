package body

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// mostShown is the most bytes of a value that are printed: nobody would read more.
const mostShown = 32 << 10

// String returns v as Python prints it: {'a': [1, True, None]}. A large value is cut
// off.
func (v Value) String() string { return clip(v.appendRepr(nil, false)) }

// Sorted is String with the members of objects sorted by key, as Python's pprint.
func (v Value) Sorted() string { return clip(v.appendRepr(nil, true)) }

func clip(b []byte) string {
	if len(b) > mostShown {
		return strings.ToValidUTF8(string(b[:mostShown]), "") + "..."
	}
	return string(b)
}

func (v *Value) appendRepr(b []byte, byKey bool) []byte {
	if len(b) > mostShown {
		return b
	}
	switch v.Kind {
	case Null:
		return append(b, "None"...)
	case Bool:
		if v.Bool {
			return append(b, "True"...)
		}
		return append(b, "False"...)
	case Int:
		if v.Big != nil {
			return v.Big.Append(b, 10)
		}
		return strconv.AppendInt(b, v.Int, 10)
	case Float:
		return append(b, Float64(v.Float)...)
	case String:
		return append(b, Quote(v.Str[:min(len(v.Str), mostShown+1)])...)
	case Array:
		b = append(b, '[')
		for i := range v.Items {
			if len(b) > mostShown {
				return b
			}
			if i > 0 {
				b = append(b, ", "...)
			}
			b = v.Items[i].appendRepr(b, byKey)
		}
		return append(b, ']')
	default:
		members := v.Members
		if byKey {
			members = append([]Member(nil), members...)
			slices.SortStableFunc(members, func(x, y Member) int { return strings.Compare(x.Key, y.Key) })
		}
		b = append(b, '{')
		for i := range members {
			if len(b) > mostShown {
				return b
			}
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(append(b, Quote(members[i].Key)...), ": "...)
			b = members[i].Value.appendRepr(b, byKey)
		}
		return append(b, '}')
	}
}

// Float64 returns a number as Python prints it: 16.0, 1e+16, nan.
func Float64(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	case f == 0 || math.Abs(f) >= 1e-4 && math.Abs(f) < 1e16:
		s := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	return strconv.FormatFloat(f, 'e', -1, 64)
}

// Quote returns a string as Python prints it inside other values: in single quotes
// unless it contains some and no double ones.
func Quote(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteByte(quote)
	for _, c := range s {
		switch {
		case c == rune(quote) || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(c):
			b.WriteRune(c)
		case c <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, c)
		case c <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			fmt.Fprintf(&b, `\U%08x`, c)
		}
	}
	b.WriteByte(quote)
	return b.String()
}
