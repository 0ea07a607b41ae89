package main

import "testing"

// TestOnlyIn compares lists of words: each counts as often as it occurs.
func TestOnlyIn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ a, b, inA, inB string }{
		{`["a","b"]`, `["b","c"]`, "a", "c"},
		{`["a","b"]`, `["a"]`, "b", ""},
		{`["a","a","b"]`, `["a","b","b"]`, "a", "b"},
		{`["a","a","a"]`, `["a"]`, "a a", ""},
		{`["a","a"]`, `["b","b"]`, "a a", "b b"},
		{`7`, `8`, "7", "8"},
		{`["a"]`, `8`, `["a"]`, "8"},
	} {
		if a, b := onlyIn(&test.a, &test.b), onlyIn(&test.b, &test.a); a != test.inA || b != test.inB {
			t.Errorf("%s against %s: %q and %q, want %q and %q", test.a, test.b, a, b, test.inA, test.inB)
		}
	}
	if a, b := onlyIn(&[]string{"x"}[0], nil), onlyIn(nil, &[]string{"x"}[0]); a != "x" || b != "" {
		t.Errorf("of what one side lacks: %q and %q", a, b)
	}
}
