package whatif

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// compactFrom is from how many cells a line has room for a bar.
const compactFrom = 60

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	foot := s.promptLines(w)
	foot = foot[:min(len(foot), max(h-1, 0))]
	room := h - len(foot)
	var body string
	if s.ans == nil {
		body = s.waiting(w)
	} else {
		body = s.page.View(w, room)
	}
	return component.Fit(component.Stack(component.Fit(body, w, room), strings.Join(foot, "\n")), w, h)
}

// waiting is shown before the first answer.
func (s *Screen) waiting(w int) string {
	if s.err != nil {
		return strings.Join(s.failure(w), "\n")
	}
	return component.Stack(strings.Join(s.queryLines(w), "\n"), "", panel.Text(s.env.Styles, w, themes.Dim, " asking"))
}

// failure says why the newest query has no answer.
func (s *Screen) failure(w int) []string {
	if s.err == nil {
		return nil
	}
	return component.Marked(s.env.Styles, w, 1, style.SeverityCritical, themes.Text, s.err.Error())
}

// promptLines is the query line while it is edited: the text, and what is wrong with it,
// from the wrong character on.
func (s *Screen) promptLines(w int) []string {
	if !s.typing {
		return nil
	}
	st := s.env.Styles
	l := component.NewLine(st, w)
	f := s.fault
	if f == nil {
		l.Space(1).Add(themes.Dim, "enter accepts   esc discards")
		s.suggest(l)
		return []string{l.String(), s.prompt.View(w)}
	}
	l.Mark(style.SeverityCritical).Space(1)
	text := f.Why
	if f.Param != "" {
		text = f.Param + ": " + text
	}
	if f.Column > 0 {
		l.Add(themes.Critical, fmt.Sprintf("column %d ", f.Column))
	}
	l.Add(themes.Text, text)
	lines := []string{l.String()}
	if runes := []rune(s.prompt.Value()); f.Column > 0 && f.Column <= len(runes) {
		at := f.Column - 1
		l.Reset(w).Space(2)
		from := max(at-w/3, 0)
		if from > 0 {
			l.Add(themes.Faint, st.Glyphs.Ellipsis)
		}
		l.Add(themes.Faint, string(runes[from:at])).Add(themes.Critical, string(runes[at:]))
		lines = append(lines, l.String())
		l.Reset(w).To(2+min(at, at-from+1)).Add(themes.Critical, "^")
		s.suggest(l)
		lines = append(lines, l.String())
	}
	return append(lines, s.prompt.View(w))
}

// suggest draws completions of the last word, as far as there is room.
func (s *Screen) suggest(l *component.Line) {
	all, chosen := s.prompt.Suggestions()
	if len(all) == 0 || l.Left() < 24 {
		return
	}
	l.Space(3).Add(themes.Key, "tab")
	for i := range all {
		word, t := all[(chosen+i)%len(all)], themes.Dim
		if at := strings.LastIndexAny(strings.TrimSuffix(word, "="), "&=,!"); at >= 0 {
			word = word[at+1:]
		}
		if i == 0 {
			t = themes.Text
		}
		if component.Width(l.Styles(), word)+2 > l.Left() {
			return
		}
		l.Space(2).Add(t, word)
	}
}

