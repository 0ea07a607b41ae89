package list_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/tuitest"
)

// The orders of the list of providers.
const (
	byName = iota
	byUsed
	byFree
	byOwner
	byGeneration
	orders
)

// asked is a request to the list of providers.
type asked struct {
	tree        bool
	class       placement.ResourceClass
	owner, sort int
	desc        bool
	expr        string
	shut        map[string]bool
}

func idOf(p *placement.ResourceProvider) string { id := p.ID(); return string(id[:]) }

// naive returns what the rows of a tree or a flat list must be, in words, computed in the
// simplest way.
func naive(s *placement.Snapshot, w asked) []string {
	class := panel.ClassID(s, w.class)
	match := func(p *placement.ResourceProvider) bool {
		return (w.owner == 0 || s.Owner(p).String() == []string{"any", "nova", "cyborg", "both", "none"}[w.owner]) &&
			(strings.Contains(strings.ToLower(p.Name()), w.expr) || strings.Contains(s.Owner(p).String(), w.expr) || slices.ContainsFunc(classes(s, p), func(c string) bool { return strings.Contains(c, w.expr) }))
	}
	var wanted func(p *placement.ResourceProvider) bool
	wanted = func(p *placement.ResourceProvider) bool {
		return match(p) || slices.ContainsFunc(s.Children(p), wanted)
	}
	load := func(p *placement.ResourceProvider) (component.Load, bool) {
		if w.tree {
			l, n := panel.TreeLoad(s, p, class)
			return l, n > 0
		}
		iu, ok := p.Inventory(class)
		return panel.Load(s, p, iu), ok
	}
	sortBy := func(ps []*placement.ResourceProvider) {
		slices.SortFunc(ps, func(a, b *placement.ResourceProvider) int { return strings.Compare(a.Name(), b.Name()) })
		if w.sort == byName {
			if w.desc {
				slices.Reverse(ps)
			}
			return
		}
		value := func(p *placement.ResourceProvider) float64 {
			l, _ := load(p)
			switch w.sort {
			case byFree:
				return float64(l.Free())
			case byOwner:
				return float64(s.Owner(p))
			case byGeneration:
				return float64(p.Generation())
			}
			if l.Over() {
				return 2
			} else if l.Capacity <= 0 {
				return 0
			}
			return float64(l.Used) / float64(l.Capacity)
		}
		slices.SortStableFunc(ps, func(a, b *placement.ResourceProvider) int {
			_, hasA := load(a)
			_, hasB := load(b)
			if w.sort != byOwner && w.sort != byGeneration && hasA != hasB {
				if hasA {
					return -1
				}
				return 1
			}
			c := cmp.Compare(value(a), value(b))
			if w.desc {
				return -c
			}
			return c
		})
	}
	var out []string
	if !w.tree {
		all := slices.DeleteFunc(slices.Collect(s.Providers()), func(p *placement.ResourceProvider) bool { return !match(p) })
		sortBy(all)
		for _, p := range all {
			out = append(out, fmt.Sprint(p.Name(), " 0 leaf false 0"))
		}
		return out
	}
	var walk func(ps []*placement.ResourceProvider, depth int)
	walk = func(ps []*placement.ResourceProvider, depth int) {
		ps = slices.DeleteFunc(ps, func(p *placement.ResourceProvider) bool { return !wanted(p) })
		sortBy(ps)
		for _, p := range ps {
			kids := slices.DeleteFunc(s.Children(p), func(p *placement.ResourceProvider) bool { return !wanted(p) })
			fold, below := "leaf", 0
			switch {
			case len(kids) > 0 && w.shut[idOf(p)]:
				fold = "closed"
				for _, q := range s.Tree(p) {
					if q.ID() != p.ID() && wanted(q) {
						below++
					}
				}
			case len(kids) > 0:
				fold = "open"
			}
			out = append(out, fmt.Sprint(p.Name(), " ", depth, " ", fold, " ", !match(p), " ", below))
			if fold == "open" {
				walk(kids, depth+1)
			}
		}
	}
	walk(slices.Collect(s.Roots()), 0)
	return out
}

// words returns the rows of a list in the form of naive.
func words(s *placement.Snapshot, lines []list.Line) []string {
	var out []string
	for _, l := range lines {
		var id placement.ProviderID
		copy(id[:], l.ID)
		p, _ := s.Provider(id)
		out = append(out, fmt.Sprint(p.Name(), " ", l.Depth, " ", [...]string{"leaf", "closed", "open"}[l.Fold], " ", l.Context, " ", l.Below))
	}
	return out
}

// TestTreesAreAsEnumerated compares the list of providers with naive.
func TestTreesAreAsEnumerated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		snap := cloud.Empty()
		do := func(op placement.Op) {
			if next, _, err := snap.Apply(cloud.Change{At: modeltest.At(0), Ops: []placement.Op{op}}); err == nil {
				snap = next
			}
		}
		for _, op := range modeltest.Start() {
			do(op)
		}
		for range rapid.IntRange(0, 30).Draw(t, "ops") {
			do(modeltest.Op(snap.Placement()).Draw(t, "op"))
		}
		s := snap.Placement()
		w := asked{
			tree: rapid.Bool().Draw(t, "tree"), class: rapid.SampledFrom([]placement.ResourceClass{placement.VCPU, placement.VGPU, "CUSTOM_A", "CUSTOM_GONE"}).Draw(t, "class"),
			owner: rapid.IntRange(0, 4).Draw(t, "owner"), sort: rapid.IntRange(0, orders-1).Draw(t, "sort"), desc: rapid.Bool().Draw(t, "desc"),
			expr: rapid.SampledFrom([]string{"", "", "a", "b", "0"}).Draw(t, "expr"), shut: map[string]bool{},
		}
		for p := range s.Providers() {
			if rapid.IntRange(0, 3).Draw(t, "fold") == 0 {
				w.shut[idOf(p)] = true
			}
		}
		c := tuitest.NewCloud(snap)
		open := func() *providers.Screen {
			l := providers.New(tuitest.Env(c, tuitest.Plain()), snap, "")
			l.Wish(w.sort, w.desc, w.expr, w.owner, w.class, !w.tree, w.shut)
			return l
		}
		l := open()
		same := func() {
			t.Helper()
			if got, want := words(s, l.Lines()), naive(s, w); !slices.Equal(got, want) {
				t.Fatalf("rows are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for _, line := range l.Lines() {
				if !l.HasRow(line.ID) {
					t.Fatalf("row %x is not found", line.ID)
				}
			}
		}
		same()
		for range 3 { // folding by hand gives the same as a new list
			lines := l.Lines()
			if len(lines) == 0 || !w.tree {
				return
			}
			line := rapid.SampledFrom(lines).Draw(t, "row")
			l.Refold(line.ID, line.Fold != component.FoldOpen)
			same()
			if whole := open(); !slices.Equal(l.Lines(), whole.Lines()) {
				t.Fatalf("folded by hand: %v, made anew: %v", l.Lines(), whole.Lines())
			}
		}
	})
}

// classes returns the classes of a provider, in lower case.
func classes(s *placement.Snapshot, p *placement.ResourceProvider) (out []string) {
	for _, iu := range p.Inventories() {
		out = append(out, strings.ToLower(string(s.ClassName(iu.Class))))
	}
	return out
}
