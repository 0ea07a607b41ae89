package sorted_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/sorted"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"services", "server", "shares", "pools", "pool", "providers"}
	for name, want := range map[string]string{
		"servers": "server services", // one letter more, two letters others
		"pol":     "pool pools",
		"xyzzy":   "",
		"":        "",
	} {
		if got := strings.Join(sorted.Nearest(name, names), " "); got != want {
			t.Errorf("%q looks like %q, want %q", name, got, want)
		}
	}
}
