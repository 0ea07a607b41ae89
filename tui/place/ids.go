package place

import (
	"strings"

	"github.com/google/uuid"
)

// JoinIDs writes ids as one text, so that the place of many things can be compared.
func JoinIDs[T ~[16]byte](ids ...T) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = uuid.UUID(id).String()
	}
	return strings.Join(words, " ")
}

// IDs reads what JoinIDs wrote. Words that are not ids are left out.
func IDs[T ~[16]byte](text string) []T {
	var out []T
	for _, word := range strings.Fields(text) {
		if id, err := uuid.Parse(word); err == nil {
			out = append(out, T(id))
		}
	}
	return out
}
