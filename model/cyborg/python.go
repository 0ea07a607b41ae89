package cyborg

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

// pythonJSON writes an object of texts as Python's json.dumps with sort_keys does,
// so that texts compare equal with those that Cyborg has written: sorted keys, a
// space after each comma and colon, nothing but ASCII.
func pythonJSON(object map[string]string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			b.WriteString(", ")
		}
		pythonString(&b, key)
		b.WriteString(": ")
		pythonString(&b, object[key])
	}
	b.WriteByte('}')
	return b.String()
}

// pythonString writes one text.
//
// Source: CPython, Lib/json/encoder.py, py_encode_basestring_ascii.
func pythonString(b *strings.Builder, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		case strings.ContainsRune("\n\r\t\b\f", r):
			b.WriteByte('\\')
			b.WriteByte("nrtbf"[strings.IndexRune("\n\r\t\b\f", r)])
		default:
			units := []rune{r}
			if high, low := utf16.EncodeRune(r); r > 0xffff {
				units = []rune{high, low}
			}
			for _, u := range units {
				b.WriteString(`\u`)
				for shift := 12; shift >= 0; shift -= 4 {
					b.WriteByte(hex[u>>shift&0xf])
				}
			}
		}
	}
	b.WriteByte('"')
}
