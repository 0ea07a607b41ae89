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
	return KeyLabel(a.Keys.First())
}

// Command returns what the prompt runs a by.
func (a Action) Command() string { return ":" + strings.TrimPrefix(string(a.ID), "app.") }

// Labels returns all keys of a as they are written, with spaces between.
func (a Action) Labels() string {
	var labels []string
	for key := range a.Keys.All() {
		labels = append(labels, KeyLabel(key))
	}
	return strings.Join(labels, " ")
}
