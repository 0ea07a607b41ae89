package remote

import (
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
		"not closed":    {"clouds: {\n  one: {auth: {auth_url: http://one}},\n  bad: {auth: {username: a},\n  two: {auth: {auth_url: 'http://two'}}\n}\n", "line 4: "},
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
`, "line 8: "}, // where the line ends at the latest
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
