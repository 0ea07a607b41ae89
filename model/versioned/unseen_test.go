package versioned_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
)

func TestUnseen(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]bool{
		0: true, '\n': true, '\x1b': true, ' ': false, '~': false, 0x7f: true, 0x80: true, 0x9b: true, 0x9f: true, 0xa0: false, 0xad: true,
		0x34f: true, 0x61c: true, 0x200b: true, 0x200d: true, 0x200e: true, 0x202e: true, 0x2028: true, 0x2029: true, 0x2060: true, 0x2066: true,
		0x2069: true, 0x3164: true, 0xfeff: true, 0xfe0f: false, 0xfffd: false, 0xe0041: true, 'é': false, '日': false, '😀': false,
	} {
		if got := versioned.Unseen(r); got != want {
			t.Errorf("%U: %t", r, got)
		}
	}
}

// Escaped text is read back unchanged, and contains nothing invisible.
func TestEscapeUnseen(t *testing.T) {
	t.Parallel()
	must.Be(t, string(versioned.EscapeUnseen([]byte("{\"a\":\"x\u009b31m\u202ey\U000e0041é\"}"))), `{"a":"x\u009b31m\u202ey\udb40\udc41é"}`)
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		doc := must.Get(json.Marshal(want))(t)
		out := versioned.EscapeUnseen(doc)
		var got string
		if err := json.Unmarshal(out, &got); err != nil || got != want {
			t.Fatalf("%q came back as %q: %v", want, got, err)
		}
		if strings.ContainsFunc(string(out), versioned.Unseen) {
			t.Fatalf("%q", out)
		}
	})
}
