package terminal

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	esc = 0x1b
	bel = 0x07
	del = 0x7f

	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"

	// maxString limits a control string (OSC, DCS) that does not end, in bytes.
	maxString = 64 << 10
)

// tokenState says whether bytes from a keyboard are a complete key.
type tokenState int

const (
	tokenPartial tokenState = iota // more bytes may follow
	tokenWhole                     // a key, a report or a rune
	tokenReply                     // an answer of the terminal, which was not typed
	tokenReport                    // a report in a mode that is never switched on here
	tokenAborted                   // a sequence that its last byte does not continue
)

// scanToken returns the state of b, which starts a key. It is called after each byte, so
// b never contains more than one complete token.
func scanToken(b []byte) tokenState {
	if len(b) == 0 {
		return tokenPartial
	}
	if b[0] != esc {
		return runeState(b)
	}
	rest := b[1:]
	for len(rest) > 0 && rest[0] == esc {
		rest = rest[1:] // alt and an escape sequence, as rxvt sends it
	}
	if len(rest) == 0 {
		return tokenPartial
	}
	switch {
	case rest[0] == '[':
		return csiState(rest[1:])
	case rest[0] == 'O':
		return ss3State(rest[1:])
	case introduces(rest[0]):
		return stringState(rest[1:])
	default:
		return runeState(rest)
	}
}

// onlyEsc reports whether b is ESC, once or more often.
func onlyEsc(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "\x1b")) == 0 }

// introduces reports whether c after ESC starts a sequence.
func introduces(c byte) bool { return strings.IndexByte("[O]P_^X", c) >= 0 }

// sevenBits returns a key with ESC and a letter for the control character that a terminal
// may send instead of both.
func sevenBits(key []byte) []byte {
	r, n := utf8.DecodeRune(key)
	if r == utf8.RuneError && n == 1 {
		r = rune(key[0]) // without UTF-8
	}
	if n != len(key) || r < 0x80 || r > 0x9f || !introduces(byte(r-0x40)) {
		return key
	}
	return []byte{esc, byte(r - 0x40)}
}

// runeState is for text: UTF-8 may arrive in pieces.
func runeState(b []byte) tokenState {
	if utf8.FullRune(b) {
		if r, n := utf8.DecodeRune(b); r == utf8.RuneError && n < len(b) {
			return tokenAborted
		}
		return tokenWhole
	}
	return tokenPartial
}

// csiState is for what follows ESC [: parameters, intermediates, one final.
func csiState(b []byte) tokenState {
	if len(b) > 0 {
		switch b[0] {
		case '[': // function keys of the Linux console
			return finalState(b[1:])
		case 'M':
			return x10State(b[1:])
		}
	}
	for i, c := range b {
		switch {
		case c < 0x20, c >= del:
			return tokenAborted
		case c == 'n':
			return tokenReply // of its status
		case c >= '@', c == '$' && i > 0 && len(bytes.Trim(b[:i], "0123456789")) == 0: // the latter is rxvt's shift
			return tokenWhole
		}
	}
	return tokenPartial
}

// x10State is for what follows ESC [ M: the button and the place of a mouse, a character
// each. They are encoded in UTF-8 or not.
func x10State(b []byte) tokenState {
	for range 3 {
		switch {
		case len(b) == 0:
			return tokenPartial
		case b[0] < 0x20:
			return tokenAborted
		case b[0] < 0xc2 || b[0] > 0xdf:
			b = b[1:]
		case len(b) == 1:
			return tokenPartial
		case b[1] >= 0x80 && b[1] < 0xc0:
			b = b[2:]
		default:
			b = b[1:]
		}
	}
	if len(b) > 0 {
		return tokenAborted
	}
	return tokenReport
}

// ss3State is for what follows ESC O: perhaps a modifier, one final.
func ss3State(b []byte) tokenState {
	return finalState(bytes.TrimLeft(b, "0123456789;"))
}

// finalState is for the last character of a sequence.
func finalState(b []byte) tokenState {
	switch {
	case len(b) == 0:
		return tokenPartial
	case b[0] < 0x20, b[0] >= del:
		return tokenAborted
	default:
		return tokenWhole
	}
}

// stringState is for control strings: they end with BEL or ESC \.
func stringState(b []byte) tokenState {
	n := len(b)
	switch {
	case n > 0 && b[n-1] == bel, n > 1 && b[n-2] == esc && b[n-1] == '\\', n > maxString:
		return tokenReply
	case n > 0 && b[n-1] == interrupt:
		return tokenAborted
	default:
		return tokenPartial
	}
}

// oneKey returns a complete key as Bubble Tea reads one key: as it is, unless Bubble Tea
// would not know the whole sequence.
func oneKey(b []byte) []byte {
	if b[0] != esc {
		return b
	}
	rest := b[1:]
	twice := len(rest) > 0 && rest[0] == esc
	if twice {
		rest = rest[1:]
	}
	switch {
	case len(b) > maxKey:
		return []byte(unknownKey)
	case len(rest) < 2 || rest[0] != '[' && rest[0] != 'O': // alt, and esc before alt
		return append([]byte{esc}, rest...)
	}
	last := rest[len(rest)-1]
	cursor := len(rest) == 2 && strings.IndexByte("ABCD", last) >= 0
	var known bool
	switch {
	case rest[0] == 'O' && len(rest) == 2 && (last == 'H' || last == 'F'):
		return append(b[:len(b)-2:len(b)-2], '[', last) // home and end, in the mode of applications
	case rest[0] == 'O':
		known = cursor || len(rest) == 2 && strings.IndexByte("PQRS", last) >= 0
	case rest[1] == '[':
		known = strings.IndexByte("ABCDE", last) >= 0
	case last == '$':
		known = string(rest) == "[7$" || string(rest) == "[8$"
	case twice:
		known = cursor || len(rest) == 2 && strings.IndexByte("HFZ", last) >= 0 ||
			len(rest) == 3 && strings.IndexByte("12345678", rest[1]) >= 0 && last == '~'
	default:
		known = len(b) == 3 || csiGrammar(rest[1:])
	}
	if !known {
		return []byte(unknownKey)
	}
	return b
}

// csiGrammar reports whether what follows ESC [ is as ECMA-48 says, which Bubble Tea reads
// whole: parameters, intermediates, one final.
func csiGrammar(b []byte) bool {
	b = bytes.TrimLeft(b, "0123456789:;<=>?")
	b = bytes.TrimLeft(b, " !\"#$%&'()*+,-./")
	return len(b) == 1 && b[0] >= '@' && b[0] < del
}
