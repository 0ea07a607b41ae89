package object

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Integer holds whole numbers. It takes what Python's int does: integers,
// decimal text, booleans, and floats, whose fraction is cut off.
type Integer struct{}

// Describe implements AnyType.
func (*Integer) Describe() string { return "Integer" }

// Primitive implements AnyType.
func (*Integer) Primitive(v any) any { return v }

func (*Integer) sealed(int64) {}

// Coerce implements AnyType.
func (*Integer) Coerce(v any) (any, error) { return integer(v) }

func integer(v any) (int64, error) {
	if s, ok := asText(v); ok {
		if _, isNumber := v.(json.Number); !isNumber || !strings.ContainsAny(s, ".eE") {
			n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("invalid literal %q for an integer", s)
			}
			return n, nil
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, fmt.Errorf("number %s is out of range", s)
		}
		v = f
	}
	rv := reflect.ValueOf(v)
	switch {
	case !rv.IsValid():
		return 0, errNull
	case rv.CanInt():
		return rv.Int(), nil
	case rv.CanUint() && rv.Uint() <= math.MaxInt64:
		return int64(rv.Uint()), nil
	case rv.CanFloat() && math.Abs(rv.Float()) < 1<<63:
		return int64(rv.Float()), nil
	case rv.Kind() == reflect.Bool:
		if rv.Bool() {
			return 1, nil
		}
		return 0, nil
	}
	return 0, fmt.Errorf("%v (%T) is not an integer of 64 bits", v, v)
}

// Float holds finite numbers. It takes numbers, decimal text and booleans.
type Float struct{}

// Describe implements AnyType.
func (*Float) Describe() string { return "Float" }

// Primitive implements AnyType.
func (*Float) Primitive(v any) any { return v }

func (*Float) sealed(float64) {}

// Coerce implements AnyType.
func (*Float) Coerce(v any) (any, error) { return float(v) }

func float(v any) (float64, error) {
	f := math.NaN()
	if s, ok := asText(v); ok {
		parsed, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return 0, fmt.Errorf("could not convert %q to a float", s)
		}
		f = parsed
	} else if rv := reflect.ValueOf(v); !rv.IsValid() {
		return 0, errNull
	} else if rv.CanFloat() {
		f = rv.Float()
	} else if n, err := integer(v); err == nil {
		f = float64(n)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%v (%T) is not a finite number", v, v)
	}
	return f, nil
}

// Boolean holds truth values. Like Python's bool it takes anything, and only
// zero and what is empty is false: the text "False" is true.
type Boolean struct{}

// Describe implements AnyType.
func (*Boolean) Describe() string { return "Boolean" }

// Primitive implements AnyType.
func (*Boolean) Primitive(v any) any { return v }

// Coerce implements AnyType.
func (*Boolean) Coerce(v any) (any, error) { return truth(v) }

func truth(v any) (bool, error) {
	if n, ok := v.(json.Number); ok {
		f, err := float(n)
		return f != 0 || err != nil, nil // an out-of-range number is not zero
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Invalid:
		return false, errNull
	case reflect.String, reflect.Map, reflect.Slice:
		return rv.Len() > 0, nil
	default:
		return !rv.IsZero(), nil
	}
}

// String holds text. It takes text, numbers, booleans and times, each as Python
// prints it.
type String struct{}

// Describe implements AnyType.
func (*String) Describe() string { return "String" }

// Primitive implements AnyType.
func (*String) Primitive(v any) any { return v }

// Coerce implements AnyType.
func (*String) Coerce(v any) (any, error) { return text(v) }

func text(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", errNull
	case json.Number:
		return printNumber(v), nil
	case time.Time:
		return v.Format("2006-01-02 15:04:05-07:00"), nil
	}
	if s, ok := asText(v); ok {
		return s, nil
	}
	rv := reflect.ValueOf(v)
	switch {
	case rv.CanInt() || rv.CanUint():
		return fmt.Sprint(v), nil
	case rv.CanFloat():
		return printFloat(rv.Float()), nil
	case rv.Kind() == reflect.Bool && rv.Bool():
		return "True", nil
	case rv.Kind() == reflect.Bool:
		return "False", nil
	}
	return "", fmt.Errorf("a string is required, not a %T", v)
}

// printNumber prints a number of a JSON text: an integer unchanged, anything else as a
// float.
func printNumber(n json.Number) string {
	if !strings.ContainsAny(n.String(), ".eE") {
		return n.String()
	}
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return printFloat(f)
}

// printFloat prints a float so that it does not look like an integer.
func printFloat(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if strings.ContainsAny(s, ".eIN") {
		return s
	}
	return s + ".0"
}

