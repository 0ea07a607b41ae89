package list

import (
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	if s.src != nil {
		s.src.at.Now = s.env.Now()
	}
	if narrow := w < tightTo; narrow != s.narrow {
		s.narrow = narrow
		s.setColumns()
	}
	line := s.lineView(w, h)
	h -= len(line)
	top := s.top(w, h)
	s.topRows = len(top)
	return strings.Join(append(append(top, s.lay(w, h-len(top))), line...), "\n")
}

// belowRows returns how many of h lines are about the row under the cursor: also all that
// the rows leave free, counting those hidden by a filter, so that nothing moves while one
// is typed.
func (s *Screen) belowRows(h int) int {
	return max(s.leastBelow(h), h-1-max(len(s.src.all), len(s.src.shown)))
}

// leastBelow returns how many of h lines are about the row under the cursor at least.
func (s *Screen) leastBelow(h int) int {
	switch {
	case s.form.Lines > 0 && (!s.form.Half || h < halfFrom):
		return s.form.Lines
	case s.form.Half:
		return h / 2
	}
	return min(max(h/4, 5), mostBelow)
}

// mostBelow is how many lines about a row are taken from the list at most.
const mostBelow = 8

// halfFrom is the number of lines from which the lines about a row get half of them, if
// their number is fixed otherwise.
const halfFrom = 24

// tightTo is the largest width at which a list is narrow, in cells.
const tightTo = 60

// topFrom is how many lines the list keeps below those above it.
const topFrom = 4

// top draws the lines above the list, as many as fit: first those that say that the list
// is incomplete.
func (s *Screen) top(w, h int) []string {
	if s.src == nil {
		return nil
	}
	room := max(h-topFrom, 0)
	var lines []string
	if len(s.src.all) > 0 {
		for _, why := range s.unread() {
			lines = append(lines, panel.Text(s.env.Styles, w, themes.Warn, " not all read: "+why))
		}
	}
	if s.form.Top != nil {
		on := -1
		if _, i, ok := s.current(); ok {
			on = i
		}
		lines = append(lines, s.form.Top(s.src.all, on, Area{At: s.src.at, Styles: s.env.Styles, Width: w, Height: max(room-len(lines), 0)})...)
	}
	return lines[:min(len(lines), room)]
}

// drawList draws the rows, or why there are none.
func (s *Screen) drawList(w, h int) string {
	st := s.env.Styles
	switch {
	case s.src != nil && len(s.src.shown) > 0:
		return s.grid.View(w, h)
	case s.src == nil:
		what := strings.ReplaceAll("reading "+s.count()+" "+s.form.Name, "  ", " ")
		return screen.State(st, w, h, style.SeverityNone, screen.LabelLoading, what)
	case len(s.src.all) == 0 && len(s.unread()) > 0:
		return screen.State(st, w, h, style.SeverityWarn, screen.LabelUnread, s.unread()...)
	case len(s.src.all) == 0 && s.form.Nothing != nil:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, s.form.Nothing()...)
	case len(s.src.all) == 0 && len(s.form.Empty) > 0:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, s.form.Empty...)
	case len(s.src.all) == 0:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, "there are no "+s.form.Name)
	}
	if s.form.Unmatched != nil {
		if lines := s.form.Unmatched(s.src.wish.expr); lines != nil {
			return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, lines...)
		}
	}
	filter := ""
	if s.src.wish.expr != "" {
		filter = "  /" + s.src.wish.expr
	}
	if s.form.Also.expr(s.src.wish.also) != "" {
		filter += "  " + s.form.Also.word(s.src.wish.also)
	}
	lines, none := []string{"no " + s.form.Thing + " matches" + filter}, []string{s.src.wish.expr}
	if leaves := s.src.leaves; len(leaves) > 1 {
		none = nil
		for _, l := range leaves {
			lines = append(lines, l.part+" leaves "+component.Count(l.n))
			if l.n == 0 {
				none = append(none, l.part)
			}
		}
	}
	for _, part := range none {
		if meant := s.meant(part); meant != "" {
			lines = append(lines, meant)
		}
	}
	if s.form.FilterHelp != "" && s.wordsOnly() {
		lines = append(lines, "what it takes: "+s.form.FilterHelp)
	}
	lines = append(lines, "try: esc clears the filter ("+s.count()+" without it)")
	return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, lines...)
}

// wordsOnly reports whether the filter names no field, and is no other expression: whoever
// typed it may not know what it takes.
func (s *Screen) wordsOnly() bool {
	return s.src.wish.expr != "" && !strings.ContainsAny(s.src.wish.expr, `=<>:!~()|"*@`)
}

// unread returns which of the parts of the cloud that the list depends on were not read,
// or not completely, and why.
func (s *Screen) unread() []string {
	if s.form.kind == nil {
		return nil
	}
	var lines []string
	for _, part := range s.form.kind.Lacking() {
		if why := s.snap.Gap(part); why != "" {
			lines = append(lines, string(part)+": "+why)
		}
	}
	return lines
}

// below draws the lines about the row under the cursor.
func (s *Screen) below(w, h int) string {
	at, i, _ := s.current()
	title, note := s.title(i, at)
	area := Area{At: at, Styles: s.env.Styles, Width: w, Height: h - 1}
	lines := append([]string{component.Titled(area.Styles, w, title, note)}, s.detail(i, area)...)
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// beside draws the pane about the row under the cursor.
func (s *Screen) beside(w, h int) panel.Pane {
	at, i, _ := s.current()
	title, note := s.title(i, at)
	box := component.Box{Title: title, Right: note}
	iw, ih := box.Inner(w, h)
	st := s.env.Styles
	var lines []string
	if component.Width(st, title) > iw-2 { // the frame has only the start of it
		lines = component.Paragraph(st, iw, 1, themes.Strong, title)
	}
	if box.Right != "" && component.Width(st, title)+component.Width(st, note) > iw-4 { // the frame has no room for both
		lines, box.Right = append(lines, panel.Text(st, iw, themes.Faint, " "+note)), ""
	}
	lines = append(lines, s.detail(i, Area{At: at, Styles: s.env.Styles, Width: iw, Height: ih - len(lines), Beside: true})...)
	return panel.Pane{Box: box, Width: w, Lines: lines}
}
