package nova_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
)

// TestFlavorWay names both flavors of a move, even if one of them is not known, as Nova's
// API does not give the old one.
func TestFlavorWay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ from, to, want string }{
		{"m1.small#0", "m1.large#0", "m1.small > m1.large"},
		{"", "m1.large#0", "? > m1.large"},
		{"m1.small#0", "m1.small#0", ""},
		{"", "", ""},
	} {
		if got := (&nova.Migration{OldFlavor: test.from, NewFlavor: test.to}).FlavorWay(); got != test.want {
			t.Errorf("%q to %q: %q, want %q", test.from, test.to, got, test.want)
		}
	}
}
