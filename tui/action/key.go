package action

import (
	"slices"
	"strconv"
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

// gap separates the hints on a line.
const gap = "  "

// Rebound returns hints, such as "enter open h l fold", with the user's keys in place of
// the default ones; hints whose keys were unbound are left out.
func Rebound(hints string, lists ...[]Action) string {
	var out []string
	for hint := range strings.SplitSeq(hints, gap) {
		kept, ok := rebound(strings.TrimLeft(hint, " "), lists)
		if ok {
			out = append(out, hint[:len(hint)-len(strings.TrimLeft(hint, " "))]+kept)
		}
	}
	return strings.Join(out, gap)
}

// rebound is Rebound for one hint; false means that no key is left for it. Words after
// the first key are keys, too, if that key is one letter or sign: "h l fold".
func rebound(hint string, lists [][]Action) (string, bool) {
	words := strings.Split(hint, " ")
	if _, err := strconv.Atoi(words[0]); err == nil {
		return hint, true // "3 steps": a count
	}
	pair := len(words[0]) == 1
	keys := 0
	for ; keys < len(words)-1 && (keys == 0 || pair && len(words[keys]) == 1); keys++ {
		to, ok := reboundTo(words[keys], lists)
		if strings.HasPrefix(to, ":") && len(to) > 1 {
			return "", false
		}
		if ok {
			words[keys] = to
		}
	}
	return strings.Join(words, " "), true
}

// Bound returns the user's key, as the footer writes it, for what another key does by
// default: the command in its place if it was unbound.
func Bound(key string, lists ...[]Action) string {
	if to, ok := reboundTo(key, lists); ok {
		return to
	}
	return key
}

// reboundTo returns the text for a default key, by the first action that has it; false means
// that the key is unchanged.
func reboundTo(key string, lists [][]Action) (string, bool) {
	for _, list := range lists {
		for _, a := range list {
			was := a.Default
			if was == nil {
				was = a.Keys
			}
			at := slices.IndexFunc(was, func(k string) bool { return KeyLabel(k) == key })
			switch {
			case at < 0:
			case a.Default == nil:
				return "", false
			case len(a.Keys) == 0:
				return a.Command(), true
			default:
				return KeyLabel(a.Keys[min(at, len(a.Keys)-1)]), true
			}
		}
	}
	return "", false
}
