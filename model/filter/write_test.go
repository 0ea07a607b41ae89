package filter_test

import (
	"testing"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/modeltest/must"
)

// TestIsFindsWhatItNames writes a term for each of some names, which finds only that one.
func TestIsFindsWhatItNames(t *testing.T) {
	t.Parallel()
	names := []string{"m1.tiny", "m1 tiny", "m1", "tiny", "a*", "ab", "a|b", "a", "(x)", "x", `5" disk`, `5\x`, "!m1", "&", "é b", "a  b", "host=x", "/x/", "-f"}
	rows := listOf[string, struct{}]{Rows: names, Fields: []field[string, struct{}]{
		textField("name", func(s string, _ struct{}) string { return s }),
	}}
	for i, name := range names {
		f, err := filter.Compile(filter.Is("name", name)+" & name!=other", rows)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		for j, other := range names {
			if got := f.Match(j, other); got != (i == j) {
				t.Errorf("%s on %q: %t", f, other, got)
			}
		}
	}
	must.Be(t, filter.Is("name", "m1.tiny"), "name=m1.tiny")
}
