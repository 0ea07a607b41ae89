package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// The sizes at which the layout changes, in cells.
const (
	minWidth   = 40
	minHeight  = 8
	compactW   = 60 // below this it is compact
	compactH   = 16 // below this it is compact
	wideW      = 120
	footerRows = 2
)

// frame draws what the terminal shows.
type frame struct {
	size      *size
	styles    *style.Styles
	header    *header
	keys      *keys
	stack     *stack
	messages  *messages
	presenter *presenter
	text      string
}

// render draws the frame. It runs at the end of each Update, so that it can answer a
// panic in a screen's View with a command.
func (f *frame) render() tea.Cmd {
	w, h := f.size.width, f.size.height
	if w <= 0 || h <= 0 {
		f.text = ""
		return nil
	}
	if w < minWidth || h < minHeight {
		need := fmt.Sprintf("placetop needs %dx%d, this is %dx%d", minWidth, minHeight, w, h)
		lines := []string{component.NewLine(f.styles, w).Add(themes.Warn, need).String()}
		if toast := f.messages.last(w); toast != "" {
			lines = append([]string{toast}, lines...)
		}
		f.text = component.Fit(strings.Join(lines, "\n"), w, h)
		return nil
	}
	footer := footerRows
	if f.size.compact() {
		footer = 1
	}
	bar := 0
	if f.presenter.walk != nil {
		bar = f.presenter.walk.Rows(w, h)
	}
	h -= headRows + footer + bar
	lines := f.head(w)
	var cmd tea.Cmd
	if e := f.stack.top(); e == nil {
		lines = append(lines, component.Fit("", w, h))
	} else {
		cmd = e.draw(w, h, f.styles.Version())
		lines = append(lines, e.body)
	}
	if bar > 0 {
		lines = append(lines, f.presenter.bar(w, bar))
	}
	first, last := f.footer()
	if lines = append(lines, first); !f.size.compact() {
		lines = append(lines, last)
	}
	f.text = strings.Join(lines, "\n")
	return cmd
}

// headRows is how many lines are above the body.
const headRows = 2

// head draws the lines above the body.
func (f *frame) head(w int) []string {
	lines := []string{f.header.line(), f.crumbLine()}
	if toast := f.messages.last(w); toast != "" && f.keys.prompt.open && f.size.compact() { // the prompt takes the only line at the bottom
		lines[len(lines)-1] = toast
	}
	return lines
}

// size is that of the terminal, in cells.
type size struct{ width, height int }

func (s *size) compact() bool { return s.width < compactW || s.height < compactH }

// crumbLine draws the crumbs and the screen's status. If that is too long, it leaves out
// the first crumbs, then parts of the status, the last first.
func (f *frame) crumbLine() string {
	st := f.styles
	var titles []string
	for _, e := range f.stack.entries {
		titles = append(titles, e.title())
	}
	statusText, token := status(f.stack.under()), themes.Dim
	if f.stack.overlay != nil {
		statusText, token = f.stack.overlay.screen.Title(), themes.CrumbHere
	}
	margin := []component.Seg{seg(themes.Blank, " ")}
	if f.size.compact() {
		margin = nil
		titles = titles[max(len(titles)-1, 0):]
	}
	room := f.size.width - 2*len(margin) - 2
	shown := shorten(st, titles, room-component.Width(st, statusText))
	for statusText != "" && crumbsWidth(st, shown) > room-component.Width(st, statusText) {
		statusText = shorterStatus(statusText)
		shown = shorten(st, titles, room-component.Width(st, statusText))
	}
	left := margin
	for i, title := range shown {
		t := themes.Crumb
		if i == len(shown)-1 {
			t = themes.CrumbHere
		}
		if i > 0 {
			left = append(left, seg(themes.Crumb, crumbJoin))
		}
		left = append(left, seg(t, title))
	}
	var right []component.Seg
	if statusText != "" {
		right = append([]component.Seg{seg(token, statusText)}, margin...)
	}
	return component.Spread(st, f.size.width, left, right)
}

// shorterStatus leaves out the last part of a status; if there is only one, what follows
// its colon: the number of marked rows matters more than their sums.
func shorterStatus(statusText string) string {
	if at := strings.LastIndex(statusText, screen.StatusGap); at >= 0 {
		return statusText[:at]
	}
	return statusText[:max(strings.Index(statusText, ": "), 0)]
}

