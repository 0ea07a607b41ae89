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

// Label returns the key to show for a, "" where it has none.
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

// gap stands between the hints of a line, of which there may be several.
const gap = "  "

// Rebound returns hints, such as "enter open   h l fold", with the keys that a person has
// bound for what the keys in them do by default; without those that were taken off the
// keyboard.
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

// rebound is Rebound for one hint, and false where no key is left for it. Letters after the
// first key are keys too where that is one letter or sign: "h l fold".
func rebound(hint string, lists [][]Action) (string, bool) {
	words := strings.Split(hint, " ")
	if _, err := strconv.Atoi(words[0]); err == nil {
		return hint, true // "3 steps": how many there are of something
	}
	pair := len(words[0]) == 1
	for i := 0; i < len(words)-1 && (i == 0 || pair && len(words[i]) == 1); i++ {
		at := func(keys []string) int {
			return slices.IndexFunc(keys, func(k string) bool { return KeyLabel(k) == words[i] })
		}
		for _, list := range lists {
			n := slices.IndexFunc(list, func(a Action) bool { return at(a.Default) >= 0 })
			if n < 0 {
				continue
			}
			a := list[n]
			if len(a.Keys) == 0 {
				return "", false
			}
			words[i] = KeyLabel(a.Keys[min(at(a.Default), len(a.Keys)-1)])
			break
		}
	}
	return strings.Join(words, " "), true
}
