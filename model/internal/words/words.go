// Package words puts numbers and nouns together for messages: "1 host", "2 hosts".
package words

import (
	"strconv"
	"strings"
)

// First names the first of a list, most of them, and how many more there are: "a, b and
// 3 more".
func First(list []string, most int) string {
	if n := len(list) - most; n > 0 {
		return strings.Join(list[:most], ", ") + " and " + strconv.Itoa(n) + " more"
	}
	return strings.Join(list, ", ")
}

// Count returns "1 provider", "2 providers", "2 inventories". The noun is a word
// whose plural ends in s.
func Count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return strconv.Itoa(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	default:
		return strconv.Itoa(n) + " " + noun + "s"
	}
}
