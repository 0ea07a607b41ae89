package remote

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v2"

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
		text := []byte("# all\nclouds:\n" + good + bad + last)
		if got := strings.Join(cloudNames(text), " "); got != "bad one two" {
			t.Errorf("%s: the clouds are %q", name, got)
		}
		for _, of := range []string{"one", "two"} {
			var file struct {
				Clouds map[string]entry `yaml:"clouds"`
			}
			if err := yaml.Unmarshal(alone(text, of), &file); err != nil || file.Clouds[of].Auth["auth_url"] != "http://"+of+":5000" {
				t.Errorf("%s: %s is %+v, %v", name, of, file.Clouds, err)
			}
		}
		err := yaml.Unmarshal(alone(text, "bad"), &struct {
			Clouds map[string]entry `yaml:"clouds"`
		}{})
		if err == nil {
			t.Errorf("%s is read", name)
		}
	}
	anchor := "clouds:\n  one: &one\n    profile: p\n  two:\n    <<: *one\n"
	must.Be(t, string(alone([]byte(anchor), "two")), anchor)
	flow := "{clouds: {one: {profile: p}}}"
	must.Be(t, string(alone([]byte(flow), "one")), flow)
}
