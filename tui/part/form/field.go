package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// LabelWidth is the column of the text of a field, in cells.
const LabelWidth = 11

// GutterWidth is the width in cells of what is left of a field: the mark of the one
// with the focus, and a space.
const GutterWidth = 2

// Fault is what is wrong with the text of a field, and where.
type Fault struct {
	At   int // the character where the wrong word begins, from 0
	Text string
}

// Error implements error.
func (f *Fault) Error() string { return f.Text }

// Field is a line of a form: an input of one line with its label, and below it what is
// wrong with the text, what it means, or how it may continue.
type Field struct {
	Label string
	about string // what belongs here
	// Check returns what is wrong with a text; a *Fault points at the word.
	Check func(text string) error
	// Note returns the meaning of a text; nil for none.
	Note func(text string) string
	// Complete returns what a text may become, whole and the best first; nil for
	// nothing.
	Complete func(text string) []string

	// Optional is set where the field may stay empty though Check refuses that: as the last
	// one, it checks the whole form.
	Optional bool
	// Grows is set where the initial text is only a beginning, such as that of a name:
	// what is typed is appended.
	Grows bool

	st     *style.Styles
	in     textinput.Model
	Text   string
	limit  int    // the most characters that can be typed
	err    error  // what was wrong with the text when last checked
	given  string // the initial text
	chosen bool   // the initial text is selected: what is typed replaces it

	// What note and complete returned for the text.
	noted    string
	becoming []string
	dropped  string // which characters of the last key or paste were not taken, in words
}

// NewField returns a field without the focus. Limit is the most characters that
// may be typed; a text that is put in may be longer.
func NewField(st *style.Styles, label, about, text string, limit int) *Field {
	f := &Field{Label: label, about: about, st: st, Text: text, given: text, limit: limit, in: textinput.New()}
	f.in.Prompt = ""
	f.in.Cursor.SetMode(cursor.CursorStatic)
	f.put(text)
	return f
}

// put sets a text that was not typed. It is kept whole, however long: what is cut off
// here would be deleted from the cloud when the form is written.
func (f *Field) put(text string) {
	f.limit = max(f.limit, utf8.RuneCountInString(text))
	f.in.CharLimit = f.limit
	f.in.SetValue(text)
}

// set replaces the text, with the cursor at its end.
func (f *Field) set(text string) {
	f.put(text)
	f.in.CursorEnd()
	f.Text, f.err, f.chosen = f.in.Value(), nil, false
	f.Refresh()
}

// Refresh asks again what the text stands for and how it may continue: after a
// key, and when the data that the answers come from has changed.
func (f *Field) Refresh() {
	f.noted = ""
	if f.Note != nil {
		f.noted = f.Note(f.Text)
	}
	f.becoming = slices.DeleteFunc(slices.Clone(f.options(f.Text)), func(c string) bool { return c == f.Text })
}

// options returns what a text may become, the best first.
func (f *Field) options(text string) []string {
	if f.Complete == nil {
		return nil
	}
	return f.Complete(text)
}

// focus gives the field the keys. An initial text is selected, as in any form: what is
// typed replaces it, and an arrow keeps it.
func (f *Field) focus() {
	f.in.Focus()
	f.chosen = f.Text != "" && f.Text == f.given && !f.Grows
}

// blur removes the focus.
func (f *Field) blur() {
	f.in.Blur()
	f.chosen = false
}

// leave removes the focus and checks the text.
func (f *Field) leave() {
	f.blur()
	f.Text, f.err = f.in.Value(), nil
	if f.Check != nil {
		f.err = f.Check(f.Text)
	}
}

// fault returns what was wrong with the text when last checked.
func (f *Field) fault() *Fault {
	if f.err == nil {
		return nil
	}
	if at, ok := errors.AsType[*Fault](f.err); ok {
		return at
	}
	return &Fault{Text: f.err.Error()}
}

// key handles a key or a paste, and reports whether the text changed.
func (f *Field) key(msg tea.KeyMsg) bool {
	switch {
	case msg.Paste:
		// Only text goes in: a paste may contain colours.
		msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(ansi.Strip(string(msg.Runes))), Paste: true}
		if len(msg.Runes) == 0 {
			return false
		}
	case msg.String() == "ctrl+v":
		return false // would read the clipboard of the machine that placetop runs on
	}
	before := f.Text
	if msg, f.dropped = withoutUnseen(msg, f.beforeCursor()); f.dropped != "" && len(msg.Runes) == 0 {
		return true
	}
	f.err = nil
	f.replace(msg)
	if n := f.tooMany(msg); n > 0 {
		f.dropped = fmt.Sprintf("cut off %d at the end: at most %d characters", n, f.limit)
	}
	f.in, _ = f.in.Update(msg) // its command would make the cursor blink
	if f.Text = f.in.Value(); f.Text == before {
		return f.dropped != ""
	}
	f.Refresh()
	return true
}

