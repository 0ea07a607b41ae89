package action

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
	return strings.Join(append(words[:keys], Reworded(strings.Join(words[keys:], " "), lists...)), " "), true
}

// Reworded returns running text, such as "paused: p resumes, R reads it now", with the user's
// keys in place of the default ones, and the command in place of those that were unbound.
func Reworded(text string, lists ...[]Action) string {
	words := strings.Split(text, " ")
	begins := true // at the beginning of a clause, where a key may precede what it does
	for i, word := range words[:len(words)-1] {
		key := strings.TrimPrefix(word, "(")
		to, ok := "", false
		if (begins || key != word) && toldOf(key, words[i+1]) {
			to, ok = reboundTo(key, lists)
		}
		if ok {
			words[i] = strings.TrimSuffix(word, key) + to
		}
		pair := begins && len(key) == 1 && len(words[i+1]) == 1
		sign := utf8.RuneCountInString(word) < 2 && strings.IndexFunc(word, unicode.IsLetter) < 0 // followed by text, or by nothing
		begins = pair || begins && sign || word == "and" || word == "or" || word == "then" || word != "" && strings.ContainsRune(".;:,", rune(word[len(word)-1])) && len(word) > 1
	}
	return strings.Join(words, " ")
}

// toldOf reports whether next may begin the text about a key: "p resumes", "n N go".
func toldOf(key, next string) bool {
	if next == "" || next[0] < 'a' && len(next) > 1 {
		return false
	}
	named := len(key) > 1 && !slices.Contains([]string{"left", "right", "up", "down", "home", "end"}, key) // "left out" is not about a key
	return named || len(next) == 1 || strings.HasSuffix(strings.TrimRight(next, ".,;:)"), "s") || next == "and" || next == "or" || next == "go"
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
				return ":" + strings.TrimPrefix(string(a.ID), "app."), true
			default:
				return KeyLabel(a.Keys[min(at, len(a.Keys)-1)]), true
			}
		}
	}
	return "", false
}
