package main

import (
	"regexp"
	"slices"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// TestExampleIsSound checks that every line of the example can be set as it is, and that
// it has every key.
func TestExampleIsSound(t *testing.T) {
	t.Parallel()
	set := regexp.MustCompile(`(?m)^#([\["a-z])`).ReplaceAll(configExample, []byte("$1"))
	if c := parseConfig("config.toml", set); len(c.wrong) > 0 {
		t.Fatalf("%v\n%s", c.wrong, set)
	}
	for _, key := range append(settingKeys(), keysKey, filtersKey) {
		if !regexp.MustCompile(`(?m)^#\[*` + key + `\b`).Match(configExample) {
			t.Errorf("the example does not have %s", key)
		}
	}
}

func TestKeysAndFilters(t *testing.T) {
	t.Parallel()
	doc := "[keys]\n\"providers.sort\" = ['f2', '^w']\nproviders.columns = 'PgDn'\napp.suspend = []\n'confirm.resume' = 'f4'\n[filters]\ngpu = 'free>2'\n"
	c := parseConfig("c", []byte(doc))
	if len(c.wrong) > 0 {
		t.Fatal(c.wrong)
	}
	want := tomlKeys{"providers.sort": {"f2", "ctrl+w"}, "providers.columns": {"pgdown"}, "app.suspend": {}, "confirm.resume": {"f4"}}
	must.Match(t, want, c.keys)
	if c.filters["gpu"] != "free>2" {
		t.Errorf("filters %v", c.filters)
	}
	if got := action.Bindings(c.keys).Apply([]action.Action{{ID: "providers.sort", Keys: []string{"s"}}})[0]; !slices.Equal(got.Default, []string{"s"}) {
		t.Errorf("by default %q", got.Default)
	}
}

// TestActionsOfPagesAreKnown checks that actions of pages about one thing are not
// reported as mistakes.
func TestActionsOfPagesAreKnown(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	env := screentest.Env(c, screentest.Plain())
	env.Context = t.Context()
	p := &program{now: env.Clock, settings: settings{Keys: action.Bindings{}}}
	for _, at := range pages(t, c) {
		for _, d := range screens() {
			if place.Kind(d.Of) != place.Kind(at) {
				continue
			}
			if s, err := d.Open(env, at); err == nil {
				for _, a := range s.Actions() {
					p.settings.Keys[a.ID] = nil
				}
			}
		}
	}
	unknown, err := p.unknownActions(t.Context())
	if err != nil || len(p.settings.Keys) < 300 {
		t.Fatal(len(p.settings.Keys), err)
	}
	if len(unknown) > 0 {
		t.Errorf("there are %q", unknown)
	}
}
