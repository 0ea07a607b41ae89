package component

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// PromptEvent says what a key did to a Prompt.
type PromptEvent uint8

// The events.
const (
	PromptNone    PromptEvent = iota // nothing that matters outside
	PromptChanged                    // the text changed
	PromptSubmit                     // enter: the text is in Value
	PromptCancel                     // esc, or backspace on nothing
)

// maxHistory is how many lines a prompt remembers.
const maxHistory = 200

// Prompt is a one-line prompt with line editing, history and suggestions shown
// behind the cursor, as in the fish shell. It never blinks and runs no
// command, so an open prompt costs nothing while nobody types.
type Prompt struct {
	// Suggest returns completions of the whole text, the best first; nil for
	// none. It is asked on each change and must be quick.
	Suggest func(text string) []string

	st       *style.Styles
	sign     string
	in       textinput.Model
	offset   int // first visible rune
	note     Seg
	history  []string // oldest first
	at       int      // index in history; len(history) is the line being written
	draft    string
	suggests []string
	choice   int
	fresh    bool // the text is from before: what is typed replaces it
}

// NewPrompt returns an empty prompt that begins with sign, such as / or :.
func NewPrompt(st *style.Styles, sign string) *Prompt {
	p := &Prompt{st: st, sign: sign, in: textinput.New()}
	p.in.Prompt = ""
	// The keys that textinput shares with history and suggestions are ours, and
	// its paste key would read the clipboard of the machine placetop runs on,
	// which over SSH is not the user's.
	off := key.NewBinding(key.WithDisabled())
	p.in.KeyMap.Paste, p.in.KeyMap.AcceptSuggestion = off, off
	p.in.KeyMap.NextSuggestion, p.in.KeyMap.PrevSuggestion = off, off
	p.in.Cursor.SetMode(cursor.CursorStatic)
	p.in.Focus()
	return p
}

// SetLimit sets how many characters can be typed; 0 is for any number.
func (p *Prompt) SetLimit(n int) { p.in.CharLimit = n }

// Value returns the text.
func (p *Prompt) Value() string { return p.in.Value() }

// SetValue sets the text and puts the cursor at its end.
func (p *Prompt) SetValue(s string) {
	p.fresh = false
	p.in.SetValue(s)
	p.in.CursorEnd()
	p.changed()
}

// SetSelected sets the text, selected: typing replaces it, unless another key comes
// first, such as an arrow.
func (p *Prompt) SetSelected(s string) {
	p.SetValue(s)
	p.fresh = p.Value() != ""
}

// Selected reports whether what is typed replaces the text.
func (p *Prompt) Selected() bool { return p.fresh }

// Before returns the text before the cursor.
func (p *Prompt) Before() string { return string([]rune(p.Value())[:p.in.Position()]) }

// replace empties the text if it is from before and a key replaces it: one that types, or
// deletes.
func (p *Prompt) replace(msg tea.KeyMsg) {
	if !p.fresh {
		return
	}
	p.fresh = false
	key := msg.String()
	if msg.Type == tea.KeyRunes && !msg.Alt || msg.Type == tea.KeySpace || key == "backspace" || key == "ctrl+h" || key == "delete" {
		p.in.Reset()
		p.offset = 0
	}
}

// SetNote shows a short text at the end of the line, such as what is wrong
// with the text; an empty one takes it away.
func (p *Prompt) SetNote(t themes.Token, text string) { p.note = Seg{t, text} }

// History returns the lines entered, the oldest first.
func (p *Prompt) History() []string { return slices.Clone(p.history) }

// SetHistory sets the lines to go back to, the oldest first.
func (p *Prompt) SetHistory(lines []string) {
	p.history = slices.Clone(lines[max(len(lines)-maxHistory, 0):])
	p.at = len(p.history)
}

// Reset empties the prompt and keeps its history.
func (p *Prompt) Reset() {
	p.in.Reset()
	p.fresh = false
	p.offset, p.note, p.at, p.draft = 0, Seg{}, len(p.history), ""
	p.changed()
}

// Suggestions returns the completions of the text and which one is shown.
func (p *Prompt) Suggestions() (all []string, chosen int) { return p.suggests, p.choice }

// Key does what a key means to the prompt.
func (p *Prompt) Key(msg tea.KeyMsg) PromptEvent {
	if p.fresh {
		p.replace(msg)
		if p.Value() == "" && msg.Type == tea.KeyBackspace {
			p.changed()
			return PromptChanged
		}
	}
	if msg.Paste {
		return p.paste(string(msg.Runes))
	}
	msg.Paste = len(msg.Runes) > 1 // a word such as "home" is not the key of that name
	switch msg.String() {
	case "enter":
		p.remember()
		return PromptSubmit
	case "esc", "ctrl+c":
		return PromptCancel
	case "backspace", "ctrl+h":
		if p.Value() == "" {
			return PromptCancel
		}
	case "up":
		return p.recall(p.at - 1)
	case "down":
		return p.recall(p.at + 1)
	case "tab":
		if !p.accept(false) {
			p.choose(1)
			return PromptNone
		}
		return PromptChanged
	case "ctrl+n":
		p.choose(1)
		return PromptNone
	case "shift+tab", "ctrl+p":
		p.choose(-1)
		return PromptNone
	case "right", "end", "ctrl+e", "ctrl+f":
		if p.atEnd() && p.accept(false) {
			return PromptChanged
		}
	case "ctrl+right", "alt+right", "alt+f":
		if p.atEnd() && p.accept(true) {
			return PromptChanged
		}
	}
	before := p.Value()
	p.in, _ = p.in.Update(msg)
	if p.Value() == before {
		return PromptNone
	}
	p.at = len(p.history)
	p.changed()
	return PromptChanged
}

