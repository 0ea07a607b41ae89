package whatif

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// The sizes from which on the screen has boxes side by side, and below which it
// shows one section only.
const (
	wideFrom    = 120
	tallFrom    = 28
	compactFrom = 60
	shortFrom   = 12
)

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	foot := s.promptLines(w)
	foot = foot[:min(len(foot), max(h-1, 0))]
	room := h - len(foot)
	var body string
	switch {
	case s.ans == nil:
		body = s.waiting(w, room)
	case s.compare:
		body = s.compared(w, room)
	case w >= wideFrom && room >= tallFrom-2:
		body = s.wide(w, room)
	case w < compactFrom || room < shortFrom-2:
		body = s.compact(w, room)
	default:
		body = s.small(w, room)
	}
	return component.Fit(component.Stack(component.Fit(body, w, room), strings.Join(foot, "\n")), w, h)
}

// waiting is what shows before the first answer.
func (s *Screen) waiting(w, h int) string {
	if s.err != nil {
		return s.failure(w)
	}
	return component.Stack(strings.Join(s.queryLines(w, max(h-2, 1)), "\n"), "", panel.Text(s.env.Styles, w, themes.Dim, " asking"))
}

// failure says why the newest query has no answer.
func (s *Screen) failure(w int) string {
	l := component.NewLine(s.env.Styles, w).Space(1)
	component.SeverityMark(l, style.SeverityCritical).Space(1)
	return l.Add(themes.Text, s.err.Error()).String()
}

