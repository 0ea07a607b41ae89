package versioned

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// shape is what a JSON value may contain, according to the type that it is decoded into.
// It is nil for a value with its own decoder, or without members.
type shape struct {
	fields map[string]*shape // of a struct, by name; nil otherwise
	elem   *shape            // of the members of a map or the items of a list
}

// shapes caches the shapes of types.
type shapes struct {
	lock sync.Mutex
	of   map[reflect.Type]*shape
}

// shape returns the shape of what v points to.
func (s *shapes) shape(v any) *shape {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.make(reflect.TypeOf(v))
}

// envelope returns the shape of a line whose data is what v points to.
func (s *shapes) envelope(v any) *shape {
	return &shape{fields: map[string]*shape{"kind": nil, "version": nil, "data": s.shape(v)}}
}

func (s *shapes) make(t reflect.Type) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if sh, ok := s.of[t]; ok {
		return sh
	}
	if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array:
		return &shape{elem: s.make(t.Elem())}
	case reflect.Struct:
		sh := &shape{fields: map[string]*shape{}}
		if s.of == nil {
			s.of = map[reflect.Type]*shape{}
		}
		s.of[t] = sh
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
				continue
			}
			if name == "" {
				name = f.Name
			}
			sh.fields[name] = s.make(f.Type)
		}
		return sh
	default:
		return nil
	}
}

// strict reads JSON text that encoding/json has read before, to find what that drops
// silently: members whose names are not exactly those of a field, all but the last of
// several members with one name, and text that is not UTF-8.
type strict struct {
	text    string
	at      int
	path    []string
	lenient int      // from this depth on, unknown members are listed, not refused
	unknown []string // their paths
	err     error
}

// nowhere is a depth that is never reached.
const nowhere = math.MaxInt

// check returns the paths of the members of text, valid JSON, that sh does not have, from
// the depth lenient on. Such members above it are an error, as is everything else that a
// decoder would drop.
func (sh *shape) check(text []byte, lenient int) ([]string, error) {
	s := strict{text: string(text), lenient: lenient}
	s.value(sh)
	return s.unknown, s.err
}

// CheckJSON refuses text, valid JSON, if a reader would drop any of it: all but the
// last of several members of one name, and what is not UTF-8. The error matches
// ErrMalformed.
func CheckJSON(text []byte) error {
	_, err := (*shape)(nil).check(text, nowhere)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return err
}

// fail keeps the first fault, with the path of the member.
func (s *strict) fail(why string) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %s", s.where(), why)
		s.at = len(s.text)
	}
}

// where names the member that is being read, by its path from the data of the record.
func (s *strict) where() string {
	return strings.TrimPrefix(strings.Join(s.path, "."), "data.")
}

// next skips white space and returns the byte that follows, 0 at the end.
func (s *strict) next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// value reads a value of the shape sh.
func (s *strict) value(sh *shape) {
	switch s.next() {
	case '{':
		s.object(sh)
	case '[':
		var elem *shape
		if sh != nil {
			elem = sh.elem
		}
		s.path = append(s.path, "")
		for n := 0; s.more('['); n++ {
			s.path[len(s.path)-1] = strconv.Itoa(n)
			s.value(elem)
		}
		s.path = s.path[:len(s.path)-1]
	case '"':
		s.string()
	default:
		for s.at < len(s.text) && !strings.ContainsRune(",]} \t\r\n", rune(s.text[s.at])) {
			s.at++
		}
	}
}

// more moves to the next member or item of what began with open, and reports whether
// there is one.
func (s *strict) more(open byte) bool {
	c := s.next()
	if c == open || c == ',' {
		s.at++
		if next := s.next(); c == ',' || next != ']' && next != '}' {
			return s.err == nil && next != 0
		}
	}
	s.at++ // past the closing one
	return false
}

// object reads an object whose members are the fields of sh, or of any name.
func (s *strict) object(sh *shape) {
	var few [16]string
	seen := few[:0]
	var many map[string]bool // replaces seen if there are very many
	depth := len(s.path)
	for s.more('{') {
		s.path = s.path[:depth]
		name := s.string()
		s.path = append(s.path, name)
		twice := many[name]
		if many == nil {
			twice = slices.Contains(seen, name)
		}
		if twice {
			s.fail("is given twice")
			return
		}
		if seen = append(seen, name); len(seen) == cap(few) {
			many = make(map[string]bool, 2*len(seen))
			for _, name := range seen {
				many[name] = true
			}
		}
		if many != nil {
			many[name] = true
		}
		var of *shape
		if sh != nil {
			of = sh.elem
			if sh.fields != nil {
				field, known := sh.fields[name]
				if of = field; !known {
					s.stranger()
				}
			}
		}
		if s.next() == ':' {
			s.at++
		}
		s.value(of)
	}
	s.path = s.path[:depth]
}

// stranger lists or refuses the unknown member at the current path.
func (s *strict) stranger() {
	if len(s.path) > s.lenient {
		s.unknown = append(s.unknown, s.where())
		return
	}
	s.fail("unknown field")
}

// string reads a string, and returns its value.
func (s *strict) string() string {
	begin := s.at + 1
	escaped, ascii := false, true
	for s.at = begin; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\':
			escaped = true
			s.at++
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	end := min(s.at, len(s.text))
	raw := s.text[begin:end]
	s.at++
	if !ascii && !utf8.ValidString(raw) {
		s.fail("has text that is not valid UTF-8")
		return ""
	}
	if !escaped {
		return raw
	}
	if halfOfPair(raw) {
		s.fail(`has a \u escape that is half of a character`)
		return ""
	}
	var out string
	if err := json.Unmarshal([]byte(s.text[begin-1:end+1]), &out); err != nil {
		s.fail(err.Error())
	}
	return out
}

// halfOfPair reports whether a string in JSON has a \u escape of one half of a
// surrogate pair without the other, which readers replace by another character.
//
// Source: RFC 8259, 8.2.
func halfOfPair(raw string) bool {
	unit := func(from string) (rune, bool) {
		if len(from) < 6 || from[0] != '\\' || from[1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(from[2:6], 16, 16)
		return rune(n), err == nil
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r, ok := unit(raw[i:])
		switch {
		case !ok:
			i++ // the sign that is escaped
		case !utf16.IsSurrogate(r):
			i += 5
		default:
			low, ok := unit(raw[i+6:])
			if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
				return true
			}
			i += 11
		}
	}
	return false
}
