package main

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/screen"
)

// TestTwoDashboardsRemember has two dashboards name and delete things at the same time:
// neither loses what the other has named.
func TestTwoDashboardsRemember(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "dashboard.json")
	open := func() (*program, *screen.Memory) {
		p := &program{memory: file, log: slog.New(slog.DiscardHandler)}
		return p, p.recall()
	}
	keep := func(p *program, m *screen.Memory, want string) {
		t.Helper()
		must.Succeed(t, p.remember(m))
		_, got := open()
		must.Be(t, strings.Join(slices.Sorted(maps.Keys(got.Filters)), " "), want)
	}
	p, m := open()
	m.Filters = map[string]string{"old": "1", "gone": "1"}
	keep(p, m, "gone old")
	a, am := open()
	b, bm := open()
	bm.Filters["b"] = "2"
	bm.Filters["old"] = "3"
	keep(b, bm, "b gone old")
	am.Filters["a"] = "2"
	delete(am.Filters, "gone")
	keep(a, am, "a b old")
	keep(b, bm, "a b old")
	if _, got := open(); got.Filters["old"] != "3" {
		t.Errorf("what was changed is %s again", got.Filters["old"])
	}
	delete(bm.Filters, "a")
	keep(b, bm, "b old")
}

// TestOtherReleasesRemember has another release, or a fault, leave what this one cannot
// read: it is not lost when the dashboard ends.
func TestOtherReleasesRemember(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, aside string }{
		"a newer release": {`{"filters": {"f": "x"}, "future": {"a": [1]}, "toured": true}`, ""},
		"another type":    {`{"filters": ["f"], "bookmarks": {}}`, `{"filters": ["f"], "bookmarks": {}}`},
		"cut off":         {`{"filters": {"f": "x"}, "boo`, `{"filters": {"f": "x"}, "boo`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "dashboard.json")
			must.Succeed(t, os.WriteFile(file, []byte(c.text), 0o600))
			p := &program{memory: file, log: slog.New(slog.DiscardHandler)}
			m := p.recall()
			if said := strings.Join(p.ignored(), ""); strings.Contains(said, "dashboard.json.unreadable") != (c.aside != "") {
				t.Errorf("the dashboard starts with %q", said)
			}
			delete(m.Filters, "f")
			must.Succeed(t, p.remember(m))
			aside, _ := os.ReadFile(file + ".unreadable")
			must.Be(t, string(aside), c.aside)
			text := string(must.Get(os.ReadFile(file))(t))
			if c.aside == "" && !strings.Contains(strings.Join(strings.Fields(text), ""), `"future":{"a":[1]}`) {
				t.Errorf("what the newer release keeps there is lost:\n%s", text)
			}
			if strings.Contains(text, `"filters": {`) {
				t.Errorf("a filter that was deleted is back:\n%s", text)
			}
			must.Get(readMemory(file))(t)
		})
	}
}

// TestUnreadableFilters asks for a named filter that may be in a file that cannot be read.
func TestUnreadableFilters(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "dashboard.json")
	must.Succeed(t, os.WriteFile(file, []byte(`{"filters": {"f": "x"}, "boo`), 0o600))
	var stderr strings.Builder
	p := &program{memory: file, log: slog.New(slog.DiscardHandler), stderr: &stderr, settings: settings{Filters: map[string]string{"g": "y"}}}
	filter := p.namedFilter()
	if expr, ok := filter("g"); expr != "y" || !ok || stderr.Len() > 0 {
		t.Errorf("a filter of the configuration is %q; it says %q", expr, stderr.String())
	}
	if expr, ok := filter("f"); ok {
		t.Errorf("it is %q", expr)
	}
	must.Say(t, stderr.String(), "warning: "+file+" cannot be read, so the filters saved there are unknown")
}
