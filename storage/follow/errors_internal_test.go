package follow

import (
	"errors"
	"fmt"
	"testing"
)

// TestErrorsKeepTheirKinds checks that the error of an owner matches what it did there.
func TestErrorsKeepTheirKinds(t *testing.T) {
	t.Parallel()
	for n, kind := range sentinels() {
		var a answer
		a.fail(fmt.Errorf("no: %w", kind))
		for m, other := range sentinels() {
			if errors.Is(a.err(), other) != (m == n) {
				t.Errorf("%v matches %v: %t", a.err(), other, m != n)
			}
		}
	}
}
