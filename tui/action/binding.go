package action

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// Bindings are the user's own keys, by action. An empty list takes an action
// off the keyboard; the command prompt still has it.
type Bindings map[ID][]string

// Apply returns list with the keys of b.
func (b Bindings) Apply(list []Action) []Action {
	if len(b) == 0 {
		return list
	}
	out := make([]Action, len(list))
	for i, a := range list {
		if keys, ok := b[a.ID]; ok {
			a.Default, a.Keys = a.Keys, KeysOf(keys)
		}
		out[i] = a
	}
	return out
}

// Lost reports whether the user has unbound key from what it does by default in lists and
// bound it to nothing else: it must do nothing then.
func Lost(key string, lists ...[]Action) bool {
	for _, list := range lists {
		for _, a := range list {
			if a.Default.Has(key) {
				return true
			}
		}
	}
	return false
}

// Meant returns the default key of a for msg, one of its keys: a screen that handles
// the keys of a itself knows only the default ones. A key that the user has bound
// stands for the default one in the same place.
func (a Action) Meant(msg tea.KeyMsg) tea.KeyMsg {
	if a.Default == "" {
		return msg
	}
	was := a.Default.Names()
	i := max(slices.Index(a.Keys.Names(), msg.String()), 0)
	return Message(was[min(i, len(was)-1)])
}

// Message returns the message for the key that tea.KeyMsg.String calls name. A name that
// is not a special key's stands for its characters.
func Message(name string) tea.KeyMsg {
	alt := false
	base := name
	if rest, ok := strings.CutPrefix(name, "alt+"); ok && rest != "" {
		alt, base = true, rest
	}
	if base == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}, Alt: alt}
	}
	for t := tea.KeyType(-100); t <= 127; t++ {
		if t != tea.KeyRunes && t != tea.KeySpace && (tea.Key{Type: t}).String() == base {
			return tea.KeyMsg{Type: t, Alt: alt}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(base), Alt: alt}
}

// errNoKey reports a text that is not a key.
var errNoKey = errors.New("is not a key that terminals send: write it as the help does, such as x, X, ^x, alt+x, f5, space, PgDn, shift+left")

// ParseKey returns the name of a key that is written as footer and help write it, or as
// tea.KeyMsg.String does: "^x" is ctrl+x, "space" is " ".
func ParseKey(text string) (string, error) {
	name := text
	switch strings.ToLower(text) {
	case "space":
		name = " "
	case "^space", "ctrl+space":
		name = "ctrl+@"
	case "pgdn", "pgdown", "pagedown":
		name = "pgdown"
	case "pgup", "pageup":
		name = "pgup"
	case "escape":
		name = "esc"
	case "return":
		name = "enter"
	}
	if rest, ok := strings.CutPrefix(name, "^"); ok && rest != "" {
		name = "ctrl+" + strings.ToLower(rest)
	}
	msg := Message(name)
	if msg.Type == tea.KeyRunes && utf8.RuneCountInString(string(msg.Runes)) != 1 || msg.String() != name {
		return "", errNoKey
	}
	return name, nil
}
