package themes

import (
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// LineOf returns the line of a key in a TOML file that can be decoded, or that of what it is
// in: the decoder reports lines only for what it cannot read.
func LineOf(data []byte, key ...string) int {
	var table toml.Key
	for n, line := range strings.Split(string(data), "\n") {
		name := keyOn(strings.TrimSpace(line))
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			table = name
		} else if name != nil {
			name = slices.Concat(table, name)
		}
		// The name of an action has dots, with or without quotes.
		is, want := strings.Join(name, ".")+".", strings.TrimRight(strings.Join(key, "."), ".")+"."
		if name != nil && len(is) >= len(want) && strings.EqualFold(is[:len(want)], want) {
			return n + 1
		}
	}
	if len(key) > 1 {
		return LineOf(data, key[:len(key)-1]...)
	}
	return 1
}

// keyOn returns the key that a line sets, or the table that it begins; nil for neither.
func keyOn(line string) toml.Key {
	texts := []string{line}
	if !strings.HasPrefix(line, "[") {
		texts = nil
		for i, r := range line {
			if r == '=' {
				texts = append(texts, line[:i]+"= 0")
			}
		}
	}
	for _, text := range texts {
		if md, err := toml.Decode(text, &map[string]any{}); err == nil && len(md.Keys()) > 0 {
			return md.Keys()[len(md.Keys())-1]
		}
	}
	return nil
}
