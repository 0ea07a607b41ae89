package action

import (
	"strings"
)

// KeyLabel returns how footer and help write a key that tea.KeyMsg.String
// calls name: "ctrl+d" is ^d, " " is space.
func KeyLabel(name string) string {
	switch name {
	case " ":
		return "space"
	case "ctrl+@":
		return "^space"
	case "pgup":
		return "PgUp"
	case "pgdown":
		return "PgDn"
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok && len(rest) == 1 {
		return "^" + rest
	}
	return name
}

// Label returns the key to show for a, "" if it has none.
func (a Action) Label() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return KeyLabel(a.Keys[0])
}

// Command returns what the prompt runs a by.
func (a Action) Command() string { return ":" + strings.TrimPrefix(string(a.ID), "app.") }

// Labels returns all keys of a as they are written, with spaces between.
func (a Action) Labels() string {
	labels := make([]string, len(a.Keys))
	for i, key := range a.Keys {
		labels[i] = KeyLabel(key)
	}
	return strings.Join(labels, " ")
}
