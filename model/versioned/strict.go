package versioned

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// CheckJSON refuses text, valid JSON, if a reader would drop any of it: all but the
// last of several members of one name, and what is not UTF-8. The error matches
// ErrMalformed.
func CheckJSON(text []byte) error {
	_, err := LostJSON(text, new(any))
	return err
}

// LostJSON returns the names of the fields that decoding text, valid JSON, into v would
// drop because v lacks them. The error matches ErrMalformed if it would drop
// anything else: a field that is there twice, text that is not UTF-8.
func LostJSON(text []byte, v any) ([]string, error) {
	lost, err := strictJSON(text, v)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return lost, err
}

// strictJSON returns the paths of the members of text, JSON that encoding/json has decoded
// into v, whose names are not exactly those of a field of v. Errors: a member that is there
// twice, and text that is not UTF-8.
func strictJSON(text []byte, v any) ([]string, error) {
	s := strict{text: text, dec: json.NewDecoder(bytes.NewReader(text))}
	s.dec.UseNumber() // of any size
	err := s.value(reflect.TypeOf(v))
	return s.unknown, err
}

// strict reads JSON token by token beside the type that it is decoded into.
type strict struct {
	text    []byte
	dec     *json.Decoder
	path    []string
	unknown []string // paths of members that the type does not have
}

// fault returns an error about the member at the current path, which begins at the data of
// a record.
func (s *strict) fault(why string) error {
	return fmt.Errorf("%s: %s", strings.TrimPrefix(strings.Join(s.path, "."), "data."), why)
}

func unknownField(path string) error { return errors.New(path + ": unknown field") }

// value reads a value that is decoded into a t; nil for one that may have any members.
func (s *strict) value(t reflect.Type) error {
	token, err := s.token()
	if err != nil {
		return err
	}
	begin, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	t = membersOf(t)
	seen := map[string]bool{}
	for n := 0; s.dec.More(); n++ {
		name, of := strconv.Itoa(n), t
		if begin == '{' {
			token, err := s.token()
			if err != nil {
				return err
			}
			name, _ = token.(string)
		}
		s.path = append(s.path, name)
		if begin == '{' {
			if seen[name] {
				return s.fault("is given twice")
			}
			seen[name] = true
		}
		switch {
		case t == nil:
		case t.Kind() != reflect.Struct:
			of = t.Elem()
		default:
			if of, ok = fieldsOf(t).json[name]; !ok {
				s.unknown = append(s.unknown, strings.Join(s.path, "."))
			}
		}
		if err := s.value(of); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
	}
	_, err = s.dec.Token() // the end
	return err
}

// halfPair matches an escape in a JSON string; with a submatch if it is one half of a
// surrogate pair without the other, which readers replace by another character.
//
// Source: RFC 8259, 8.2.
var halfPair = regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)`)

// token reads a token. If it is text, it must be UTF-8.
func (s *strict) token() (json.Token, error) {
	from := s.dec.InputOffset()
	token, err := s.dec.Token()
	if _, ok := token.(string); !ok {
		return token, err
	}
	raw := s.text[from:s.dec.InputOffset()]
	if !utf8.Valid(raw) {
		return nil, s.fault("has text that is not valid UTF-8")
	}
	if bytes.Contains(raw, []byte(`\u`)) && slices.ContainsFunc(halfPair.FindAllSubmatch(raw, -1), func(m [][]byte) bool { return m[1] != nil }) {
		return nil, s.fault(`has a \u escape that is half of a character`)
	}
	return token, err
}

// membersOf returns the type whose fields or elements a JSON object or list is decoded into
// if it is decoded into a t; nil if it may have any.
func membersOf(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return nil
	}
	if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Struct:
		return t
	default:
		return nil
	}
}
