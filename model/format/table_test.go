package format_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/format"
)

func TestTable(t *testing.T) {
	t.Parallel()
	two := json.RawMessage("2")
	table := format.Table{
		Name: "cards", Heads: []string{"name", "free"},
		Rows: [][]format.Cell{
			{{Text: "a|b\x1b[31m"}, {Text: "2", Value: two}},
			{{Text: "=1+1"}, {Text: "-1"}},
		},
	}
	for name, want := range map[string]string{
		"csv":  "name,free\na|b\ufffd[31m,2\n'=1+1,-1\n",
		"json": "[\n  {\n    \"name\": \"a|b\\u001b[31m\",\n    \"free\": 2\n  },\n  {\n    \"name\": \"=1+1\",\n    \"free\": \"-1\"\n  }\n]\n",
		"yaml": "- name: \"a|b\\u001b[31m\"\n  free: 2\n- name: \"=1+1\"\n  free: \"-1\"\n",
		"md":   "| name      | free |\n|-----------|------|\n| a\\|b\ufffd[31m | 2    |\n| =1+1      | -1   |\n",
	} {
		got, ok, err := table.Write(name)
		if err != nil || !ok {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, ok, _ := table.Write("xls"); ok {
		t.Error("xls is written")
	}
	for _, name := range format.Names() {
		if out, _, err := (format.Table{Name: "none", Heads: []string{"a"}}).Write(name); err != nil || len(out) == 0 {
			t.Errorf("no rows as %s: %q, %v", name, out, err)
		}
	}
}

func TestPasteable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"cmp-1":                  "cmp-1",
		"{\n\t\"a\": 1\n}":       "{\n\t\"a\": 1\n}",
		"a\x03\x15b\x1b[31m":     "a\ufffd\ufffdb\ufffd[31m",
		"a\r\x7f\u009bc":         "a\ufffd\ufffd\ufffdc",
		"\U0001f469\u200d\u2695": "\U0001f469\u200d\u2695", // one glyph of three code points
	} {
		if got := format.Pasteable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