// asText returns v as a string if it is of a string type, under any name.
func asText(v any) (string, bool) {
	if s, ok := v.(string); ok {
		return s, true
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.String {
		return "", false
	}
	return rv.String(), true
}

// UUID holds uuids. It takes them with or without dashes, in either case, and
// writes them in lower case with dashes.
type UUID struct{}

// Describe implements AnyType.
func (*UUID) Describe() string { return "UUID" }

// Primitive implements AnyType.
func (*UUID) Primitive(v any) any { return v.(uuid.UUID).String() }

// Coerce implements AnyType.
func (*UUID) Coerce(v any) (any, error) { return parseUUID(v) }

func parseUUID(v any) (uuid.UUID, error) {
	if v == nil {
		return uuid.Nil, errNull
	}
	if s, ok := asText(v); ok {
		if len(s) == 36 || len(s) == 32 { // no braces, no urn
			if id, err := uuid.Parse(s); err == nil {
				return id, nil
			}
		}
		return uuid.Nil, fmt.Errorf("%q is not a uuid", s)
	}
	rv := reflect.ValueOf(v)
	if to := reflect.TypeFor[uuid.UUID](); rv.Type().ConvertibleTo(to) && rv.Kind() == reflect.Array {
		return rv.Convert(to).Interface().(uuid.UUID), nil
	}
	return uuid.Nil, fmt.Errorf("%v (%T) is not a uuid", v, v)
}

// DateTime holds times, in UTC. It takes times and ISO 8601 text; text without a
// zone is UTC. Whole seconds are written, with a Z.
type DateTime struct{}

// Describe implements AnyType.
func (*DateTime) Describe() string { return "DateTime" }

// Primitive implements AnyType.
func (*DateTime) Primitive(v any) any { return v.(time.Time).Format("2006-01-02T15:04:05Z") }

// Coerce implements AnyType.
func (*DateTime) Coerce(v any) (any, error) { return instant(v) }

func instant(v any) (time.Time, error) {
	var at time.Time
	switch v := v.(type) {
	case nil:
		return at, errNull
	case time.Time:
		at = v
	default:
		s, ok := asText(v)
		if !ok {
			return at, fmt.Errorf("a time is required, not a %T", v)
		}
		var err error
		if at, err = parseTime(s); err != nil {
			return at, err
		}
	}
	at = at.UTC().Round(0)
	if at.Year() < 1 || at.Year() > 9999 {
		return time.Time{}, fmt.Errorf("year %d is out of range", at.Year())
	}
	return at, nil
}

func parseTime(s string) (time.Time, error) {
	for _, day := range [...]string{"2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		for _, zone := range [...]string{"Z07:00", "Z0700", "Z07", ""} {
			if at, err := time.Parse(day+zone, s); err == nil {
				return at, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 2015-06-30T12:00:00Z", s)
}

// IPAddress holds an address of either family, or of one where Version is 4 or
// 6. It takes text and netip.Addr.
type IPAddress struct {
	Version int // 0 for either
}

// Describe implements AnyType.
func (t *IPAddress) Describe() string {
	if t.Version == 0 {
		return "IPAddress"
	}
	return "IPV" + strconv.Itoa(t.Version) + "Address"
}

// Primitive implements AnyType.
func (*IPAddress) Primitive(v any) any { return v.(netip.Addr).String() }

func (*IPAddress) sealed(netip.Addr) {}

// Coerce implements AnyType.
func (t *IPAddress) Coerce(v any) (any, error) { return t.address(v) }

func (t *IPAddress) address(v any) (netip.Addr, error) {
	addr, ok := v.(netip.Addr)
	if !ok {
		if v == nil {
			return addr, errNull
		}
		s, _ := asText(v)
		parsed, err := netip.ParseAddr(s)
		if err != nil {
			return addr, fmt.Errorf("%v is not an IP address", v)
		}
		addr = parsed
	}
	switch {
	case !addr.IsValid() || addr.Zone() != "":
		return netip.Addr{}, fmt.Errorf("%v is not a plain IP address", v)
	case t.Version == 4 && !addr.Is4(), t.Version == 6 && addr.Is4():
		return netip.Addr{}, fmt.Errorf("%v is not an IPv%d address", v, t.Version)
	}
	return addr, nil
}

// Enum holds one of a few words.
type Enum[T ~string] struct {
	Values []T
	// Canonical turns another spelling into the word itself; nil if there are no other
	// spellings.
	Canonical func(string) string
}

// OneOf returns the Enum of the given words.
func OneOf[T ~string](values ...T) *Enum[T] { return &Enum[T]{Values: values} }

// Describe implements AnyType.
func (t *Enum[T]) Describe() string { return fmt.Sprintf("Enum%q", t.Values) }

// Primitive implements AnyType.
func (*Enum[T]) Primitive(v any) any { return string(v.(T)) }

func (*Enum[T]) sealed(T) {}

// Coerce implements AnyType.
func (t *Enum[T]) Coerce(v any) (any, error) { return t.word(v) }

func (t *Enum[T]) word(v any) (T, error) {
	if v == nil {
		return "", errNull
	}
	s, ok := asText(v)
	if !ok {
		return "", fmt.Errorf("a word is required, not a %T", v)
	}
	if t.Canonical != nil {
		s = t.Canonical(s)
	}
	if !slices.Contains(t.Values, T(s)) {
		return "", fmt.Errorf("field value %q is invalid: want one of %q", s, t.Values)
	}
	return T(s), nil
}

// Pattern holds text of a fixed form, such as a PCI address.
type Pattern struct {
	Name  string            // of the form
	Match func(string) bool // whether a text has the form
	Fold  func(string) string
}

// Describe implements AnyType.
func (t *Pattern) Describe() string { return t.Name }

// Primitive implements AnyType.
func (*Pattern) Primitive(v any) any { return v }

func (*Pattern) sealed(string) {}

// Coerce implements AnyType. Fold, if there is one, is applied before Match.
func (t *Pattern) Coerce(v any) (any, error) { return t.form(v) }

func (t *Pattern) form(v any) (string, error) {
	if v == nil {
		return "", errNull
	}
	s, ok := asText(v)
	if !ok {
		return "", errors.New("malformed " + t.Name)
	}
	if t.Fold != nil {
		s = t.Fold(s)
	}
	if !t.Match(s) {
		return "", fmt.Errorf("malformed %s %q", t.Name, s)
	}
	return s, nil
}