// promptLines is the query line while it is edited: the text, and what is wrong
// with it, from the character at fault on.
func (s *Screen) promptLines(w int) []string {
	if !s.typing {
		return nil
	}
	st := s.env.Styles
	l := component.NewLine(st, w)
	f := s.fault
	if f == nil {
		l.Space(1).Add(themes.Dim, "enter takes it   esc takes it back")
		s.suggest(l)
		return []string{l.String(), s.prompt.View(w)}
	}
	component.SeverityMark(l, style.SeverityCritical).Space(1)
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

// suggest draws what the last word may become, as far as there is room.
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

// headline is the count of candidates with the time that it took.
func (s *Screen) headline() string { return strings.ToUpper(s.ans.total()) }

// small is the layout for 80 columns: the query, then what the focus is on.
func (s *Screen) small(w, h int) string {
	st := s.env.Styles
	out := s.queryLines(w, 4)
	if s.err != nil {
		out = append(out, s.failure(w))
	}
	room := func() int { return max(h-len(out)-1, 0) } // the last line says where tab leads
	switch {
	case s.fits:
		out = append(out, component.Titled(st, w, "HOW MANY MORE FIT", "f closes"))
		out = append(out, s.scrolled(s.fitLines(w), room())...)
	case s.words:
		out = append(out, component.Titled(st, w, "IN WORDS", "W closes"))
		out = append(out, s.scrolled(s.wordLines(w), room())...)
	case s.page() == sectionQuery:
		out = append(out, component.Titled(st, w, "EVERY TERM", "who added it"))
		out = append(out, s.termLines(w, room())...)
	case s.page() == sectionFilters:
		out = append(out, s.filterRule(w))
		detail := s.filterDetail(w)
		detail = detail[:min(len(detail), max(room()-len(s.filterRows())-1, 0))]
		out = append(out, s.filterLines(w, max(room()-len(detail)-1, 1))...)
		out = append(out, component.Titled(st, w, "WHAT IT DOES", "enter switches it"))
		out = append(out, detail...)
	case s.page() == sectionMisses:
		out = append(out, component.Titled(st, w, s.missTitle(), s.headline()))
		words := s.brief(w, 3)
		out = append(out, component.Fit(strings.Join(s.missLines(w, max(room()-len(words)-1, 1)), "\n"), w, max(room()-len(words)-1, 1)))
		out = flat(out)
		out = append(out, component.Titled(st, w, "IN WORDS", "W all tests"))
		out = append(out, words...)
	case s.page() == sectionList:
		out = append(out, component.Titled(st, w, s.headline(), "enter allocates"))
		detail := s.detailLines(w)
		detail = detail[:min(len(detail), max(room()/2-1, 0))]
		list := max(room()-len(detail)-1, 1)
		out = append(out, component.Fit(strings.Join(s.listLines(w, list), "\n"), w, list))
		out = flat(out)
		out = append(out, component.Titled(st, w, "WHO GIVES WHAT", "used now > then"))
		out = append(out, detail...)
	default:
		ways := min(len(s.ans.why.Ways), 4)
		if ways == 0 {
			ways = 1
		}
		funnel := max(room()-ways-3, 2)
		funnel = min(funnel, s.rows(sectionFunnel)+1)
		out = append(out, s.funnelRule(w, s.headline()))
		out = append(out, component.Fit(strings.Join(s.funnelLines(s.ans, w, funnel, s.panel == sectionFunnel), "\n"), w, funnel))
		out = flat(out)
		out = append(out, component.Rule(st, w, component.Label{Text: sectionWays.title()}, component.Label{Text: "gives", At: -9}, component.Label{Text: "cost", At: -2}))
		out = append(out, s.wayLines(w, max(room()-1, 1))...)
		if v, ok := s.told(); ok && room() > 0 {
			out = append(out, component.NewLine(st, w).Space(1).Add(themes.Dim, "nearest miss  ").Add(themes.Text, v.Words()).String())
		}
	}
	return component.Stack(component.Fit(strings.Join(out, "\n"), w, h-1), s.tabs(w))
}

// flat splits the last block of a list of lines into its lines.
func flat(lines []string) []string {
	last := len(lines) - 1
	return append(lines[:last], strings.Split(lines[last], "\n")...)
}

// page is which section has the room of a small screen.
func (s *Screen) page() section {
	switch s.panel {
	case sectionQuery:
		if s.asNova() {
			return sectionQuery
		}
		return s.home()
	case sectionWays:
		return sectionFunnel
	default:
		return s.panel
	}
}

// tabs names the sections, the one with the focus in another colour and marked.
func (s *Screen) tabs(w int) string {
	l := component.NewLine(s.env.Styles, w).Space(1).Add(themes.Key, "tab")
	for p := range sections {
		if s.rows(p) == 0 {
			continue
		}
		name := [...]string{"query", "pre-filters", "candidates", "funnel", "ways out", "misses"}[p]
		l.Space(2)
		if p == s.panel {
			l.Add(themes.Gutter, s.env.Styles.Glyphs.RowCursor).Add(themes.Accent, name)
			continue
		}
		l.Space(1).Add(themes.Dim, name)
	}
	return l.String()
}

// compact is the layout for what is left of a terminal of 40x8.
func (s *Screen) compact(w, h int) string {
	st := s.env.Styles
	if h <= 1 {
		return panel.Text(st, w, themes.Strong, s.headline())
	}
	out := s.queryLines(w, 1)
	if h > 2 {
		out = append(out, component.Titled(st, w, s.headline(), ""))
	}
	room := max(h-len(out), 0)
	switch {
	case s.fits:
		out = append(out, s.scrolled(s.fitLines(w), room)...)
	case s.words:
		out = append(out, s.scrolled(s.wordLines(w), room)...)
	case s.page() == sectionQuery:
		out = append(out, s.termLines(w, room)...)
	case s.page() == sectionFilters:
		out = append(out, s.filterLines(w, room)...)
	case s.panel == sectionWays:
		out = append(out, s.wayLines(w, room)...)
	case s.page() == sectionMisses:
		out = append(out, s.missLines(w, room)...)
	case s.page() == sectionList:
		out = append(out, s.listLines(w, room)...)
	default:
		out = append(out, s.funnelLines(s.ans, w, room, s.panel == sectionFunnel)...)
	}
	return strings.Join(out, "\n")
}

// wide is the layout with boxes.
func (s *Screen) wide(w, h int) string {
	st := s.env.Styles
	box := func(p section, title, right, footer string, bw, bh int, lines []string) string {
		return component.Box{Title: title, Right: right, Footer: footer, Focused: s.panel == p}.Render(st, bw, bh, strings.Join(lines, "\n"))
	}
	queryHeight := min(len(s.query.Groups)+1+len(s.wholeTerms()), 7) + 2
	query := box(sectionQuery, "QUERY", s.headline(), "e edit   h l amount   c copy   C as command, in words   z undo", w, queryHeight, s.queryTable(w-4, queryHeight-2))
	rest := h - queryHeight
	words := max(rest/5, 5)
	top := min(len(s.ans.why.Stages)+4, (rest-words)/2)
	top = max(top, 8)
	middle := rest - words - top
	left := w * 64 / 100
	ways := box(sectionWays, sectionWays.title(), "gives  cost", "enter try it   z undo", w-left-1, top, s.wayLines(w-left-5, top-2))
	funnel := box(sectionFunnel, "FUNNEL", "log scale", "enter who was lost", left, top, s.funnelLines(s.ans, left-4, top-2, s.panel == sectionFunnel))
	if s.words || s.fits {
		page := component.Box{Title: "IN WORDS", Footer: "W closes   C copy for a ticket", Focused: true}
		lines := s.wordLines
		if s.fits {
			page.Title, page.Footer, lines = "HOW MANY MORE FIT", "f closes", s.fitLines
		}
		return component.Stack(query, component.Beside(1, funnel, ways),
			page.Render(st, w, middle+words, strings.Join(s.scrolled(lines(w-4), middle+words-2), "\n")))
	}
	var main string
	switch {
	case s.page() == sectionQuery:
		main = box(sectionQuery, "EVERY TERM", "who added it", "e edit", w, middle, s.termLines(w-4, middle-2))
	case s.panel == sectionFilters:
		main = box(sectionFilters, sectionFilters.title(), s.headline(), "enter switches it   o form   u gate", w, middle, s.filterLines(w-4, middle-2))
	case s.panel != sectionMisses && s.rows(sectionList) > 0:
		main = box(sectionList, sectionList.title(), s.headline(), "enter allocates   space unfolds", w, middle, s.listLines(w-4, middle-2))
	default:
		main = box(sectionMisses, s.missTitle(), "", "enter provider   W in words", w, middle, s.missLines(w-4, middle-2))
	}
	title, lines := "IN WORDS", s.brief(w-4, words-2)
	if s.panel == sectionList {
		title, lines = "WHO GIVES WHAT", s.detailLines(w-4)
	}
	if s.panel == sectionFilters {
		title, lines = "WHAT IT DOES", s.filterDetail(w-4)
	}
	if s.err != nil {
		title, lines = "THE LAST QUERY GOT NO ANSWER", []string{s.failure(w - 4)}
	}
	last := component.Box{Title: title, Footer: "C copy for a ticket"}.Render(st, w, words, strings.Join(lines, "\n"))
	return component.Stack(query, component.Beside(1, funnel, ways), main, last)
}

// compared is the funnel of the query before beside that of this one.
func (s *Screen) compared(w, h int) string {
	st := s.env.Styles
	if len(s.undo) == 0 || s.undo[len(s.undo)-1].ans == nil {
		return panel.Text(st, w, themes.Dim, " there is no query before this one")
	}
	old := s.undo[len(s.undo)-1].ans
	one := func(a *answer, name string, w, h int) string {
		lines := []string{component.Titled(st, w, name, strings.ToUpper(a.total()))}
		for _, part := range wrapText(a.query.Words(), w-1) {
			if len(lines) < 4 {
				lines = append(lines, panel.Text(st, w, themes.Dim, " "+part))
			}
		}
		lines = append(lines, s.funnelRule(w, ""))
		lines = append(lines, s.funnelLines(a, w, max(h-len(lines), 1), false)...)
		return component.Fit(strings.Join(lines, "\n"), w, h)
	}
	if w < 100 {
		half := max(h/2, 1)
		return component.Stack(one(old, "BEFORE", w, half), one(s.ans, "NOW", w, max(h-half, 1)))
	}
	half := (w - 2) / 2
	return component.Beside(2, one(old, "BEFORE", half, h), one(s.ans, "NOW", w-2-half, h))
}

// wrapText breaks text at spaces into lines of at most w bytes, more where a word
// is longer.
func wrapText(text string, w int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > w {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// window returns which of n rows to draw on h lines so that the cursor is seen.
func window(n, cursor, h int) (from, to int) {
	h = max(h, 0)
	from = max(min(cursor-h/2, n-h), 0)
	return from, min(from+h, n)
}
