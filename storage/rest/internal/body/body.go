// Package body reads the JSON of requests, member by member, and says what is wrong with
// it.
//
// A Value is read as what it must be: Text, Int, Object and so on. Value.Err is the first
// mistake; what is read of a wrong Value, or after it, is zero. The words are those that
// Placement's functional suite looks for: 'total' is a required property, 0 is less than
// the minimum of 1.
package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	mostDepth  = 100     // of nested arrays and objects: no body has more than 8
	mostValues = 1 << 20 // a reshape of ten thousand instances has 150,000, of a hundred bytes of memory each
	mostDigits = 4300    // of a number, as Python has it
)

// Value is a value of a body.
type Value struct {
	data  any    // nil, bool, json.Number, string, []any or *members
	name  string // of the member that it is, or is in; "" for the whole body
	wrong *error // the first mistake in the body
}

// members are those of an object, in order. Of several with one name the last counts.
type members struct {
	names []string
	of    map[string]any
}

func (m *members) set(name string, value any) {
	if _, twice := m.of[name]; !twice {
		m.names = append(m.names, name)
	}
	m.of[name] = value
}

// Parse parses JSON.
func Parse(text []byte) (Value, error) {
	p := &parser{Decoder: json.NewDecoder(bytes.NewReader(text))}
	p.UseNumber()
	// The decoder reads half a surrogate pair as U+FFFD.
	p.noHalves = bytes.Contains(text, []byte(`\u`)) && !bytes.ContainsRune(text, utf8.RuneError) && !bytes.Contains(bytes.ToLower(text), []byte(`\ufffd`))
	if !utf8.Valid(text) {
		return Value{}, errors.New("it is not UTF-8")
	}
	data, err := p.value(0)
	if err == nil {
		if _, end := p.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is more after the first value")
		}
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Value{}, errors.New("it ends too early")
	case err != nil:
		return Value{}, fmt.Errorf("%w, at byte %d", err, p.InputOffset())
	}
	return Value{data: data, wrong: new(error)}, nil
}

// Texts returns an object of texts, such as the parameters of a query.
func Texts(list iter.Seq2[string, string]) Value {
	m := &members{of: map[string]any{}}
	for name, text := range list {
		m.set(name, text)
	}
	return Value{data: m, wrong: new(error)}
}

type parser struct {
	*json.Decoder
	values   int
	noHalves bool // a U+FFFD in a text was half a surrogate pair
}

func (p *parser) value(depth int) (any, error) {
	if p.values++; p.values > mostValues {
		return nil, errors.New("too many values")
	}
	if depth > mostDepth {
		return nil, errors.New("too deep")
	}
	token, err := p.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Number:
		if len(t) > mostDigits {
			return nil, errors.New("a number has too many digits")
		}
	case string:
		return t, p.checkText(t)
	case json.Delim:
		if t == '[' {
			return p.array(depth)
		}
		return p.object(depth)
	}
	return token, nil
}

func (p *parser) checkText(s string) error {
	if p.noHalves && strings.ContainsRune(s, utf8.RuneError) {
		return errors.New("a text has half of a surrogate pair")
	}
	return nil
}

