package remote

import (
	"fmt"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestMalformedCloud opens the other clouds of a file although one of them cannot be read.
func TestMalformedCloud(t *testing.T) {
	t.Parallel()
	const good = "  one:\n    auth: {auth_url: http://one:5000, username: a}\n"
	const last = "  'two':\n    # the second\n    auth:\n      auth_url: http://two:5000\n"
	for name, bad := range map[string]string{
		"a text for a cloud":     "  bad: nothing\n",
		"a list for auth":        "  bad:\n    auth: [a, b]\n",
		"a list for a name":      "  bad:\n    profile: [a]\n    auth:\n      auth_url: x\n",
		"an open quote":          "  bad:\n    auth:\n      password: \"a\n",
		"a tab":                  "  bad:\n\tauth: a\n",
		"a bracket":              "  bad:\n    auth: {a: [\n",
		"a key of another depth": "  bad:\n    auth:\n      a: b\n   region_name: c\n",
	} {
		clouds, faults, err := parseClouds([]byte("# all\nclouds:\n"+good+bad+last), cloudsKey)
		must.Succeed(t, err)
		file := cloudsFile{path: "clouds.yaml", clouds: clouds, faults: faults}
		must.Be(t, strings.Join(file.names(), " "), "bad one two")
		for _, of := range []string{"one", "two"} {
			if got, err := file.cloud(of); err != nil || got["auth"].(table)["auth_url"] != "http://"+of+":5000" {
				t.Errorf("%s: %s is %+v, %v", name, of, got, err)
			}
		}
		if got, err := file.cloud("bad"); err == nil || !strings.HasPrefix(err.Error(), "clouds.yaml: ") {
			t.Errorf("%s is read as %v, %v", name, got, err)
		}
	}
}

// TestMalformedFlow opens the other clouds of a file in flow style, or of JSON, although one
// of them cannot be read, and says in which line that is.
func TestMalformedFlow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, bad string }{
		"on one line":   {"clouds: {one: {auth: {auth_url: 'http://one'}}, bad: {auth: [}, two: {auth: {auth_url: http://two}}}\n", "line 1: "},
		"on lines":      {"clouds: {\n  one: {auth: {auth_url: http://one}},\n  bad: {auth: {username: [a},\n  two: {auth: {auth_url: 'http://two'}}\n}\n", "line 3: "},
		"not closed":    {"clouds: {\n  one: {auth: {auth_url: http://one}},\n  bad: {auth: {username: a},\n  two: {auth: {auth_url: 'http://two'}}\n}\n", "line 3: "},
		"an open quote": {"clouds: {\n  one: {auth: {auth_url: http://one}},\n  bad: {auth: {password: 'it}},\n  two: {auth: {auth_url: 'http://two'}}\n}\n", "line 3: "},
		"JSON": {`{
  "clouds": {
    "one": {
      "auth": {"auth_url": "http://one"}
    },
    "bad": {
      "auth": {"auth_url": "http://bad", "password": "p4ssw0rd}
    },
    "two": {
      "auth": {"auth_url": "http://two"}
    }
  },
  "cache": {"auth": true}
}
`, "line 7: "},
		"JSON on one line": {`{"client": {}, "clouds": {"one": {"auth": {"auth_url": "http://one"}}, "bad": {"auth": ["a": }, "two": {"auth": {"auth_url": "http://two"}}}}`, "line 1: "},
		"in block style":   {"clouds:\n  one: {auth: {auth_url: http://one}}\n  bad: {auth: {auth_url: http://bad, username: [}}\n  two: {auth: {auth_url: http://two}}\n", "line 3: "},
		"with an anchor":   {"clouds:\n  one: {auth: &a {auth_url: http://one}}\n  bad: {auth: [}\n  two: {auth: {<<: *a, auth_url: http://two}}\n", "line 3: "},
	} {
		clouds, faults, err := parseClouds([]byte(test.text), cloudsKey)
		must.Succeed(t, err)
		file := cloudsFile{path: "clouds.yaml", clouds: clouds, faults: faults}
		must.Be(t, strings.Join(file.names(), " "), "bad one two")
		for _, of := range []string{"one", "two"} {
			if got, err := file.cloud(of); err != nil || got["auth"].(table)["auth_url"] != "http://"+of {
				t.Errorf("%s: %s is %+v, %v", name, of, got, err)
			}
		}
		if _, err := file.cloud("bad"); err == nil || !strings.HasPrefix(err.Error(), "clouds.yaml: cloud bad cannot be read: "+test.bad) || strings.Contains(err.Error(), "p4ssw0rd") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCloudsValues keeps values as the file has them, and what several clouds share.
func TestCloudsValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"a number":         {"clouds: {a: {v: 0123}}", "0123"},
		"a small number":   {"clouds: {a: {v: 1.10}}", "1.10"},
		"a word":           {"clouds: {a: {v: yes}}", "yes"},
		"a day":            {"clouds: {a: {v: 2026-11-29}}", "2026-11-29"},
		"nothing":          {"clouds: {a: {v: }}", ""},
		"null":             {"clouds: {a: {v: ~}}", ""},
		"a tag":            {"clouds: {a: {v: !!str 5}}", "5"},
		"quotes":           {`clouds: {a: {v: "\u00e9\t'"}}`, "é\t'"},
		"several lines":    {"clouds:\n  a:\n    v: |\n      x\n      y\n", "x\ny\n"},
		"a dash in a key":  {"clouds: {a: {auth: {v-w: 5}}}", "v_w=5"},
		"an alias":         {"x: &x 5\nclouds: {a: {v: *x}}", "5"},
		"a merge":          {"x: &x {v: 5, w: 6}\nclouds: {a: {<<: *x, w: 7}}", "5"},
		"merges":           {"x: &x {v: 5}\ny: &y {v: 6}\nclouds: {a: {<<: [*x, *y]}}", "5"},
		"JSON's words":     {`{"clouds": {"a": {"v": null, "w": true}}}`, ""},
		"a second version": {"clouds: {a: {v: 5}}\n---\nclouds: {a: {v: 6}}", "5"},
	} {
		clouds, err := decodeClouds(test.text, cloudsKey)
		must.Succeed(t, err)
		a, _ := clouds["a"].(table)
		got := a["v"]
		if auth, ok := a["auth"].(table); ok {
			got = "v_w=" + auth.text("v_w")
		}
		if got != test.want {
			t.Errorf("%s: %#v, want %q", name, got, test.want)
		}
	}
}

// TestCloudsBombs refuses small files that stand for too much, in bounded time and memory.
func TestCloudsBombs(t *testing.T) {
	t.Parallel()
	aliases := "a0: &a0 [x, x]\n"
	for i := range 40 {
		aliases += fmt.Sprintf("a%d: &a%[1]d [*a%[2]d, *a%[2]d]\n", i+1, i)
	}
	for name, text := range map[string]string{
		"aliases":         aliases,
		"an endless one":  "clouds: &a {b: *a}\n",
		"deep lists":      "clouds: " + strings.Repeat("[", 100_000),
		"deep tables":     "clouds: " + strings.Repeat("{a: ", 100_000),
		"deep sequences":  strings.Repeat("- ", 100_000),
		"deep and closed": "clouds: " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
	} {
		if clouds, err := decodeClouds(text, cloudsKey); err == nil {
			t.Errorf("%s is read as %v", name, clouds)
		}
	}
}
