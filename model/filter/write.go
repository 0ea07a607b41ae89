package filter

import "strings"

// Is returns the term that holds if a field is exactly text, whatever characters text
// has: flavor="m1 tiny".
func Is(field, text string) string {
	switch {
	case strings.Contains(text, `"`): // it cannot be in quotes, so ? takes its place
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune(special, r) {
				return '?'
			}
			return r
		}, text)
	case text == "" || strings.ContainsAny(text, special):
		text = `"` + text + `"`
	}
	return field + "=" + text
}

// special are the characters that mean something in a term.
const special = "\" \t*?|&!()\\"
