package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/versioned"
)

// YAML rewrites a JSON document as block YAML, members in the same
// order. Strings are written plain where every YAML reader takes them for the
// same string, and otherwise as in JSON, which YAML's double quotes include: a
// name with an escape sequence in it reaches neither the terminal nor a parser
// as anything but text. The common YAML encoders write such names raw.
func YAML(doc []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var y yamlWriter
	if err := y.value(dec, 0, false); err != nil {
		return nil, fmt.Errorf("write yaml: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("write yaml: more than one document")
	}
	return y.out.Bytes(), nil
}

type yamlWriter struct {
	out bytes.Buffer
}

// value writes the next value of dec. The cursor is after "- " if inItem is set, after
// "key:" at a depth above 0, or at the start of a line.
func (y *yamlWriter) value(dec *json.Decoder, depth int, inItem bool) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	behindKey := depth > 0 && !inItem
	switch t := tok.(type) {
	case json.Delim:
		empty := "{}"
		if t == '[' {
			empty = "[]"
		}
		if !dec.More() {
			y.scalar(empty, behindKey)
		} else if err := y.members(dec, t, depth, inItem); err != nil {
			return err
		}
		_, err := dec.Token() // the closing one
		return err
	case string:
		y.scalar(yamlString(t), behindKey)
	case json.Number:
		y.scalar(t.String(), behindKey)
	case bool:
		y.scalar(strconv.FormatBool(t), behindKey)
	case nil:
		y.scalar("null", behindKey)
	}
	return nil
}

func (y *yamlWriter) scalar(text string, behindKey bool) {
	if behindKey {
		y.out.WriteByte(' ')
	}
	y.out.WriteString(text)
	y.out.WriteByte('\n')
}

// members writes the members of a non-empty object or array. The first member of one that
// is itself an item stays on the line of its dash.
func (y *yamlWriter) members(dec *json.Decoder, open json.Delim, depth int, inItem bool) error {
	indent := strings.Repeat("  ", depth)
	if depth > 0 && !inItem {
		y.out.WriteByte('\n')
	}
	for first := true; dec.More(); first = false {
		if !first || !inItem {
			y.out.WriteString(indent)
		}
		if open == '[' {
			y.out.WriteString("- ")
			if err := y.value(dec, depth+1, true); err != nil {
				return err
			}
			continue
		}
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name, ok := key.(string)
		if !ok {
			return fmt.Errorf("key %v is not a string", key)
		}
		y.out.WriteString(yamlString(name) + ":")
		if err := y.value(dec, depth+1, false); err != nil {
			return err
		}
	}
	return nil
}

// yamlString returns s as a YAML scalar that is read as the string s.
func yamlString(s string) string {
	if yamlPlain(s) {
		return s
	}
	b, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s) // a string always marshals
	}
	var out strings.Builder
	for _, r := range string(b) {
		switch {
		case !versioned.Unseen(r):
			out.WriteRune(r)
		case r > 0xffff: // YAML has no surrogate pairs
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// yamlPlain reports whether s needs no quotes: it starts with a letter, has no special
// character of YAML, and is not a word that YAML 1.1 or 1.2 reads as something else than
// a string. Numbers and dates start with a digit or a sign.
func yamlPlain(s string) bool {
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	if s == "" || !letter(s[0]) || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case letter(c), c >= '0' && c <= '9':
		case strings.IndexByte("_./@+-", c) >= 0:
			if c == '-' && s[i-1] == ' ' {
				return false
			}
		case c == ' ' && s[i-1] != ' ':
		default:
			return false
		}
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		return false
	}
	return true
}
