package main

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/screen"
)

// TestLastDashboardWins has two dashboards name filters: the file holds those of the one
// that has saved last.
func TestLastDashboardWins(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "dashboard.json")
	open := func() (*program, *screen.Memory) {
		p := &program{memory: file, log: slog.New(slog.DiscardHandler)}
		return p, p.recall()
	}
	a, am := open()
	b, bm := open()
	am.Filters, bm.Filters = map[string]string{"a": "1"}, map[string]string{"b": "2"}
	must.Succeed(t, a.remember(am))
	must.Succeed(t, b.remember(bm))
	_, got := open()
	must.Be(t, strings.Join(slices.Sorted(maps.Keys(got.Filters)), " "), "b")
	if left := must.Get(filepath.Glob(filepath.Join(filepath.Dir(file), "*")))(t); len(left) != 1 {
		t.Errorf("the directory holds %q", left)
	}
}

// TestOtherReleasesRemember has another release, or a fault, leave what this one does not
// know or cannot read: the first is ignored, the second is not lost.
func TestOtherReleasesRemember(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, filter, aside string }{
		"an older release": {`{"filters": {"f": "x"}, "bookmarks": {"n": {"title": "t", "code": "pulses"}}, "at": {"demo": "pulses"}, "visits": {"demo": {"at": "2026-03-01T00:00:00Z", "found": ["a"]}}, "toured": true}`, "x", ""},
		"a newer release":  {`{"filters": {"f": "x"}, "future": {"a": [1]}, "bookmarks": 7}`, "x", ""},
		"another type":     {`{"filters": ["f"]}`, "", `{"filters": ["f"]}`},
		"cut off":          {`{"filters": {"f": "x"}, "boo`, "", `{"filters": {"f": "x"}, "boo`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "dashboard.json")
			must.Succeed(t, os.WriteFile(file, []byte(c.text), 0o600))
			p := &program{memory: file, log: slog.New(slog.DiscardHandler)}
			m := p.recall()
			must.Be(t, m.Filters["f"], c.filter)
			if said := strings.Join(p.ignored(), ""); strings.Contains(said, "dashboard.json.unreadable") != (c.aside != "") {
				t.Errorf("the dashboard starts with %q", said)
			}
			delete(m.Filters, "f")
			must.Succeed(t, p.remember(m))
			aside, _ := os.ReadFile(file + ".unreadable")
			must.Be(t, string(aside), c.aside)
			must.Be(t, must.Get(readMemory(file))(t).Filters["f"], "")
		})
	}
}

// TestUnreadableFilters asks for a named filter that may be in a file that cannot be read.
func TestUnreadableFilters(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "dashboard.json")
	must.Succeed(t, os.WriteFile(file, []byte(`{"filters": {"f": "x"}, "boo`), 0o600))
	var stderr strings.Builder
	p := &program{memory: file, log: slog.New(slog.DiscardHandler), stderr: &stderr, settings: config.Settings{Filters: map[string]string{"g": "y"}}}
	filter := p.namedFilter()
	if expr, ok := filter("g"); expr != "y" || !ok || stderr.Len() > 0 {
		t.Errorf("a filter of the configuration is %q; it says %q", expr, stderr.String())
	}
	if expr, ok := filter("f"); ok {
		t.Errorf("it is %q", expr)
	}
	must.Say(t, stderr.String(), "warning: "+file+" cannot be read, so the filters saved there are unknown")
}