func (p *parser) array(depth int) (any, error) {
	list := []any{}
	for p.More() {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := p.Token()
	return list, err
}

func (p *parser) object(depth int) (any, error) {
	m := &members{of: map[string]any{}}
	for p.More() {
		token, err := p.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if err := p.checkText(name); err != nil {
			return nil, err
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m.set(name, v)
	}
	_, err := p.Token()
	return m, err
}

// Err returns the first mistake in the body, nil if none was found.
func (v Value) Err() error { return *v.wrong }

// refuse notes a mistake: the keyword of JSON schema that v breaks, and what is wrong.
func (v Value) refuse(keyword, format string, args ...any) {
	if *v.wrong != nil {
		return
	}
	where := ""
	if v.name != "" {
		where = "['properties']['" + v.name + "']"
	}
	*v.wrong = fmt.Errorf("%s\n\nFailed validating '%s' in schema%s", fmt.Sprintf(format, args...), keyword, where)
}

func (v Value) isNot(kind string) { v.refuse("type", "%s is not of type '%s'", v, kind) }

// String returns v as it is named in mistakes, which is short.
func (v Value) String() string {
	switch data := v.data.(type) {
	case string:
		return "'" + short(data) + "'"
	case json.Number:
		return short(data.String())
	case []any:
		if len(data) > 0 {
			return "a list"
		}
		return "[]"
	case *members:
		if len(data.names) > 0 {
			return "an object"
		}
		return "{}"
	case bool:
		return strconv.FormatBool(data)
	}
	return "null"
}

func short(s string) string {
	const most = 300
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// Null reports whether v is null.
func (v Value) Null() bool { return v.data == nil }

// Text returns a text with least to most characters.
func (v Value) Text(least, most int) string {
	s, ok := v.data.(string)
	n := utf8.RuneCountInString(s)
	switch {
	case !ok:
		v.isNot("string")
	case n < least:
		v.refuse("minLength", "%s is too short", v)
	case n > most:
		v.refuse("maxLength", "%s is too long", v)
	default:
		return s
	}
	return ""
}

// Matching returns a text of at most 255 characters that matches a pattern.
func (v Value) Matching(pattern *regexp.Regexp) string {
	s := v.Text(0, 255)
	if !pattern.MatchString(s) {
		v.refuse("pattern", "%s does not match '%s'", v, pattern)
	}
	return s
}

// UUID returns the text of a uuid, as it was sent.
func (v Value) UUID() string {
	s, ok := v.data.(string)
	if !ok {
		v.isNot("string")
		return ""
	}
	if _, ok := ParseUUID(s); !ok {
		v.refuse("format", "%s is not a 'uuid'", v)
	}
	return s
}

// Int returns a whole number from least to most, in any notation; the nearest int64 of one
// that is beyond.
func (v Value) Int(least, most int64) int64 {
	n, ok := v.whole()
	switch {
	case !ok:
		v.isNot("integer")
	case n < least:
		v.refuse("minimum", "%s is less than the minimum of %d", v, least)
	case n > most:
		v.refuse("maximum", "%s is greater than the maximum of %d", v, most)
	}
	return n
}

// Generation returns a whole number.
func (v Value) Generation() int64 { return v.Int(math.MinInt64, math.MaxInt64) }

func (v Value) whole() (int64, bool) {
	number, ok := v.data.(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(number), 64)
	integer := !strings.ContainsAny(string(number), ".eE")
	switch {
	case !integer && (err != nil || f != math.Trunc(f)):
		return 0, false
	case f >= math.MaxInt64:
		return math.MaxInt64, true
	case f <= math.MinInt64:
		return math.MinInt64, true
	}
	return int64(f), true
}

// Number returns a number from least to most, and how it was written.
func (v Value) Number(least, most float64) (float64, string) {
	number, ok := v.data.(json.Number)
	f, _ := strconv.ParseFloat(string(number), 64) // out of range it is infinite
	switch {
	case !ok:
		v.isNot("number")
	case f < least:
		v.refuse("minimum", "%s is less than the minimum of %g", v, least)
	case f > most:
		v.refuse("maximum", "%s is greater than the maximum of %g", v, most)
	}
	return f, string(number)
}

// Items returns the values of an array that has at least so many.
func (v Value) Items(least int) []Value {
	list, ok := v.data.([]any)
	switch {
	case !ok:
		v.isNot("array")
	case len(list) < least:
		v.refuse("minItems", "%s is too short", v)
	}
	items := make([]Value, len(list))
	for i, data := range list {
		items[i] = Value{data, v.name, v.wrong}
	}
	return items
}

// UUIDs returns the uuids in an array, each of them once.
func (v Value) UUIDs() []string {
	var out []string
	seen := map[string]bool{}
	for _, item := range v.Items(0) {
		id := item.UUID()
		if seen[id] {
			v.refuse("uniqueItems", "%s has non-unique elements", v)
		}
		seen[id] = true
		out = append(out, id)
	}
	return out
}

// Object is an object whose members are read one by one.
type Object struct {
	Value
	members *members
	known   []string // asked for so far
}

// Object returns an object that has at least so many members.
func (v Value) Object(least int) *Object {
	m, ok := v.data.(*members)
	if !ok {
		v.isNot("object")
		m = new(members)
	} else if len(m.names) < least {
		v.refuse("minProperties", "%s does not have enough properties", v)
	}
	return &Object{Value: v, members: m}
}

// May returns a member, and false if there is none.
func (o *Object) May(name string) (Value, bool) {
	o.known = append(o.known, name)
	data, ok := o.members.of[name]
	return Value{data, name, o.wrong}, ok
}

// Need returns a member that must be there.
func (o *Object) Need(name string) Value {
	v, ok := o.May(name)
	if !ok {
		o.refuse("required", "'%s' is a required property", name)
	}
	return v
}

// Only refuses members that were not asked for.
func (o *Object) Only() {
	for _, name := range o.members.names {
		if !slices.Contains(o.known, name) {
			o.refuse("additionalProperties", "Additional properties are not allowed ('%s' was unexpected)", short(name))
		}
	}
}

// All yields the members in their order. It refuses those whose name does not match.
func (o *Object) All(names *regexp.Regexp) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, name := range o.members.names {
			if !names.MatchString(name) {
				o.refuse("additionalProperties", "'%s' does not match any of the regexes: '%s'", short(name), names)
				return
			}
			if !yield(name, Value{o.members.of[name], name, o.wrong}) {
				return
			}
		}
	}
}

// ParseUUID reads a uuid in any form that OpenStack accepts: 32 hexadecimal digits, with
// dashes anywhere, in braces, after urn:uuid:.
//
// Source: oslo_utils/uuidutils.py, is_uuid_like.
func ParseUUID(s string) (uuid.UUID, bool) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "urn:", ""), "uuid:", "")
	s = strings.ReplaceAll(strings.Trim(s, "{}"), "-", "")
	if len(s) != 32 {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(s)
	return id, err == nil
}
