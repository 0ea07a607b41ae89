package object

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned"
)

//go:embed classes.txt
var classesText string

// class is what is known of a class of objects.
type class struct {
	name    string
	version versioned.Version // the newest one
	fields  map[string]field
	holds   []holding // oldest first
}

// field is a field of a class.
type field struct {
	kind  string // as in classes.txt
	since uint16 // minor version
}

// holding says which version the objects of another class have in those of a class from a
// minor version on.
type holding struct {
	since   uint16
	class   string
	version versioned.Version
}

// classes returns the classes of classes.txt by name.
//
//nolint:gochecknoglobals // read once, and never changed
var classes = sync.OnceValue(func() map[string]*class {
	out := map[string]*class{}
	var c *class
	for line := range strings.Lines(classesText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		version, _ := versioned.ParseVersion(words[len(words)-1])
		if line[0] != '\t' {
			c = &class{name: words[0], version: version, fields: map[string]field{}}
			out[c.name] = c
			continue
		}
		number := func(i int) uint16 {
			n, err := strconv.ParseUint(strings.Join(words[i:min(i+1, len(words))], ""), 10, 16)
			if err != nil && len(words) > i {
				panic("object: " + line)
			}
			return uint16(n)
		}
		if words[0] == "holds" {
			c.holds = append(c.holds, holding{number(1), words[2], version})
		} else {
			c.fields[words[0]] = field{words[1], number(2)}
		}
	}
	return out
})

// reads returns the version in text, if objects of it can be read. The third number,
// which a stable branch increments, is dropped.
func (c *class) reads(text string) (versioned.Version, error) {
	parts := strings.SplitN(text, ".", 3)
	v, err := versioned.ParseVersion(strings.Join(parts[:min(len(parts), 2)], "."))
	if err != nil {
		return v, fmt.Errorf("%w: %s: %w", versioned.ErrMalformed, c.name, err)
	}
	if v.Major != c.version.Major || v.Minor > c.version.Minor {
		return v, &IncompatibleVersionError{Class: c.name, Has: text, Knows: c.version}
	}
	return v, nil
}

// held returns the version of the named class in objects of version v.
func (c *class) held(v versioned.Version, name string) (out versioned.Version, ok bool) {
	for _, h := range c.holds {
		if h.class == name && h.since <= v.Minor {
			out, ok = h.version, true
		}
	}
	return out, ok
}

// values returns data, which is read from JSON, as objects of the class have it. If strict is
// set, fields that the class does not have are refused, or else ignored, as upstream ignores
// them. Errors match versioned.ErrMalformed, or versioned.ErrNewer for an object in a field.
func (c *class) values(data map[string]any, strict bool) (map[string]any, error) {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(data)) {
		f, ok := c.fields[name]
		if !ok && !strict {
			continue
		}
		v, err := value(f.kind, data[name], strict)
		if !ok {
			err = errors.New("there is no such field")
		}
		if err != nil {
			return nil, &ValueError{c.name, name, err}
		}
		out[name] = v
	}
	return out, nil
}

// value returns a value of a kind, with each part written as objects write it.
func value(kind string, v any, strict bool) (any, error) {
	kind, null := strings.CutSuffix(kind, "?")
	switch {
	case v == nil && (null || kind == "json"):
		return nil, nil
	case v == nil:
		return nil, errors.New("cannot be null")
	}
	switch kind {
	case "", "json":
		return v, nil
	case "int":
		return as[int64](v)
	case "float":
		return as[float64](v)
	case "bool":
		return as[bool](v)
	case "text":
		return as[string](v)
	case "uuid":
		return as[uuid.UUID](v)
	case "time":
		return as[time.Time](v)
	case "addr":
		return as[netip.Addr](v)
	case "{text}":
		return as[map[string]string](v)
	case "{text?}":
		return as[map[string]*string](v)
	case "[text]":
		return as[[]string](v)
	}
	if of, isList := strings.CutPrefix(kind, "["); isList {
		list, err := into[[]any](v)
		out := make([]any, len(list))
		for i := range list {
			if err == nil {
				out[i], err = value(strings.TrimSuffix(of, "]"), list[i], strict)
			}
		}
		return out, err
	}
	o, err := read(v, strict)
	if err == nil && o.Class != kind {
		err = fmt.Errorf("%w: an object of class %s is required, not one of %s", versioned.ErrMalformed, kind, o.Class)
	}
	if err != nil {
		return nil, err
	}
	return o.envelope(), nil
}

// as returns a value of JSON as a T writes it.
func as[T any](v any) (any, error) {
	to, err := into[T](v)
	if err != nil {
		return nil, err
	}
	return again(to), nil
}

// into decodes a value of JSON.
func into[T any](v any) (to T, err error) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return to, fmt.Errorf("cannot be a %s", wrong.Value)
	}
	return to, err
}

// again returns a value of Go's as JSON has it. A row's values can always be written.
func again(v any) any {
	text, err := json.Marshal(v)
	if err == nil {
		v, err = parse(text)
	}
	if err != nil {
		panic(err)
	}
	return v
}
