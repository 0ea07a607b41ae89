package whatif

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// The sizes from which the screen has boxes side by side, and below which it shows only
// one section.
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
	case w >= wideFrom && room >= tallFrom-2:
		body = s.wide(w, room)
	case w < compactFrom || room < shortFrom-2:
		body = s.compact(w, room)
	default:
		body = s.small(w, room)
	}
	return component.Fit(component.Stack(component.Fit(body, w, room), strings.Join(foot, "\n")), w, h)
}

// waiting is shown before the first answer.
func (s *Screen) waiting(w, h int) string {
	if s.err != nil {
		return s.failure(w)
	}
	return component.Stack(strings.Join(s.queryLines(w, max(h-2, 1)), "\n"), "", panel.Text(s.env.Styles, w, themes.Dim, " asking"))
}

// failure says why the newest query has no answer.
func (s *Screen) failure(w int) string {
	l := component.NewLine(s.env.Styles, w).Space(1)
	l.Mark(style.SeverityCritical).Space(1)
	return l.Add(themes.Text, s.err.Error()).String()
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

// headline is the count of candidates with the time it took.
func (s *Screen) headline() string { return strings.ToUpper(s.ans.total()) }

// pane is what has most of the room: lines, and below them details of the row under the
// cursor.
type pane struct {
	title, right string
	keys         string // at the bottom of its box
	lines        func(w, h int) []string

	below, hint string                  // titles of the part below, "" for none
	detail      func(w, h int) []string // at most h lines
}

// pane returns what a section shows if it has most of the room.
func (s *Screen) pane(p section) pane {
	out := pane{title: p.title(), right: s.headline(), lines: func(w, h int) []string { return s.table(p, w, h) }}
	scrolled := func(draw func(w int) []string) func(w, h int) []string {
		return func(w, h int) []string { return strings.Split(s.text.View(s.env.Styles, w, h, draw(w)), "\n") }
	}
	switch {
	case s.fits:
		return pane{title: "HOW MANY MORE FIT", right: "f closes", keys: "f closes", lines: scrolled(s.fitLines)}
	case s.words:
		return pane{title: "IN WORDS", right: "W closes", keys: "W closes   C copy for a ticket", lines: scrolled(s.wordLines)}
	case p == sectionQuery:
		return pane{title: "EVERY TERM", right: "who added it", keys: "e edit", lines: s.termLines}
	case p == sectionFilters:
		out.keys, out.below, out.hint, out.detail = "enter switches it   t form   u gate", "WHAT IT DOES", "enter switches it", first(s.filterDetail)
	case p == sectionMisses:
		out.title, out.keys, out.below, out.hint, out.detail = s.missTitle(), "enter provider   W in words", "IN WORDS", "W all tests", s.brief
	case p == sectionList:
		out.title, out.right = s.headline(), ""
		out.lines = s.candidates
		out.keys, out.below, out.hint, out.detail = "x unfolds", "WHO GIVES WHAT", "used now > then", first(s.detailLines)
		if s.canAllocate() == nil {
			out.right, out.keys = "enter allocates", "enter allocates   "+out.keys
		}
	default:
		out.below, out.hint, out.detail = sectionWays.title(), "gives", s.waysBelow
	}
	return out
}

// first returns the lines that draw draws, as many as fit.
func first(draw func(w int) []string) func(w, h int) []string {
	return func(w, h int) []string {
		lines := draw(w)
		return lines[:min(len(lines), h)]
	}
}

// candidates is the list of them, and below it the hosts that the limit hides.
func (s *Screen) candidates(w, h int) []string {
	if s.ans.hidden == "" || h < 2 {
		return s.table(sectionList, w, h)
	}
	out := s.table(sectionList, w, h-1)
	out = append(out, make([]string, max(h-1-len(out), 0))...)
	l := component.NewLine(s.env.Styles, w)
	l.Mark(style.SeverityWarn).Space(1).Add(themes.Text, s.ans.hidden)
	return append(out, l.String())
}

// waysBelow draws the ways out below the funnel, and the nearest miss.
func (s *Screen) waysBelow(w, h int) []string {
	out := s.table(sectionWays, w, min(max(s.rows(sectionWays), 1), 4, h))
	if v, ok := s.told(); ok && len(out) < h {
		out = append(out, component.NewLine(s.env.Styles, w).Space(1).Add(themes.Dim, "nearest miss  ").Add(themes.Text, v.Words()).String())
	}
	return out
}

// small is the layout for 80 columns: the query, then the focused section.
func (s *Screen) small(w, h int) string {
	st := s.env.Styles
	out := s.queryLines(w, 4)
	if s.err != nil {
		out = append(out, s.failure(w))
	}
	p := s.pane(s.page())
	out = append(out, component.Titled(st, w, p.title, p.right))
	room := max(h-len(out)-1, 0) // the last line says where tab leads
	if p.detail != nil && room > 3 {
		detail := p.detail(w, room/2-1)
		out = append(out, p.lines(w, room-len(detail)-1)...)
		out = append(append(out, component.Titled(st, w, p.below, p.hint)), detail...)
	} else {
		out = append(out, p.lines(w, room)...)
	}
	return component.Stack(component.Fit(strings.Join(out, "\n"), w, h-1), s.tabs(w))
}

// page returns the section that has the room on a small screen.
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

// sectionNames are the names of the sections in tabs.
var sectionNames = [sections]string{"query", "filters", "candidates", "funnel", "ways out", "misses"} //nolint:gochecknoglobals // never changed

// tabs lists the sections, with the focused one marked and in another colour.
func (s *Screen) tabs(w int) string {
	l := component.NewLine(s.env.Styles, w).Space(1).Add(themes.Key, "tab")
	for p := range sections {
		if s.rows(p) == 0 {
			continue
		}
		name := sectionNames[p]
		l.Space(min(w/40, 2))
		if p == s.panel {
			l.Add(themes.Gutter, s.env.Styles.Glyphs.RowCursor).Add(themes.Accent, name)
			continue
		}
		l.Space(1).Add(themes.Dim, name)
	}
	return l.String()
}

// compact is the layout for the body of a terminal of 40x8.
func (s *Screen) compact(w, h int) string {
	st := s.env.Styles
	if h <= 1 {
		return panel.Text(st, w, themes.Strong, s.headline())
	}
	out := s.queryLines(w, 1)
	if h > 2 {
		out = append(out, component.Titled(st, w, s.headline(), ""))
	}
	out = append(out, s.pane(s.page()).lines(w, max(h-len(out), 0))...)
	return strings.Join(out, "\n")
}

// wide is the layout with boxes.
func (s *Screen) wide(w, h int) string {
	st := s.env.Styles
	box := func(on bool, p pane, bw, bh int) string {
		return component.Box{Title: p.title, Right: p.right, Footer: p.keys, Focused: on}.Render(st, bw, bh, strings.Join(p.lines(bw-4, bh-2), "\n"))
	}
	queryHeight := min(len(s.query.Groups)+1+len(s.wholeTerms()), 7) + 2
	query := box(s.panel == sectionQuery, pane{
		title: "QUERY", right: s.headline(), keys: "e edit   h l amount   c copy   C as command, in words", lines: s.queryTable,
	}, w, queryHeight)
	left := w * 64 / 100
	table := func(p section) func(w, h int) []string {
		return func(w, h int) []string { return s.table(p, w, h) }
	}
	upper := func(h int) string {
		return component.Beside(1,
			box(s.panel == sectionFunnel, pane{title: "FUNNEL", keys: "enter who was lost", lines: table(sectionFunnel)}, left, h),
			box(s.panel == sectionWays, pane{title: sectionWays.title(), right: "gives", keys: "enter try it", lines: table(sectionWays)}, w-left-1, h))
	}
	rest := h - queryHeight
	if s.words || s.fits {
		top, _, _ := s.heights(rest, 0, 0)
		top = min(top, max(rest*2/5, leastFunnel))
		return component.Stack(query, upper(top), box(true, s.pane(s.page()), w, rest-top))
	}
	shown := s.page()
	if shown == sectionFunnel {
		if shown = sectionMisses; s.rows(sectionList) > 0 {
			shown = sectionList
		}
	}
	main := s.pane(shown)
	main.keys += s.behind(shown)
	last := pane{title: main.below, right: main.hint, keys: "C copy for a ticket", lines: main.detail}
	switch {
	case s.err != nil:
		last.title, last.right, last.lines = "THE LAST QUERY GOT NO ANSWER", "", func(w, _ int) []string { return []string{s.failure(w)} }
	case last.lines == nil || s.panel != shown:
		last.title, last.right, last.lines = "IN WORDS", "", s.brief
	}
	rows := s.rows(shown)
	if shown == sectionQuery {
		rows = len(main.lines(w-4, rest))
	} else {
		rows++
	}
	if shown == sectionList && s.ans.hidden != "" {
		rows++
	}
	top, middle, words := s.heights(rest, rows, s.lowest(last, w, rest))
	return component.Stack(query, upper(top), box(s.panel == shown, main, w, middle), box(false, last, w, words))
}

// behind lists the sections that tab shows in place of one.
func (s *Screen) behind(shown section) string {
	out := ""
	for _, p := range []section{sectionFilters, sectionList, sectionMisses} {
		if p != shown && s.rows(p) > 0 {
			out += "   tab " + sectionNames[p]
		}
	}
	return out
}

// The least heights, in boxes, of the funnel, the main section, and the details of its
// row.
const leastFunnel, leastMain, leastLast = 7, 6, 4

// heights divides the lines among the funnel, the box of rows, and the box with details
// of a row: the one that needs least gets all of it first, and the rows get what is left.
func (s *Screen) heights(h, rows, said int) (top, middle, last int) {
	funnel := max(s.rows(sectionFunnel), s.rows(sectionWays)) + 3
	got := component.Share(h-leastFunnel-leastMain-leastLast, max(funnel-leastFunnel, 0), max(rows+2-leastMain, 0), max(said+2-leastLast, 0))
	top, last = leastFunnel+got[0], leastLast+got[2]
	return top, h - top - last, last
}

// said is what the lowest box has needed so far.
type said struct {
	ans  *answer
	of   string // its title
	w, h int
	most int
}

// lowest returns how many lines the lowest box needs: the most for any row that the
// cursor was on since the answer came, so that moving it moves no box, and at most a
// third.
func (s *Screen) lowest(p pane, w, h int) int {
	if now := (said{s.ans, p.title, w, h, s.said.most}); now != s.said {
		s.said = said{s.ans, p.title, w, h, 0}
	}
	s.said.most = max(s.said.most, len(p.lines(w-4, h/3)))
	return s.said.most
}
