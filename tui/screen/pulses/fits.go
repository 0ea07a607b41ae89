package pulses

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// fit is how many more instances with a flavor fit.
type fit struct {
	of     *placement.Snapshot // of this state
	copies int
	more   bool   // copies or more
	zones  string // how many in each zone; "" if hosts have no zones
}

// fitResult is the result of a piece of that work. Dashboards share it.
type fitResult struct {
	of    *placement.Snapshot
	known map[string]fit // by flavor
	due   int            // how many are of an older Snapshot
}

// mostFits is for how many flavors this is computed, those with the most instances, and
// fitTime how long a piece of the work lasts.
const (
	mostFits = 40
	fitTime  = 50 * time.Millisecond
)

// roomy reports whether there is room for all panes, or may be.
func (s *Screen) roomy() bool { return s.width == 0 || s.width >= wideFromW && s.height >= wideFromH }

// seekFits continues computing how many more of each flavor fit, if there is room to show
// it.
func (s *Screen) seekFits() tea.Cmd {
	if !s.roomy() || s.facts == nil || s.fitting.Busy() || s.fitsOf == s.snap.Placement() && s.fits.due == 0 {
		return nil
	}
	s.fitsOf = s.snap.Placement()
	snap, fits, index, env := s.snap, s.fits, s.index, s.env
	return s.fitting.Follow(s.env.Context, func(ctx context.Context) *fitResult {
		further := func(f *fitResult) bool {
			return f.of == snap.Placement() && (fits.of != f.of || f.due < fits.due || f.due == 0)
		}
		return screen.Share(env.Shared(), fit{}, further, func() *fitResult { return fitMore(ctx, snap, fits.known, index, env.Clock) })
	})
}

// fitMore computes for a while, least known flavors first.
func fitMore(ctx context.Context, snap *cloud.Snapshot, known map[string]fit, indexer *candidates.Indexer, clock func() time.Time) *fitResult {
	ledger := snap.Placement()
	out := &fitResult{of: ledger, known: map[string]fit{}}
	var due []*nova.Flavor
	for _, f := range mostUsed(snap) {
		if old, ok := known[f.Name]; ok {
			out.known[f.Name] = old
		}
		if out.known[f.Name].of != ledger {
			due = append(due, f)
		}
	}
	unknown := func(f *nova.Flavor) int { // those come first
		if _, ok := out.known[f.Name]; ok {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(due, func(a, b *nova.Flavor) int { return unknown(a) - unknown(b) })
	began, asker := clock(), ops.NewAsker(snap, indexer.Index(ledger))
	for i, f := range due {
		if i > 0 && (ctx.Err() != nil || clock().Sub(began) > fitTime) {
			out.due = len(due) - i
			break
		}
		if got, ok := fitOf(snap, asker, f); ok {
			out.known[f.Name] = got
		} else {
			delete(out.known, f.Name)
		}
	}
	return out
}

// fitOf packs instances of a flavor; ok is false if Nova would not request any.
func fitOf(snap *cloud.Snapshot, asker *ops.Asker, f *nova.Flavor) (fit, bool) {
	asked, err := asker.Flavor(f, nova.AskOptions{})
	if err != nil {
		return fit{}, false
	}
	packed := candidates.FitOf(asked...)
	return fit{of: snap.Placement(), copies: packed.Copies, more: packed.More, zones: zonesOf(snap, packed.Trees)}, true
}

// zonesOf returns how many of the packed ones are in each zone.
func zonesOf(snap *cloud.Snapshot, trees []candidates.TreeFit) string {
	copies := map[string]int{}
	for _, t := range trees {
		if zone := snap.Nova().ZoneOf(ops.HostOf(snap, t.Anchor)); zone != "" {
			copies[zone] += t.Copies
		}
	}
	var parts []string
	for _, zone := range slices.Sorted(maps.Keys(copies)) {
		parts = append(parts, fmt.Sprintf("%s %6s", zone, component.Count(copies[zone])))
	}
	return strings.Join(parts, "  ")
}

// zonesFrom is the width from which the line of a flavor has room for zones, too.
const zonesFrom = 50

// mostUsed returns the flavors for new instances, those with the most instances first.
func mostUsed(snap *cloud.Snapshot) []*nova.Flavor {
	used := map[string]int{}
	for i := range snap.Nova().Instances() {
		if i.Live() {
			used[nova.FlavorName(i.Flavor)]++
		}
	}
	all := slices.DeleteFunc(slices.Collect(snap.Nova().CurrentFlavors()), func(f *nova.Flavor) bool { return f.Disabled })
	slices.SortStableFunc(all, func(a, b *nova.Flavor) int {
		return cmp.Or(cmp.Compare(used[b.Name], used[a.Name]), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(len(all), mostFits)]
}

// fitLines returns a line for each flavor, those that fit least often first, at most n.
func (s *Screen) fitLines(w, n int) []string {
	st := s.env.Styles
	names := slices.Collect(maps.Keys(s.fits.known))
	if len(names) == 0 {
		return []string{panel.Text(st, w, themes.Faint, "not known yet")}
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(s.fits.known[a].copies, s.fits.known[b].copies) })
	var out []string
	for i, name := range names {
		f, l := s.fits.known[name], component.NewLine(st, w)
		if i == n-1 && len(names) > n {
			return append(out, l.Add(themes.Faint, st.Glyphs.More).Add(themes.Dim, " "+component.Count(len(names)-i)+" more flavors").String())
		}
		count, token := component.Count(f.copies), themes.Text
		if f.more {
			count += "+"
		}
		if f.copies == 0 {
			count, token = "none", themes.Warn
		}
		wide := max(w-9, 1)
		if w >= zonesFrom {
			wide = min(wide, fitWidth-13)
		}
		l.Column(wide, themes.Text, name).Number(9, token, count)
		out = append(out, l.Space(3).Add(themes.Dim, f.zones).String())
	}
	return out
}