// arrange makes the page: the query, below it the sections that take turns, and about the row
// under the cursor of one.
func (s *Screen) arrange() {
	lines := func(title string, turn int, draw func(w int) []string) *page.Section {
		return &page.Section{Title: title, Turn: turn, Lines: draw}
	}
	about := func(title string, draw func(w int) []string) func(w int, whole bool) (string, []string) {
		return func(w int, whole bool) (string, []string) {
			if !whole {
				return title, draw(w)
			}
			if _, ok := s.told(); ok {
				return "IN WORDS", s.wordLines(w)
			}
			return "", nil
		}
	}
	words, alone := about("IN WORDS", s.brief), about("", func(int) []string { return nil })
	table := func(title, keys string, turn int, columns []component.Column, about func(w int, whole bool) (string, []string)) *page.Section {
		g := component.NewGrid(s.env.Styles, columns)
		g.Shy, g.NoHeader = true, columns[0].Title == ""
		return &page.Section{Title: title, Keys: keys, Turn: turn, Grid: g, Filled: true, About: about}
	}
	query := lines("QUERY", 0, s.queryLines)
	query.Bare, query.Keys, query.Key, query.About = true, "e edit   h l amount   c copy   C as command, in words", s.another, words
	fault := lines("THE LAST QUERY GOT NO ANSWER", 0, s.failure)
	fault.Bare = true
	terms := lines("TERMS", 1, func(w int) []string {
		if !s.asNova() {
			return nil
		}
		return panel.TermLines(s.env.Styles, w, s.query)
	})
	terms.Note, terms.About = func() string { return "who added it" }, alone
	filters := table("PRE-FILTERS", "enter switches it   t form   u gate", 2, filterColumns(), about("WHAT IT DOES", s.filterDetail))
	list := table("", "enter allocates   x unfolds", 3, listColumns(), about("WHO GIVES WHAT, USED NOW > THEN", s.detailLines))
	follows := lines("", 3, func(w int) (out []string) {
		if s.ans.hidden != "" {
			out = component.Marked(s.env.Styles, w, 0, style.SeverityWarn, themes.Text, s.ans.hidden)
		}
		if text := s.conclusion(); text != "" {
			out = append(out, component.Marked(s.env.Styles, w, 0, style.SeverityOK, themes.Text, text)...)
		}
		return out
	})
	follows.Bare = true
	funnel := table("FUNNEL", "enter who was lost", 4, funnelColumns(), words)
	funnel.Note = func() string {
		if s.rows(sectionList) > 0 {
			return ""
		}
		return strings.ToUpper(s.ans.total())
	}
	ways := table("WAYS OUT", "enter try it", 4, wayColumns(), words)
	ways.Note = func() string { return "gives" }
	misses := table("", "enter provider", 5, missColumns(nil, 0), words)
	misses.Columns = func(w int) []component.Column { return missColumns(s.tests, w) } // their heads are as long as there is room
	fits := lines("HOW MANY MORE FIT", 6, s.fitLines)
	fits.About = alone
	s.page = page.Page{
		Styles: s.env.Styles, Scope: "whatif", WideW: 120, WideH: 26,
		Sections: []*page.Section{query, terms, filters, list, funnel, ways, misses, fits, fault, follows},
	}
	s.page.Rows = []page.Row{
		{Slots: []page.Slot{{Title: "QUERY", Sections: []*page.Section{query, fault}, Share: 1}}, Fits: true},
		{Slots: []page.Slot{page.Box(13, funnel), page.Box(7, ways)}, Fits: true},
		{Slots: []page.Slot{{Sections: []*page.Section{terms, filters, list, follows, misses, fits}, Share: 1}}},
		{Slots: []page.Slot{page.Box(1, s.page.Aside(true))}, Least: 7},
	}
}

// fill fills the tables: after each answer, and when other rows of it are to be shown.
// Each cursor stays on its row.
func (s *Screen) fill() {
	s.table(sectionFilters).Show(s.filterSource())
	if s.ans == nil {
		return
	}
	s.find()
	for i, source := range map[int]component.Rows{sectionList: s.listSource(), sectionFunnel: s.funnelSource(s.ans), sectionWays: s.waySource(), sectionMisses: s.missSource()} {
		s.table(i).Show(source)
	}
	s.table(sectionWays).Empty = component.Seg{Token: themes.Dim, Text: s.noWays()}
	s.table(sectionMisses).Empty = component.Seg{Token: themes.Dim, Text: s.noMisses()}
	s.page.Sections[sectionList].Title = strings.ToUpper(s.ans.total())
	misses := s.page.Sections[sectionMisses]
	misses.Title, misses.Told = s.missTitle(), s.stage >= 0
}

// table returns the table of a section.
func (s *Screen) table(i int) *component.Grid { return s.page.Sections[i].Grid }

// row returns the row under the cursor of a section, -1 for none.
func (s *Screen) row(i int) int {
	switch g := s.table(i); {
	case i == sectionQuery:
		group, _ := s.amountAt(s.cell)
		return group
	case g != nil:
		row, _ := g.Cursor()
		return row
	}
	return -1
}

// rows returns how many rows of a section the cursor can be on.
func (s *Screen) rows(i int) int {
	switch g := s.table(i); {
	case i == sectionQuery:
		return len(s.query.Groups)
	case g != nil:
		return g.Len()
	}
	return 0
}

// numbered names rows by position.
func numbered(row int) string { return fmt.Sprint(row) }
