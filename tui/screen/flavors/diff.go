package flavors

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// compare is the key that compares two marked flavors.
func compare(env screen.Env, h list.Here[*flavor]) action.Action {
	two, why := list.Chosen(h)
	diff := action.Action{ID: "flavors.diff", Keys: "=", Title: "diff", Help: "compare two marked flavors, and what they ask of Placement", Priority: 46, Disabled: why}
	if why == "" && len(two) != 2 {
		diff.Disabled = "mark two flavors with space"
	}
	diff.Request = func() tea.Msg {
		return screen.PushMsg{Screen: newDiff(env, h.Snap, two[0].Name, two[1].Name)}
	}
	return diff
}

// difference is a row: what differs between two flavors.
type difference struct {
	of, what    string // a part of a flavor, and the name in it
	left, right string // "" if a flavor has none
}

// The parts of a flavor.
const (
	ofFlavor = "flavor"
	ofSpecs  = "extra spec"
	ofQuery  = "query"
)

// newDiff returns the list of differences between two flavors.
func newDiff(env screen.Env, snap *cloud.Snapshot, left, right string) screen.Screen {
	side := func(of func(*difference) string) func(*component.Line, *difference, list.At) {
		return func(l *component.Line, d *difference, _ list.At) {
			if of(d) == "" {
				l.Add(themes.Faint, "-")
				return
			}
			l.Add(themes.Strong, of(d))
		}
	}
	columns := list.Show("what:14-40+2 of:10 left:12+3 right:12+3", "of", list.Cells[*difference]{
		"what":  list.TextCell(themes.Text, func(d *difference, _ list.At) string { return d.what }),
		"of":    list.TextCell(themes.Dim, func(d *difference, _ list.At) string { return d.of }),
		"left":  side(func(d *difference) string { return d.left }),
		"right": side(func(d *difference) string { return d.right }),
	})
	columns.Of("left").Title, columns.Of("right").Title = left, right
	return list.New(list.Spec[*difference]{
		Name: "diff", Thing: "difference",
		Rows:       func(_ context.Context, s *cloud.Snapshot) []*difference { return differences(s, left, right) },
		ID:         func(d *difference) string { return d.of + " " + d.what },
		Text:       func(d *difference) string { return strings.Join([]string{d.what, d.left, d.right}, " ") },
		Columns:    columns,
		Fields:     []list.Field[*difference]{list.TextField("of", func(d *difference, _ list.At) string { return d.of })},
		FilterHelp: "name or value, of=query",
		Title:      func(d *difference, _ list.At) (title, note string) { return d.what, d.of },
		Detail: func(d *difference, a list.Area) []string {
			width := max(component.Width(a.Styles, left), component.Width(a.Styles, right))
			return slices.Concat(sideLines(a, left, d.left, width), sideLines(a, right, d.right, width))
		},
		Empty: []string{left + " and " + right + " differ in name only"},
	}, env, snap, "")
}

// sideLines draws the complete value of one flavor, beside its name.
func sideLines(a list.Area, name, text string, width int) []string {
	return component.Paragraph(a.Styles, a.Width, width+3, themes.Text, cmp.Or(text, "-"), func(l *component.Line) { l.Space(1).Add(themes.Dim, name) })
}

// differences returns what differs between two flavors: in their attributes, their extra
// specs, and the request to Placement that Nova makes of them.
func differences(s *cloud.Snapshot, left, right string) []*difference {
	var out []*difference
	a, okA := s.Nova().FlavorNamed(left)
	b, okB := s.Nova().FlavorNamed(right)
	if !okA || !okB {
		return nil
	}
	add := func(of string, x, y map[string]string, order []string) {
		for _, key := range order {
			if x[key] != y[key] {
				out = append(out, &difference{of: of, what: key, left: x[key], right: y[key]})
			}
		}
	}
	both := func(x, y map[string]string) []string {
		all := map[string]string{}
		maps.Copy(all, x)
		maps.Copy(all, y)
		return slices.Sorted(maps.Keys(all))
	}
	add(ofFlavor, attributes(a), attributes(b), []string{"vcpus", "ram", "disk", "ephemeral", "swap", "private", "disabled", "description"})
	add(ofSpecs, a.ExtraSpecs, b.ExtraSpecs, both(a.ExtraSpecs, b.ExtraSpecs))
	x, y := parameters(ask(s, a)), parameters(ask(s, b))
	add(ofQuery, x, y, both(x, y))
	return out
}

// attributes returns the attributes of a flavor other than extra specs, with units.
func attributes(f *nova.Flavor) map[string]string {
	number := func(n int64, unit string) string { return strconv.FormatInt(n, 10) + unit }
	return map[string]string{
		"vcpus": number(f.VCPUs, ""), "ram": number(f.MemoryMB, " MiB"), "disk": number(f.RootGB, " GiB"), "ephemeral": number(f.EphemeralGB, " GiB"),
		"swap": number(f.SwapMB, " MiB"), "private": strconv.FormatBool(f.Private), "disabled": strconv.FormatBool(f.Disabled), "description": f.Description,
	}
}

// parameters returns the request to Placement by parameter name; a repeated parameter has
// all its values.
func parameters(w wanted) map[string]string {
	out := map[string]string{}
	if why := w.trouble(); why != "" {
		out["cannot be asked"] = why
	}
	given, err := url.ParseQuery(w.url)
	if err != nil {
		out["cannot be read"] = err.Error()
	}
	for name, values := range given {
		out[name] = strings.Join(values, "  ")
	}
	return out
}
