package pulses

import (
	"cmp"
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// fit is how many more instances with a flavor fit.
type fit struct {
	flavor string
	copies int
	more   bool // copies or more
}

// fits are those of a Snapshot, fewest first. Dashboards share them.
type fits struct {
	of   *placement.Snapshot
	rows []fit
}

// mostFits is for how many flavors this is computed, those with the most instances.
const mostFits = 40

// AfterView implements screen.AfterViewer: it finds out how many more fit, where there is room
// to say so.
func (s *Screen) AfterView() tea.Cmd {
	if !s.wide || s.facts.of == nil || s.fitsOf == s.facts.of {
		return nil
	}
	s.fitsOf = s.facts.of
	snap, env, indexer := s.fitsOf, s.env, s.indexer
	return s.fitting.Follow(env.Context, func(context.Context) *fits {
		fresh := func(f *fits) bool { return f.of == snap.Placement() }
		return screen.Share(env.Shared(), fit{}, fresh, func() *fits { return fitsOf(snap, indexer) })
	})
}

// fitsOf packs instances of the flavors that are used most, without those of which Nova would
// request none.
func fitsOf(snap *cloud.Snapshot, indexer *candidates.Indexer) *fits {
	out, asker := &fits{of: snap.Placement()}, ops.NewAsker(snap, indexer.Index(snap.Placement()))
	for _, f := range mostUsed(snap) {
		if asked, err := asker.Flavor(f, nova.AskOptions{}); err == nil {
			packed := candidates.FitOf(asked...)
			out.rows = append(out.rows, fit{f.Name, packed.Copies, packed.More})
		}
	}
	slices.SortFunc(out.rows, func(a, b fit) int { return cmp.Or(a.copies-b.copies, cmp.Compare(a.flavor, b.flavor)) })
	return out
}

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

func fitColumns() list.Columns {
	return list.Show("flavor=:8+1 fit=:6>", "fit", list.Cells[fit]{
		"flavor": list.TextCell(themes.Text, func(f fit, _ list.At) string { return f.flavor }),
		"fit": func(l *component.Line, f fit, _ list.At) {
			switch {
			case f.copies == 0:
				l.Add(themes.Warn, "none")
			case f.more:
				l.Add(themes.Text, component.Count(f.copies)+"+")
			default:
				l.Add(themes.Text, component.Count(f.copies))
			}
		},
	})
}
