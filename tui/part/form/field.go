package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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

	st      *style.Styles
	in      *component.Prompt
	focused bool
	Text    string
	limit   int    // the most characters that can be typed
	err     error  // what was wrong with the text when last checked
	given   string // the initial text, which is selected at first: what is typed replaces it

	// What note and complete returned for the text.
	noted    string
	becoming []string
	dropped  string // which characters of the last key or paste were not taken, in words
}

// NewField returns a field without the focus. Limit is the most characters that
// may be typed; a text that is put in may be longer.
func NewField(st *style.Styles, label, about, text string, limit int) *Field {
	f := &Field{Label: label, about: about, st: st, given: text, limit: limit, in: component.NewPrompt(st, "")}
	f.put(text)
	return f
}

// put sets a text that was not typed. It is kept whole, however long: what is cut off
// here would be deleted from the cloud when the form is written.
func (f *Field) put(text string) {
	f.limit = max(f.limit, utf8.RuneCountInString(text))
	f.in.SetLimit(f.limit)
	f.in.SetValue(text)
	f.Text = f.in.Value()
}

// set replaces the text, with the cursor at its end.
func (f *Field) set(text string) {
	f.put(text)
	f.err = nil
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
	f.focused = true
	if f.Text == f.given && !f.Grows {
		f.in.SetSelected(f.Text)
	}
}

// blur removes the focus.
func (f *Field) blur() {
	f.focused = false
	f.in.SetValue(f.Text)
}

// leave removes the focus and checks the text.
func (f *Field) leave() {
	f.blur()
	f.err = nil
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
	if msg.Paste { // only text goes in: a paste may contain colours
		msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(ansi.Strip(string(msg.Runes)))}
		if len(msg.Runes) == 0 {
			return false
		}
	}
	var prev rune // the character that it goes after
	room := f.limit
	if !f.in.Selected() {
		prev, _ = utf8.DecodeLastRuneInString(f.in.Before())
		room -= utf8.RuneCountInString(f.Text)
	}
	before := f.Text
	if msg, f.dropped = withoutUnseen(msg, prev); f.dropped != "" && len(msg.Runes) == 0 {
		return true
	}
	f.err = nil
	if n := len(msg.Runes) - max(room, 0); n > 0 && !msg.Alt {
		f.dropped = fmt.Sprintf("cut off %d at the end: at most %d characters", n, f.limit)
	}
	f.in.Key(msg)
	if f.Text = f.in.Value(); f.Text == before {
		return f.dropped != ""
	}
	f.Refresh()
	return true
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
	label, room := themes.Dim, max(w-GutterWidth-LabelWidth, 0)
	text := component.NewLine(f.st, room).Add(themes.Input, f.Text).String()
	if f.focused {
		l.Add(themes.BorderFocus, f.st.Glyphs.Vertical)
		label, text = themes.Title, f.in.View(room)
	}
	l.To(GutterWidth).Add(label, f.Label)
	return component.Fit(l.String()+text, w, 1)
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
