package main

import (
	"log/slog"
	"maps"
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
