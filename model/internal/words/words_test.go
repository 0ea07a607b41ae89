package words_test

import (
	"testing"

	"github.com/placetop/placetop/model/internal/words"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n          int
		noun, want string
	}{
		{0, "trait", "0 traits"},
		{1, "inventory", "1 inventory"},
		{2, "inventory", "2 inventories"},
		{3, "child provider", "3 child providers"},
	} {
		if got := words.Count(c.n, c.noun); got != c.want {
			t.Errorf("Count(%d, %q) = %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	list := []string{"a", "b", "c"}
	for most, want := range map[int]string{1: "a and 2 more", 2: "a, b and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := words.First(list, most); got != want {
			t.Errorf("First(%d) = %q, want %q", most, got, want)
		}
	}
}
