package main

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// mostKeys is how many keys the list of providers may have as it opens, those of the
// dashboard included: nobody keeps more in mind.
const mostKeys = 55

// TestKeysOfProviders counts the keys that footer and help list on the providers, each by
// itself. The keys by which any program moves are left out.
func TestKeysOfProviders(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	env := screentest.Env(c, screentest.Plain())
	h := screentest.Open(c, providers.New(env, c.Snapshot(), ""), false)
	h.Text(t, 80, 22)
	app := tui.New(tui.Config{Env: env, Cloud: c, Screens: screens(), Local: true})
	t.Cleanup(app.Close)
	var keys []string
	for _, a := range slices.Concat(h.Screen.Actions(), app.Actions()) {
		for key := range a.Keys.All() {
			if !slices.Contains([]string{"up", "down", "left", "right", "home", "end", "pgup", "pgdown"}, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) > mostKeys {
		t.Errorf("%d keys, more than %d: %q", len(keys), mostKeys, keys)
	}
}
