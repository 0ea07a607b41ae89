package body_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// TestParseErrors checks that invalid JSON is refused in Python's words.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                        "Expecting value: line 1 column 1 (char 0)",
		`{"a": 1`:                 "Expecting ',' delimiter: line 1 column 8 (char 7)",
		`{"a" 1}`:                 "Expecting ':' delimiter: line 1 column 6 (char 5)",
		`{a: 1}`:                  "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
		"{\n \"é\": }":            "Expecting value: line 2 column 7 (char 8)",
		`[1] x`:                   "Extra data: line 1 column 5 (char 4)",
		`"a`:                      "Unterminated string starting at: line 1 column 1 (char 0)",
		`"\x"`:                    `Invalid \escape: line 1 column 2 (char 1)`,
		"\"a\nb\"":                "Invalid control character at: line 1 column 3 (char 2)",
		"\xff":                    "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
		"\ufeff{}":                "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
		`-`:                       "Expecting value: line 1 column 1 (char 0)",
		`01`:                      "Extra data: line 1 column 2 (char 1)",
		strings.Repeat("[", 2000): "Too deep: line 1 column 902 (char 901)",
	} {
		if _, err := body.Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// TestCheck checks that values that do not match a schema are reported in the words of
// jsonschema.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := body.MustSchema(`{"type": "object", "properties": {
		"n": {"type": "integer", "minimum": 1, "maximum": 9}, "s": {"type": "string", "maxLength": 3},
		"u": {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "null"}]}, "l": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}
	}, "required": ["n"], "additionalProperties": false}`)
	for text, want := range map[string]string{
		`{"n": 1, "u": null, "l": ["a"]}`:      "",
		`{"n": 3.0}`:                           "",
		`{}`:                                   "'n' is a required property",
		`{"n": 0}`:                             "0 is less than the minimum of 1",
		`{"n": 99999999999999999999999}`:       "99999999999999999999999 is greater than the maximum of 9",
		`{"n": true}`:                          "True is not of type 'integer'",
		`{"n": 1.5}`:                           "1.5 is not of type 'integer'",
		`{"n": 1, "s": "it's"}`:                `"it's" is too long`,
		`{"n": 1, "x": 1}`:                     "Additional properties are not allowed ('x' was unexpected)",
		`{"n": 1, "x": 1, "a": 2}`:             "Additional properties are not allowed ('a', 'x' were unexpected)",
		`{"n": 1, "u": "x"}`:                   "'x' is not a 'uuid'",
		`{"n": 1, "u": 5}`:                     "5 is not valid under any of the given schemas",
		`{"n": 1, "l": ["a", "a"]}`:            "['a', 'a'] has non-unique elements",
		`{"n": 1, "l": ["a", 5]}`:              "5 is not of type 'string'",
		`[]`:                                   "[] is not of type 'object'",
		`{"n": 0, "x": 1}`:                     "Additional properties are not allowed ('x' was unexpected)",
		`{"n": 1, "n": 0, "s": "` + "é" + `"}`: "0 is less than the minimum of 1",
	} {
		v := must.Get(body.Parse([]byte(text)))(t)
		got, _, _ := strings.Cut(s.Check(v), "\n")
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	v, _ := body.Parse([]byte(`{"n": 1, "l": ["a", 5]}`))
	const whole = "5 is not of type 'string'\n\nFailed validating 'type' in schema['properties']['l']['items']:\n    {'type': 'string'}\n\nOn instance['l'][1]:\n    5"
	must.Be(t, s.Check(v), whole)
}

// TestUnique finds duplicates in a list of any values in one pass.
func TestUnique(t *testing.T) {
	t.Parallel()
	s := body.MustSchema(`{"type": "array", "uniqueItems": true}`)
	long := make([]string, 50_000)
	for i := range long {
		long[i] = fmt.Sprintf("%d, %d.5, [%d], {\"a\": %d}", i, i, i, i)
	}
	for text, unique := range map[string]bool{
		`[1, true, "1", null, [], {}, [1], {"a": 1}, 0, false, "true", "null"]`: true,
		`[1, 1.0]`: false, `[0, -0.0]`: false, `[{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]`: false, `[["a", "b"], ["a", "b"]]`: false,
		`[["a,b"], ["a", "b"]]`: true, `[null, null]`: false, `[99999999999999999999999, 99999999999999999999998]`: true,
		"[" + strings.Join(long, ", ") + "]": true,
	} {
		v := must.Get(body.Parse([]byte(text)))(t)
		if got := s.Check(v) == ""; got != unique {
			t.Errorf("%.60s: unique %t, want %t", text, got, unique)
		}
	}
}

// TestUUIDs accepts uuids in all forms that OpenStack accepts.
func TestUUIDs(t *testing.T) {
	t.Parallel()
	const want = "12345678-9abc-def0-1234-56789abcdef0"
	for _, text := range []string{
		want, strings.ToUpper(want), strings.ReplaceAll(want, "-", ""), "{" + want + "}", "urn:uuid:" + want, "1234-5678-9abcdef0-1234-56789abcdef0",
	} {
		if !body.UUIDLike(text) || body.NormalUUID(text) != want {
			t.Errorf("%q is none", text)
		}
	}
	for _, text := range []string{"", "x", want[1:], want + "0", strings.Repeat("-", 36), want[:35] + "g", " " + want} {
		if body.UUIDLike(text) {
			t.Errorf("%q is one", text)
		}
	}
}

// FuzzParse checks that JSON is parsed as Go's own parser does, except for what only
// Python accepts.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a": [1, -2.5e3, null, true, "\u00e9\ud83d\ude00\n"], "a": {}}`, `NaN`, `[-Infinity]`, `1e999`, `"\ud800"`, `12345678901234567890`, " [ ] "} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := body.Parse(text)
		s := v.String()
		strange := strings.Contains(string(text), "NaN") || strings.Contains(string(text), "Infinity") || bytes.Contains(text, []byte(`\u`)) || bytes.Count(text, []byte("[")) > 800 || bytes.Count(text, []byte("{")) > 800 || len(text) > 4000
		if valid := json.Valid(text) && utf8.Valid(text); !strange && valid != (err == nil) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && s == "" {
			t.Fatalf("%q is nothing", text)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	s := body.MustSchema(`{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"], "additionalProperties": false}`)
	text := []byte(`{"n": 1}`)
	b.ReportAllocs()
	for b.Loop() {
		v, err := body.Parse(text)
		if err != nil || s.Check(v) != "" {
			b.Fatal(err)
		}
	}
}