// replace empties a selected text if a key replaces it, and ends the selection.
func (f *Field) replace(msg tea.KeyMsg) {
	if !f.chosen {
		return
	}
	f.chosen = false
	if component.Replaces(msg) {
		f.in.Reset()
	}
}

// tooMany returns how many characters of a key or a paste do not fit into the text.
func (f *Field) tooMany(msg tea.KeyMsg) int {
	if len(msg.Runes) == 0 || msg.Alt && !msg.Paste {
		return 0
	}
	return max(utf8.RuneCountInString(f.in.Value())+len(msg.Runes)-f.limit, 0)
}

// beforeCursor returns the character before the cursor, 0 if there is none.
func (f *Field) beforeCursor() rune {
	if at := f.in.Position(); at > 0 && !f.chosen {
		return []rune(f.in.Value())[at-1]
	}
	return 0
}

// withoutUnseen removes characters that would be invisible from a key or a paste, which goes
// after the character prev, and returns in words which. Line breaks and tabs become spaces in
// the input.
func withoutUnseen(msg tea.KeyMsg, prev rune) (tea.KeyMsg, string) {
	if msg.Type != tea.KeyRunes {
		return msg, ""
	}
	var runes []rune
	var left []string
	for _, r := range msg.Runes {
		if !versioned.Unseen(r) || r == '\n' || r == '\r' || r == '\t' || versioned.Joins(prev, r) {
			runes, prev = append(runes, r), r
		} else if code := fmt.Sprintf("%U", r); !slices.Contains(left, code) {
			left = append(left, code)
		}
	}
	if len(left) == 0 {
		return msg, ""
	}
	msg.Runes = runes
	const most = 3
	said := strings.Join(left[:min(len(left), most)], ", ")
	if len(left) > most {
		said += ", ..."
	}
	return msg, "left out " + said + ": an invisible character"
}

// line draws label and text on w cells.
func (f *Field) line(w int) string {
	l := component.NewLine(f.st, GutterWidth+LabelWidth)
	label := themes.Dim
	if f.in.Focused() {
		l.Add(themes.BorderFocus, f.st.Glyphs.Vertical)
		label = themes.Title
	}
	l.To(GutterWidth).Add(label, f.Label)
	f.lay(w)
	component.StyleInput(f.st, &f.in)
	if f.chosen {
		f.in.TextStyle = f.st.Lipgloss(themes.Selected)
	}
	return component.Fit(l.String()+printed(f.st, f.in.View()), w, 1)
}

// lay sets the width of the text on a line of w cells. Of a wider text the part around
// the cursor is shown.
func (f *Field) lay(w int) {
	room := max(min(w-GutterWidth-LabelWidth-1, f.limit), 0)
	if f.in.Width == room {
		return
	}
	f.in.Width = room
	at := f.in.Position()
	f.in.SetValue(f.Text)
	f.in.SetCursor(at)
}

// faultLines draws what is wrong on lines of w cells: below the wrong word if there is
// room, else on as many lines as it takes.
func (f *Field) faultLines(ft *Fault, w int) []string {
	need := component.Width(f.st, ft.Text) + 2
	at := GutterWidth + LabelWidth
	if w < at+need {
		at = GutterWidth
	}
	runes := []rune(f.Text)
	if word := at + component.Width(f.st, string(runes[:min(ft.At, len(runes))])); at > GutterWidth && word+need <= w {
		at = word
	}
	return component.Marked(f.st, w, at, style.SeverityCritical, themes.Critical, ft.Text)
}

// printed returns what the input drew in a form that the terminal can show: invisible
// characters are replaced by a sign and, if the terminal only has ASCII, so are others,
// cell by cell.
func printed(st *style.Styles, s string) string {
	var b strings.Builder
	var prev rune
	for _, r := range s {
		joins := versioned.Joins(prev, r)
		prev = r
		switch {
		case r < 0x80 || joins && !st.Glyphs.ASCIIOnly:
			b.WriteRune(r)
			continue
		case joins:
			continue // of what is one sign
		case versioned.Unseen(r) && (r == '\u200c' || r == '\u200d'):
			continue // the cursor is in between
		case versioned.Unseen(r):
			b.WriteString(st.Glyphs.Unprintable)
			continue
		}
		if !st.Glyphs.ASCIIOnly {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Repeat(st.Glyphs.Unprintable, ansi.StringWidth(string(r))))
	}
	return b.String()
}
