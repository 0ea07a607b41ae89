package terminal

import (
	"bytes"
	"unicode/utf8"
)

const (
	esc = 0x1b
	bel = 0x07

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
	switch rest[0] {
	case '[':
		return csiState(rest[1:])
	case 'O':
		return ss3State(rest[1:])
	case ']', 'P', '_', '^', 'X':
		return stringState(rest[1:])
	default:
		return runeState(rest)
	}
}

// runeState is for text: UTF-8 may arrive in pieces.
func runeState(b []byte) tokenState {
	if utf8.FullRune(b) {
		return tokenWhole
	}
	return tokenPartial
}

// csiState is for what follows ESC [: parameters, intermediates, one final.
func csiState(b []byte) tokenState {
	if len(b) > 0 && b[0] == '[' { // function keys of the Linux console
		if len(b) > 1 {
			return tokenWhole
		}
		return tokenPartial
	}
	for _, c := range b {
		if c == 'n' {
			return tokenReply // of its status
		}
		if c < 0x20 || c > 0x3f {
			return tokenWhole // the final byte, or an invalid one
		}
	}
	return tokenPartial
}

// ss3State is for what follows ESC O: perhaps a modifier, one final.
func ss3State(b []byte) tokenState {
	for _, c := range b {
		if (c < '0' || c > '9') && c != ';' {
			return tokenWhole
		}
	}
	return tokenPartial
}

// stringState is for control strings: they end with BEL or ESC \.
func stringState(b []byte) tokenState {
	n := len(b)
	switch {
	case n > 0 && b[n-1] == bel, n > 1 && b[n-2] == esc && b[n-1] == '\\', n > maxString:
		return tokenReply
	default:
		return tokenPartial
	}
}

// afterPaste returns what follows the end of a paste in b, and whether b contains that
// end.
func afterPaste(b []byte) (rest []byte, ended bool) {
	i := bytes.LastIndex(b, []byte(pasteEnd))
	if i < 0 {
		return nil, false
	}
	return b[i+len(pasteEnd):], true
}