// paste inserts text at the cursor, as one line.
func (p *Prompt) paste(text string) PromptEvent {
	text = oneLine(text)
	if text == "" {
		return PromptNone
	}
	p.in, _ = p.in.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
	p.changed()
	return PromptChanged
}

// oneLine returns s without escape sequences and control characters; line breaks and tabs
// become single spaces.
func oneLine(s string) string {
	var b strings.Builder
	space := false
	for _, r := range ansi.Strip(strings.ToValidUTF8(s, "")) {
		switch {
		case strings.ContainsRune("\n\r\t\u2028\u2029", r):
			space = b.Len() > 0
			continue
		case !unicode.IsPrint(r) && r != '\u200c' && r != '\u200d': // which names have, between letters
			continue
		}
		if space && r != ' ' {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// remember adds the text to the history.
func (p *Prompt) remember() {
	v := strings.TrimSpace(p.Value())
	if v == "" {
		return
	}
	p.history = slices.DeleteFunc(p.history, func(h string) bool { return h == v })
	p.history = append(p.history, v)
	p.SetHistory(p.history)
	p.draft = ""
}

// recall shows line i of the history; past its end, the line that was being written.
func (p *Prompt) recall(i int) PromptEvent {
	if i < 0 || i > len(p.history) || i == p.at {
		return PromptNone
	}
	if p.at == len(p.history) {
		p.draft = p.Value()
	}
	p.at = i
	v := p.draft
	if i < len(p.history) {
		v = p.history[i]
	}
	p.SetValue(v)
	return PromptChanged
}

// changed requests new suggestions.
func (p *Prompt) changed() {
	p.suggests, p.choice = nil, 0
	if p.Suggest != nil {
		p.suggests = p.Suggest(p.Value())
	}
}

func (p *Prompt) choose(by int) {
	if n := len(p.suggests); n > 0 {
		p.choice = ((p.choice+by)%n + n) % n
	}
}

func (p *Prompt) atEnd() bool { return p.in.Position() == len([]rune(p.Value())) }

// ghost returns what the chosen suggestion would add to the text.
func (p *Prompt) ghost() string {
	v := p.Value()
	if p.choice >= len(p.suggests) {
		return ""
	}
	s := oneLine(p.suggests[p.choice])
	if len(s) <= len(v) || !strings.EqualFold(s[:len(v)], v) {
		return ""
	}
	return s[len(v):]
}

// Complete accepts what is shown behind the cursor, so that what follows is what was shown.
func (p *Prompt) Complete() {
	if p.atEnd() {
		p.accept(false)
	}
}

// accept accepts the suggestion, or only its next word. It reports whether there was one.
func (p *Prompt) accept(word bool) bool {
	g := p.ghost()
	if g == "" {
		return false
	}
	if word {
		if i := strings.IndexFunc(g[1:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
			g = g[:i+1]
		}
	}
	p.SetValue(p.Value() + g)
	return true
}

// View returns the prompt as one line of w cells.
func (p *Prompt) View(w int) string {
	l := NewLine(p.st, w)
	l.Add(themes.PromptSign, p.sign)
	room := w - l.Pos()
	note := 0
	if p.note.Text != "" {
		// The note may take half of the line; the text scrolls in the rest.
		note = min(Width(p.st, p.note.Text)+2, room/2)
	}
	room -= note
	runes, at := []rune(p.Value()), p.in.Position()
	at = min(at, len(runes))
	p.scroll(runes, at, room)
	at = p.offset + p.start(string(runes[p.offset:]), at-p.offset)

	l.Cell(room)
	text := themes.Input
	if p.fresh {
		text = themes.Match
	}
	l.Add(text, string(runes[p.offset:at]))
	rest := string(runes[at:])
	t := themes.Input
	if rest == "" {
		rest, t = p.ghost(), themes.Ghost
	}
	under := " "
	if rest != "" {
		_, n, after := nextGrapheme(rest, &p.st.Glyphs)
		if n <= l.Left() {
			under, rest = rest[:len(rest)-len(after)], after
		}
	}
	l.Add(themes.Cursor, under).addGraphemes(t, rest).EndCell(AlignLeft) // it continues beyond the edge
	if note > 0 {
		l.Space(2).Add(p.note.Token, p.note.Text)
	}
	return l.String()
}

// start returns where the character begins in a text that rune number at belongs to, as a
// number of runes.
func (p *Prompt) start(text string, at int) int {
	for n := 0; text != ""; {
		_, _, rest := nextGrapheme(text, &p.st.Glyphs)
		next := n + utf8.RuneCountInString(text[:len(text)-len(rest)])
		if next > at {
			return n
		}
		n, text = next, rest
	}
	return at
}

// scroll moves the window over the text so that it contains the cursor.
func (p *Prompt) scroll(runes []rune, at, room int) {
	p.offset = min(p.offset, at)
	// A huge paste before the window is skipped, not measured rune by rune. No readable
	// text has more than a few runes for each cell.
	const perCell = 4
	p.offset = max(p.offset, at-perCell*max(room, 0))
	for p.offset < at && Width(p.st, string(runes[p.offset:at]))+1 > room {
		p.offset++
	}
	// After a deletion there may be room for more text before the window.
	for p.offset > 0 && Width(p.st, string(runes[p.offset-1:]))+1 <= room {
		p.offset--
	}
}
