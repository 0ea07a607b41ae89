package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
)

// TestCloudsNamedAlike has a cloud of clouds.yaml told apart from a file or an endpoint of
// the same name.
func TestCloudsNamedAlike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(path, []byte("clouds: {east: {}, west: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OS_CLIENT_CONFIG_FILE", path)
	for _, key := range []string{"OS_AUTH_URL", "OS_CLOUD"} {
		t.Setenv(key, "")
	}
	for name, test := range map[string]struct {
		first, store string
		want         []string
	}{
		"one of them":  {"west", "cloud", []string{"east", "west"}},
		"a file":       {"west", "bolt", []string{"west", "east", "cloud:west"}},
		"an endpoint":  {"east", "http", []string{"east", "cloud:east", "west"}},
		"another name": {"a.db", "bolt", []string{"a.db", "east", "west"}},
	} {
		c := new(program).newContexts(screen.Env{}, test.first, tui.OpenMsg{Name: "a/long/" + test.first, Store: test.store})
		if got := c.Names(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if open, err := c.Open(t.Context(), test.first); err != nil || open.Name != test.first {
			t.Errorf("%s: back to %q, %v", name, open.Name, err)
		}
	}
}

// TestPlacesAreCalled gives the header a name that tells places apart.
func TestPlacesAreCalled(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"//127.0.0.1:8778/placement": "127.0.0.1:8778", "http://cloud/placement": "cloud", "/var/lib/a.db": "a.db", "east": "east", "demo": "demo",
	} {
		if got := called(place); got != want {
			t.Errorf("%s is called %s, want %s", place, got, want)
		}
	}
}
