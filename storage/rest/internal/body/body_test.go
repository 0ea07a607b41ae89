package body_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// TestParse refuses what is not JSON, or too much of it, and takes the last of several
// members with one name.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", `{"a": 1`, `{"a" 1}`, `{a: 1}`, `[1,]`, `[1] x`, `"a`, `"\x"`, "\"a\nb\"", "\xff", "\ufeff{}", "-", "01", "NaN", "[-Infinity]",
		`"\ud800"`, `{"\ud800": 1}`, strings.Repeat("[", 2000), strings.Repeat("9", 5000), "[" + strings.Repeat("1,", 1<<20) + "1]",
	} {
		if _, err := body.Parse([]byte(text)); err == nil {
			t.Errorf("%.20q is taken", text)
		}
	}
	for _, text := range []string{` {"a": 5, "a": "é"} `, `{"a": "\u00e9"}`, `{"a": [[]], "a": "é"}`} {
		v := must.Get(body.Parse([]byte(text)))(t)
		if got := v.Object(1).Need("a").Text(1, 1); got != "é" || v.Err() != nil {
			t.Errorf("%s: %q, %v", text, got, v.Err())
		}
	}
	v := must.Get(body.Parse([]byte(`"\ufffd"`)))(t)
	must.Be(t, v.Text(1, 1), "\ufffd")
}

// TestMistakes checks the words for what is wrong with a body.
func TestMistakes(t *testing.T) {
	t.Parallel()
	read := func(v body.Value) {
		o := v.Object(1)
		o.Need("n").Int(1, 9)
		if v, ok := o.May("s"); ok {
			v.Text(2, 3)
		}
		if v, ok := o.May("u"); ok && !v.Null() {
			v.UUID()
		}
		if v, ok := o.May("l"); ok {
			v.UUIDs()
		}
		if v, ok := o.May("f"); ok {
			v.Number(0, 2)
		}
		if v, ok := o.May("m"); ok {
			for _, v := range v.Object(1).All(regexp.MustCompile(`^[A-Z]+$`)) {
				v.Items(1)
			}
		}
		o.Only()
	}
	const id = "12345678-9abc-def0-1234-56789abcdef0"
	for text, want := range map[string]string{
		`{"n": 1, "u": null, "l": ["` + id + `"], "s": "é!", "f": 2, "m": {"A": [0]}}`: "",
		`{"n": 3.0}`:                     "",
		`{"n": 0, "n": 1}`:               "",
		`{}`:                             "{} does not have enough properties",
		`{"x": 1}`:                       "'n' is a required property",
		`{"n": 0}`:                       "0 is less than the minimum of 1",
		`{"n": 99999999999999999999999}`: "99999999999999999999999 is greater than the maximum of 9",
		`{"n": -1e30}`:                   "-1e30 is less than the minimum of 1",
		`{"n": true}`:                    "true is not of type 'integer'",
		`{"n": 1.5}`:                     "1.5 is not of type 'integer'",
		`{"n": 1e999}`:                   "1e999 is not of type 'integer'",
		`{"n": "x"}`:                     "'x' is not of type 'integer'",
		`{"n": 1, "s": "long"}`:          "'long' is too long",
		`{"n": 1, "s": ""}`:              "'' is too short",
		`{"n": 1, "x": 1}`:               "Additional properties are not allowed ('x' was unexpected)",
		`{"n": 1, "N": 1}`:               "Additional properties are not allowed ('N' was unexpected)",
		`{"n": 1, "u": "x"}`:             "'x' is not a 'uuid'",
		`{"n": 1, "u": 5}`:               "5 is not of type 'string'",
		`{"n": 1, "l": ["` + id + `", "` + id + `"]}`: "a list has non-unique elements",
		`{"n": 1, "l": [5]}`:                          "5 is not of type 'string'",
		`{"n": 1, "l": {}}`:                           "{} is not of type 'array'",
		`{"n": 1, "f": 1e999}`:                        "1e999 is greater than the maximum of 2",
		`{"n": 1, "m": {"a": 1}}`:                     "'a' does not match any of the regexes: '^[A-Z]+$'",
		`{"n": 1, "m": {"A": []}}`:                    "[] is too short",
		`[]`:                                          "[] is not of type 'object'",
		`null`:                                        "null is not of type 'object'",
	} {
		v := must.Get(body.Parse([]byte(text)))(t)
		read(v)
		got := ""
		if err := v.Err(); err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	v := body.Texts(maps.All(map[string]string{"n": "0"}))
	v.Object(0).Need("n").Matching(regexp.MustCompile("^[1-9]$"))
	must.Be(t, v.Err().Error(), "'0' does not match '^[1-9]$'\n\nFailed validating 'pattern' in schema['properties']['n']")
}

// TestUUIDs accepts uuids in all forms that OpenStack accepts.
func TestUUIDs(t *testing.T) {
	t.Parallel()
	const want = "12345678-9abc-def0-1234-56789abcdef0"
	for _, text := range []string{
		want, strings.ToUpper(want), strings.ReplaceAll(want, "-", ""), "{" + want + "}", "urn:uuid:" + want, "1234-5678-9abcdef0-1234-56789abcdef0",
	} {
		if id, ok := body.ParseUUID(text); !ok || id.String() != want {
			t.Errorf("%q is none", text)
		}
	}
	for _, text := range []string{"", "x", want[1:], want + "0", strings.Repeat("-", 36), want[:35] + "g", " " + want} {
		if _, ok := body.ParseUUID(text); ok {
			t.Errorf("%q is one", text)
		}
	}
}

// FuzzParse checks that JSON is parsed as Go's own parser does, but for what is too large
// or too deep, and half of a surrogate pair.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a": [1, -2.5e3, null, true, "\u00e9\ud83d\ude00\n"], "a": {}}`, `NaN`, `[-Infinity]`, `1e999`, `"\ud800"`, `12345678901234567890`, " [ ] "} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := body.Parse(text)
		strange := bytes.Contains(text, []byte(`\u`)) || bytes.Count(text, []byte("[")) > 90 || bytes.Count(text, []byte("{")) > 90 || len(text) > 4000
		if valid := json.Valid(text) && utf8.Valid(text); !strange && valid != (err == nil) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		if v.String() == "" {
			t.Fatalf("%q is nothing", text)
		}
		o := v.Object(1)
		o.Need("a").Items(1)
		o.Only()
		v.Generation()
	})
}

func BenchmarkRead(b *testing.B) {
	text := []byte(`{"n": 1}`)
	b.ReportAllocs()
	for b.Loop() {
		v, err := body.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		o := v.Object(0)
		o.Need("n").Int(1, 9)
		o.Only()
		if v.Err() != nil {
			b.Fatal(v.Err())
		}
	}
}
