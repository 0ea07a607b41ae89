// Package words puts numbers and nouns of messages together.
package words

import (
	"strconv"
	"strings"
)

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
