package list

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/part/panel"
)

// thing returns a row for its description.
func (s *Screen) thing(i int, at At) panel.Subject {
	return panel.Subject{Kind: s.form.kind, At: at, Row: s.form.Of(at)(s.src.all[i])}
}

// title returns the title of the lines about a row, and a note.
func (s *Screen) title(i int, at At) (title, note string) {
	switch {
	case s.form.Title != nil:
		return s.form.Title(s.src.all[i], at)
	case s.form.kind != nil:
		title, note = s.thing(i, at).Title()
	}
	if s.form.Text != nil {
		title = s.form.Text(s.src.all[i])
	}
	if strings.Contains(title, note) {
		note = ""
	}
	return title, note
}

// detail returns the lines about a row, as many as there is room for.
func (s *Screen) detail(i int, a Area) []string {
	if s.form.Detail != nil {
		return a.Fit(s.form.Detail(s.src.all[i], a))
	}
	var lines []string
	if s.form.Found != nil {
		for _, f := range s.form.Found(s.src.all[i]) {
			lines = append(lines, panel.Finding(a.Styles, f, a.Width)...)
		}
	}
	shown := s.inView(max(a.Width, s.split.left))
	lines = append(lines, panel.FaultLines(a.Styles, a.Width, s.thing(i, a.At), shown)...)
	if s.form.More != nil && a.Height > len(lines) {
		rest := a
		rest.Height -= len(lines)
		lines = append(lines, s.form.More(s.src.all[i], rest)...)
	}
	return a.Fit(append(lines, panel.DescribePane(a.Styles, a.Width, s.thing(i, a.At), shown)...))
}

// inView reports for fields of the kind whether the list, which is at most w cells wide, shows
// them.
func (s *Screen) inView(w int) func(f *kinds.Field) bool {
	var keys []string
	for x := range w {
		if col := s.grid.ColumnAt(x); col >= 0 && col < len(s.src.columns) {
			if key := s.form.Columns[s.src.columns[col]].Key; !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return func(f *kinds.Field) bool { return slices.Contains(keys, f.Asked()) || slices.Contains(keys, f.Name) }
}
