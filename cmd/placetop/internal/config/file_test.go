package config

import (
	"regexp"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/action"
)

// TestExampleIsSound checks that every line of the example can be set as it is, and that
// it has every key.
func TestExampleIsSound(t *testing.T) {
	t.Parallel()
	set := regexp.MustCompile(`(?m)^#([\["a-z])`).ReplaceAll(Example, []byte("$1"))
	if c := parseConfig("config.toml", set); len(c.wrong) > 0 {
		t.Fatalf("%v\n%s", c.wrong, set)
	}
	for _, key := range append(Keys(), KeysTable, FiltersTable) {
		if !regexp.MustCompile(`(?m)^#\[*` + key + `\b`).Match(Example) {
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
	if got := action.Bindings(c.keys).Apply([]action.Action{{ID: "providers.sort", Keys: "s"}})[0]; got.Default != "s" {
		t.Errorf("by default %q", got.Default)
	}
}
