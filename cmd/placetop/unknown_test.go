package main

import (
	"strings"
	"testing"
)

// TestAlsoSaid checks that the words of operators lead to commands that there are.
func TestAlsoSaid(t *testing.T) {
	t.Parallel()
	root := (&program{}).root()
	for path := range alsoSaid() {
		if _, rest, err := root.Find(strings.Fields(path)); err != nil || len(rest) > 0 {
			t.Errorf("there is no command %q", path)
		}
	}
}