// seg returns a text in its colour.
func seg(t themes.Token, text string) component.Seg { return component.Seg{Token: t, Text: text} }

// crumbJoin separates crumbs.
const crumbJoin = " > "

func crumbsWidth(st *style.Styles, titles []string) int {
	return component.Width(st, strings.Join(titles, crumbJoin))
}

// shorten replaces the first crumbs by an ellipsis until the others fit. It always keeps
// the last.
func shorten(st *style.Styles, titles []string, room int) []string {
	for n := range titles {
		short := titles
		if n > 0 {
			short = append([]string{st.Glyphs.Ellipsis}, titles[n:]...)
		}
		if n == len(titles)-1 || crumbsWidth(st, short) <= room {
			return short
		}
	}
	return titles
}

// footer draws the last lines: the prompt or the newest toast, and hints. A compact
// layout has only the first.
func (f *frame) footer() (first, last string) {
	st, w := f.styles, f.size.width
	toast := f.messages.last(w)
	if f.keys.prompt.open {
		first = component.Fit(f.keys.prompt.line.View(w), w, 1)
	}
	here, everywhere := f.keys.actions.now()
	here, everywhere = action.Able(here, f.keys.live.can), action.Able(everywhere, f.keys.live.can)
	mains := action.Footer(slices.DeleteFunc(f.mainHints(), func(a action.Action) bool { return action.Has(here, a.Keys.First()) }))
	if f.keys.typing() { // keys are text
		here, everywhere, mains = nil, f.typingHints(), nil
	}
	if f.size.compact() {
		if says := cmp.Or(first, toast); says != "" {
			return says, ""
		}
		if statusText := status(f.stack.overlay); statusText != "" {
			return component.NewLine(st, w).Add(themes.KeyHint, statusText).String(), ""
		}
		return f.hints(action.Footer(here, everywhere)), ""
	}
	own := action.Footer(here)
	if toast != "" && (f.keys.prompt.open || len(own) > 0) { // a toast stays for a while, and covers only hints that are the same everywhere
		return cmp.Or(first, f.hints(own)), toast
	}
	first = cmp.Or(first, toast, f.hints(own))
	if statusText := status(f.stack.overlay); statusText != "" {
		return first, component.NewLine(st, w).Space(1).Add(themes.KeyHint, statusText).String()
	}
	// Back, help and the like come before the main screens, which may not all fit into
	// the line.
	second := action.Footer(everywhere)
	most := min(len(second), leading)
	second = slices.Concat(second[:most], mains, second[most:])
	return first, f.hints(second)
}

// leading is how many of the dashboard's own hints precede those of the main screens.
const leading = 3

// typingHints returns what the dashboard's own keys do while keys are text. What enter
// and esc do in an input of a screen only the screen can say.
func (f *frame) typingHints() []action.Action {
	if f.keys.prompt.open {
		return []action.Action{
			{Keys: "enter", Title: "run", Priority: 4},
			{Keys: "tab", Title: "complete", Priority: 3},
			{Keys: "esc", Title: "close", Priority: 2},
		}
	}
	title := "quit"
	if f.keys.closes() {
		title = "close"
	}
	return []action.Action{{Keys: "ctrl+c", Title: title, Priority: 1}}
}

// mainHints returns the main screens as actions for the footer.
func (f *frame) mainHints() []action.Action {
	mains := f.stack.screens.mains()
	if len(mains) < 2 {
		return nil
	}
	var list []action.Action
	for _, m := range mains {
		list = append(list, action.Action{ID: goToID(m), Keys: action.Keys(m.Keys[0]), Title: m.Title, Priority: 1})
	}
	return f.keys.actions.bindings.Apply(list)
}

// hints draws keys with their meaning, as many as fit.
func (f *frame) hints(list []*action.Action) string {
	l := component.NewLine(f.styles, f.size.width)
	if !f.size.compact() {
		l.Space(1)
	}
	var pairs []string
	for _, act := range list {
		if act.Disabled == "" {
			pairs = append(pairs, act.Label(), act.Title)
		}
	}
	return component.Keys(l, pairs...).String()
}
