package sshd

import (
	"errors"
	"strings"
)

// errQuotes means that a command line ends within quotes.
var errQuotes = errors.New("the command ends inside quotes")

// Words splits a command line into words as a shell does: quotes and backslashes hold
// words together. There is no shell, and nothing else has a meaning.
func Words(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	var quote rune
	escaped, begun := false, false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				out = append(out, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, errQuotes
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}
