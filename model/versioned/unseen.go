package versioned

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Unseen reports whether r does something other than show itself in a text: it steers
// the terminal, as controls do, C1 among them; it turns the direction of what is
// around it; it has no width, so that two names look alike.
func Unseen(r rune) bool {
	return r >= 0x7f && !unicode.IsPrint(r) && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) ||
		r < ' ' || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Joins reports whether r, though Unseen, is part of writing after the character prev: the
// joiners of many scripts and of emoji, and the letters of a flag such as that of Scotland.
// After a letter of ASCII they are nothing but a way to make two names look alike.
func Joins(prev, r rune) bool {
	isTag := func(r rune) bool { return r >= 0xe0020 && r <= 0xe007f }
	switch {
	case r == '\u200c' || r == '\u200d':
		return prev >= 0x80 && !Unseen(prev)
	case isTag(r):
		return prev == '\U0001f3f4' || isTag(prev)
	}
	return false
}

// EscapeUnseen returns doc, a JSON document, with the Unseen characters of its strings
// written as \u escapes: every reader reads the same document, and they are visible in
// a terminal.
func EscapeUnseen(doc []byte) []byte {
	escaped := func(r rune) bool { return r >= 0x7f && Unseen(r) }
	at := bytes.IndexFunc(doc, escaped)
	if at < 0 {
		return doc
	}
	out := append(make([]byte, 0, len(doc)+64), doc[:at]...)
	for doc = doc[at:]; len(doc) > 0; {
		r, n := utf8.DecodeRune(doc)
		switch {
		case !escaped(r):
			out = append(out, doc[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[n:]
	}
	return out
}
