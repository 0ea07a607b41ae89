package form

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// fieldEvent says what a key did to fields.
type fieldEvent uint8

const (
	fieldNone    fieldEvent = iota // nothing that matters outside
	fieldChanged                   // a text changed
	fieldSubmit                    // all texts are right, and somebody wants to go on
	fieldCancel                    // esc
)

// fields are fields below each other, one of which has the focus.
type fields struct {
	st  *style.Styles
	all []*field
	at  int
}

// newFields gives the focus to the first field without text, or to the last.
func newFields(st *style.Styles, all ...*field) *fields {
	fs := &fields{st: st, all: all}
	for fs.at < len(all)-1 && all[fs.at].text != "" {
		fs.at++
	}
	all[fs.at].focus()
	fs.refresh()
	return fs
}

// refresh asks for all notes and completions anew.
func (fs *fields) refresh() {
	for _, f := range fs.all {
		f.refresh()
	}
}

// focus gives the focus to field i, and goes round at the ends.
func (fs *fields) focus(i int) {
	fs.all[fs.at].blur()
	fs.at = (i + len(fs.all)) % len(fs.all)
	fs.all[fs.at].focus()
}

// key does what a key means to fields:
//
//	tab completes, or goes to the next field   shift+tab up down   enter goes on
func (fs *fields) key(msg tea.KeyMsg) fieldEvent {
	f := fs.all[fs.at]
	name := msg.String()
	if msg.Paste {
		name = ""
	}
	switch name {
	case "esc":
		return fieldCancel
	case "tab":
		if len(f.becoming) > 0 {
			f.set(f.becoming[0])
			return fieldChanged
		}
		fs.focus(fs.at + 1)
	case "down":
		fs.focus(fs.at + 1)
	case "shift+tab", "up":
		fs.focus(fs.at - 1)
	case "enter":
		return fs.enter()
	default:
		if f.key(msg) {
			return fieldChanged
		}
	}
	return fieldNone
}

// enter goes to the next field where this one is right, and on from the last
// where all are.
func (fs *fields) enter() fieldEvent {
	at := fs.at
	fs.all[at].blur()
	if fs.all[at].fault() != nil {
		fs.all[at].focus()
		return fieldNone
	}
	if at < len(fs.all)-1 {
		fs.focus(at + 1)
		return fieldNone
	}
	for i, f := range fs.all {
		f.blur()
		if f.fault() != nil {
			fs.at = i
			f.focus()
			return fieldNone
		}
	}
	fs.all[fs.at].focus()
	return fieldSubmit
}

// lines draws the fields, each with what is to be said about it below, and
// returns the lines of the one with the focus: the first, and the one after its
// last.
func (fs *fields) lines(w int) (lines []string, focus, end int) {
	for i, f := range fs.all {
		if i == fs.at {
			focus = len(lines)
		}
		lines = append(lines, f.line(w))
		switch ft := f.fault(); {
		case ft != nil:
			lines = append(lines, f.faultLines(ft, w)...)
		case i == fs.at:
			lines = append(lines, fs.below(f, w))
		}
		if i == fs.at {
			end = len(lines)
		}
	}
	return lines, focus, end
}

// below says about the field with the focus how its text may go on, what it
// means, or what belongs there.
func (fs *fields) below(f *field, w int) string {
	l := component.NewLine(fs.st, w).To(min(gutterWidth+labelWidth, w/4))
	if f.dropped != "" {
		return l.Add(themes.Warn, f.dropped).String()
	}
	if len(f.becoming) > 0 {
		l.Add(themes.Key, "tab")
		stem := lastWord(f.text)
		for i, text := range f.becoming {
			word := text[stem:]
			if l.Left() < component.Width(fs.st, word)+2 && i > 0 {
				break
			}
			t := themes.Dim
			if i == 0 {
				t = themes.Text
			}
			l.Space(2).Add(t, word)
		}
		return l.String()
	}
	token, text := themes.Faint, f.about
	if f.noted != "" {
		token, text = themes.Dim, f.noted
	}
	if component.Width(fs.st, text) > l.Left() {
		l.Reset(w).To(min(gutterWidth, w/4)) // the whole text counts for more than its column
	}
	return l.Add(token, text).String()
}

// lastWord returns where the last word of a text begins, in bytes.
func lastWord(text string) int { return strings.LastIndexAny(text, ", ") + 1 }

// window cuts lines to h, so that those from focus to the one before end are seen,
// the first of them before the others.
func window(lines []string, focus, end, h int) []string {
	if len(lines) <= h {
		return lines
	}
	top := min(focus-(h-2)/2, len(lines)-h)
	top = max(top, end-h)
	top = max(min(top, focus, len(lines)-h), 0)
	return lines[top : top+max(h, 0)]
}

// fieldHints draws the keys of a page with fields: narrow ones get shorter words,
// and how to leave comes before what there is no room for.
func fieldHints(st *style.Styles, w int) string {
	if w < sheet.CompactWidth {
		return sheet.Hints(st, w, "enter", "next", "esc", "cancel", "tab", "complete", "shift+tab", "back")
	}
	return sheet.Hints(st, w, "enter", "next", "tab", "complete, next", "shift+tab", "back", "esc", "cancel")
}
