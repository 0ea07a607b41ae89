package list_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// nestedView is a list of roots with their children below them.
func nestedView() list.Spec[*root] {
	made := 0
	s := spec(&made)
	s.Rows = func(_ context.Context, snap *cloud.Snapshot) []*root {
		var all []*root
		for p := range snap.Placement().Providers() {
			all = append(all, &root{p})
		}
		return all
	}
	s.ID = func(r *root) string { return strconv.Itoa(r.Number()) }
	s.Heads = true
	s.Place = func(r *root) (own, under int) {
		if r.IsRoot() {
			return r.Number(), -1
		}
		return r.Number(), r.RootNumber()
	}
	s.Actions = func(h list.Here[*root]) []action.Action {
		open := action.Action{ID: "roots.open", Keys: "enter", Title: "open", Priority: 90, Disabled: h.Nothing, Run: func() tea.Cmd {
			if h.List.Fold() != component.FoldLeaf {
				return h.List.Unfold()
			}
			return screen.Send(screen.Goto{To: place.Provider{ID: h.Row.ID()}})
		}}
		return []action.Action{open}
	}
	s.Detail = nil
	return s
}

// trees is a cloud of roots with VCPUs, and their children, each named by one letter.
func trees(t *testing.T, names map[string][]string) *tuitest.Cloud {
	t.Helper()
	c := tuitest.NewCloud(cloud.Empty())
	for name, children := range names {
		p := modeltest.Provider{Name: name}
		for i, child := range children {
			p.Children = append(p.Children, modeltest.Provider{Name: child, Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(int64(8 - i))}})
		}
		must.Succeed(t, c.Do(p.Ops(placement.ProviderID{})...))
	}
	return c
}

// tree returns the rows with their folds, and > before the one under the cursor.
func tree(t *testing.T, h *tuitest.Host) string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(h.At(60, 12).Text(), "\n")[1:] {
		if strings.HasPrefix(line, "/") {
			break
		}
		cell := line[:min(len(line), 20)]
		word := strings.Join(strings.FieldsFunc(cell, func(r rune) bool { return r == ' ' || r >= '0' && r <= '9' }), "")
		if word != "" {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

func TestFolds(t *testing.T) {
	t.Parallel()
	c := trees(t, map[string][]string{"a": {"x", "y"}, "b": nil, "c": {"z"}})
	h := open(t, c, nestedView(), "")
	for _, step := range []struct{ key, rows string }{
		{"", ">▸a b ▸c"},
		{"enter", ">▾a ├─x └─y b ▸c"},
		{"j", "▾a >├─x └─y b ▸c"},
		{"l", "▾a >├─x └─y b ▸c"},
		{"sort name", "▸c b ▾a ├─y >└─x"}, // the last of them has the corner, whichever it is
		{"sort name", "▾a >├─x └─y b ▸c"},
		{"left", ">▾a ├─x └─y b ▸c"}, // its parent
		{"left", ">▸a b ▸c"},
		{"right", ">▾a ├─x └─y b ▸c"},
		{"x", ">▾a ├─x └─y b ▾c └─z"},
		{"G", "▾a ├─x └─y b ▾c >└─z"},
		{"x", "▸a b >▸c"},
	} {
		if order, sorts := strings.CutPrefix(step.key, "sort "); sorts {
			h.Sort(order)
		} else if step.key != "" {
			h.Press(step.key)
		}
		if got := tree(t, h); got != step.rows {
			t.Errorf("after %q the rows are %q, want %q", step.key, got, step.rows)
		}
	}
}

// TestFiltersUnfold finds rows that are folded away, and shows them with their parents.
func TestFiltersUnfold(t *testing.T) {
	t.Parallel()
	c := trees(t, map[string][]string{"a": {"x", "y"}, "b": nil, "c": {"z"}})
	h := open(t, c, nestedView(), "name=y")
	must.Be(t, tree(t, h), ">▾a └─y")
	must.Be(t, h.Status(), "/name=y   1 of 4   sort name ▴") // b is a heading of nothing
	h.Press("h")
	must.Be(t, h.Status(), "/name=y   1 of 4   sort name ▴")
	if got := tree(t, h); got != ">▸a" {
		t.Errorf("folded, the filter shows %q", got)
	}
	h.Press("esc")
	if got := tree(t, h); got != ">▸a b ▸c" {
		t.Errorf("without the filter there is %q", got)
	}
}

// TestSeek goes to a row that is folded away, also before there are rows.
func TestSeek(t *testing.T) {
	t.Parallel()
	c := trees(t, map[string][]string{"a": {"x", "y"}, "b": nil})
	s := list.New(nestedView(), tuitest.Env(c, tuitest.Plain()), c.Snapshot(), "")
	list.Seek(s, func(r *root) bool { return r.Name() == "y" })
	h := tuitest.Open(t, c, s)
	must.Be(t, tree(t, h), "▾a ├─x >└─y b")
	if cmd := list.Seek(s, func(*root) bool { return false }); cmd != nil {
		t.Error("what is not there unfolds something")
	}
	must.Be(t, tree(t, h), "▾a ├─x >└─y b")
	tuitest.Actions(t, h)
}

func TestAnythingNested(t *testing.T) {
	t.Parallel()
	tuitest.Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen {
		return list.New(nestedView(), env, snap, "")
	}, "/ s S O a x left right e o ctrl+w v c u > 1 = enter esc backspace")
}
