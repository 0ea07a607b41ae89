package form

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Event says what a key did to fields.
type Event uint8

// The effects of a key.
const (
	None      Event = iota // nothing that matters outside
	Changed                // a text changed
	Submitted              // all texts are right, and the user wants to continue
	Cancelled              // esc
)

// Fields are fields below each other, one of which has the focus.
type Fields struct {
	st  *style.Styles
	All []*Field
	At  int
}

// NewFields gives the focus to the first field without text, or to the last.
func NewFields(st *style.Styles, all ...*Field) *Fields {
	fs := &Fields{st: st, All: all}
	for fs.At < len(all)-1 && all[fs.At].Text != "" {
		fs.At++
	}
	all[fs.At].focus()
	fs.Refresh()
	return fs
}

// Refresh asks for all notes and completions again.
func (fs *Fields) Refresh() {
	for _, f := range fs.All {
		f.Refresh()
	}
}

// Focus makes the form begin at field i. Nothing was typed yet, so nothing is
// checked.
func (fs *Fields) Focus(i int) {
	fs.All[fs.At].blur()
	fs.At = i
	fs.All[fs.At].focus()
}

// leave checks the focused field and gives the focus to field i, wrapping around at the
// ends.
func (fs *Fields) leave(i int) {
	fs.All[fs.At].leave()
	fs.Focus((i + len(fs.All)) % len(fs.All))
}

// key handles a key:
//
//	tab completes, or goes to the next field   shift+tab up down   enter goes on
func (fs *Fields) key(msg tea.KeyMsg) Event {
	f := fs.All[fs.At]
	name := msg.String()
	if msg.Paste {
		name = ""
	}
	switch name {
	case "esc":
		return Cancelled
	case "tab":
		if len(f.becoming) > 0 && f.tabs() {
			f.set(f.becoming[0])
			return Changed
		}
		fs.leave(fs.At + 1)
	case "down":
		fs.leave(fs.At + 1)
	case "shift+tab", "up":
		fs.leave(fs.At - 1)
	case "enter":
		return fs.enter()
	default:
		if f.key(msg) {
			return Changed
		}
	}
	return None
}

// enter goes to the next field if this one is right, and leaves the last one if all are.
func (fs *Fields) enter() Event {
	at := fs.At
	fs.All[at].leave()
	if fs.All[at].fault() != nil {
		fs.All[at].focus()
		return None
	}
	if at < len(fs.All)-1 {
		fs.Focus(at + 1)
		return None
	}
	return fs.submit()
}

// submit leaves the fields if all are right, else it goes to the first that is not.
func (fs *Fields) submit() Event {
	for i, f := range fs.All {
		f.leave()
		if f.fault() != nil {
			fs.Focus(i)
			return None
		}
	}
	fs.All[fs.At].focus()
	return Submitted
}

// lines draws the fields, each with its notes below, and returns the range of lines of
// the focused one.
func (fs *Fields) lines(w int) (lines []string, focus, end int) {
	for i, f := range fs.All {
		if i == fs.At {
			focus = len(lines)
		}
		lines = append(lines, f.line(w))
		switch ft := f.fault(); {
		case ft != nil:
			lines = append(lines, f.faultLines(ft, w)...)
		case i == fs.At:
			lines = append(lines, fs.below(f, w)...)
		}
		if i == fs.At {
			end = len(lines)
		}
	}
	return lines, focus, end
}

// below draws the completions of the focused field, what its text means, or what belongs
// there.
func (fs *Fields) below(f *Field, w int) []string {
	l := component.NewLine(fs.st, w).To(min(GutterWidth+LabelWidth, w/4))
	if f.dropped != "" {
		return []string{l.Add(themes.Warn, f.dropped).String()}
	}
	if len(f.becoming) > 0 {
		if f.tabs() {
			l.Add(themes.Key, "tab")
		} else {
			l.Add(themes.Faint, "empty, or")
		}
		stem := LastWord(f.Text)
		const all = "  ^l all"
		for i, text := range f.becoming {
			word := text[stem:]
			if i > 0 && f.noted != "" {
				break
			}
			if i > 0 && l.Left() < component.Width(fs.st, word)+2+len(all) {
				l.Space(2).Add(themes.Key, "^l").Space(1).Add(themes.Dim, "all")
				break
			}
			t := themes.Dim
			if i == 0 {
				t = themes.Text
			}
			l.Space(2).Add(t, word)
		}
		if f.noted != "" { // the text is a name in full, and the start of another one
			l.Space(3).Add(themes.Dim, f.noted)
		}
		return []string{l.String()}
	}
	token, text := themes.Faint, f.about
	if f.noted != "" {
		token, text = themes.Dim, f.noted
	}
	if component.Width(fs.st, text) > l.Left() {
		l.Reset(w).To(min(GutterWidth, w/4)) // seeing all of it matters more than its column
	}
	at := l.Pos()
	var lines []string
	for _, part := range component.Wrap(fs.st, text, max(l.Left(), 1)) {
		lines = append(lines, l.Add(token, part).String())
		l.Reset(w).To(at)
	}
	return lines
}

// tabs reports whether tab completes the text: not where a field may stay empty, as who
// goes through the fields with tab would leave it filled.
func (f *Field) tabs() bool {
	return f.Text != "" || !f.Optional && f.Check != nil && f.Check("") != nil
}

// LastWord returns where the last word of a text begins, in bytes.
func LastWord(text string) int { return strings.LastIndexAny(text, ", ") + 1 }

// window cuts lines to h, so that those from focus to before end are visible, the first
// of them if not all fit.
func window(lines []string, focus, end, h int) []string {
	if len(lines) <= h {
		return lines
	}
	top := min(focus-(h-2)/2, len(lines)-h)
	top = max(top, end-h)
	top = max(min(top, focus, len(lines)-h), 0)
	return lines[top : top+max(h, 0)]
}

// fieldHints draws the keys of a page with fields that lead to a goal: narrow pages get
// shorter words, and how to leave comes before hints that may not fit.
func fieldHints(st *style.Styles, w int, goal string) string {
	if w < panel.CompactWidth {
		return panel.Hints(st, w, "enter", "next", "^s", goal, "esc", "cancel", "tab", "complete")
	}
	return panel.Hints(st, w, "enter", "next", "tab", "complete, next", "^s", goal, "esc", "cancel")
}
