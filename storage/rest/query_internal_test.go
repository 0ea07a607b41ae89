package rest

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzQuery checks that queries that Go's own parser accepts are parsed alike.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"a=1&b=2", "a=%41+b&a=x", "&&a&=x", "resources=VCPU:1%2CVGPU:2", "a=%zz&b=%4", "a=%ff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := parseQuery(text)
		want, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, a := range got {
			seen[a.key] = true
			if values := want[a.key]; len(values) == 0 || got.last(a.key) != values[len(values)-1] {
				t.Fatalf("%q: %q is %q, want the last of %q", text, a.key, got.last(a.key), values)
			}
		}
		if len(seen) != len(want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}

func TestLike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, pattern string
		want          bool
	}{
		{"CUSTOM_A", "CUSTOM%", true},
		{"CUSTOM_A", "CUSTOM", false},
		{"CUSTOM_A", "C_STOM_A", true},
		{"CUSTOM_A", "%A", true},
		{"CUSTOM_A", "%B%", false},
		{"", "%%", true},
		{"", "_", false},
		{"AAAB", "%A_B", true},
		{"AB", "%A_B", false},
		{"ABAC", "%A_%C", true},
		{"ABC", "A%_%", true},
		{strings.Repeat("A", 255), strings.Repeat("%_", 60) + "B%", false}, // this would never end if each "%" were tried at each place
	} {
		if got := like(tt.name, tt.pattern); got != tt.want {
			t.Errorf("%s like %s: %t", tt.name, tt.pattern, got)
		}
	}
}
