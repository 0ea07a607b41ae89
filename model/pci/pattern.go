package pci

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Pattern matches the addresses of PCI functions, field by field: by a glob such as
// *:0a:00.* or by regular expressions.
//
// Source: nova/pci/devspec.py, PciAddressGlobSpec and PciAddressRegexSpec.
type Pattern struct {
	text   string
	fields [4]fieldPattern // domain, bus, slot, function
}

// fieldPattern matches a field; the zero value matches any.
type fieldPattern struct {
	is  string         // the field itself; "" for any
	how *regexp.Regexp // matched at its start
}

// At returns the Pattern of one address.
func At(a Address) *Pattern {
	p := &Pattern{text: a.String()}
	for i, is := range fieldsOf(a) {
		p.fields[i].is = is
	}
	return p
}

// String returns the pattern as it was written.
func (p *Pattern) String() string { return p.text }

// fieldsOf returns the fields of an address as they are matched.
func fieldsOf(a Address) [4]string {
	return [4]string{
		fmt.Sprintf("%04x", a.Domain), fmt.Sprintf("%02x", a.Bus), fmt.Sprintf("%02x", a.Device), fmt.Sprintf("%x", a.Function),
	}
}

func (p *Pattern) matches(a Address) bool {
	for i, has := range fieldsOf(a) {
		f := p.fields[i]
		if f.how != nil && !f.how.MatchString(has) || f.is != "" && f.is != has {
			return false
		}
	}
	return true
}

// whole reports whether p gives every field, and so matches a single address.
func (p *Pattern) whole() bool {
	for _, f := range p.fields {
		if f.is == "" || strings.Trim(f.is, "0123456789abcdefABCDEF") != "" {
			return false
		}
	}
	return true
}

// parsePattern reads the address of a device spec: a text is a glob, an object has
// regular expressions.
func parsePattern(v any) (*Pattern, error) {
	switch v := v.(type) {
	case string:
		return parseGlob(v)
	case map[string]any:
		return parseRegexes(v)
	}
	return nil, errors.New("address must be a glob such as *:0a:00.*, or an object of regular expressions")
}

// fieldNames returns the names of the fields in an object, with the largest value of each
// and its digits.
func fieldNames() [4]struct {
	name   string
	most   uint64
	digits int
} {
	return [4]struct {
		name   string
		most   uint64
		digits int
	}{{"domain", 0xffff, 4}, {"bus", 0xff, 2}, {"slot", 0x1f, 2}, {"function", 7, 1}}
}

// parseGlob reads a glob. Fields are hexadecimal numbers or *, and may be left out
// from the left.
func parseGlob(text string) (*Pattern, error) {
	rest, function, _ := strings.Cut(text, ".")
	fields := []string{"", "", ""}
	if rest != "" {
		given := strings.Split(rest, ":")
		if len(given) > len(fields) {
			return nil, fmt.Errorf("address %q has more than a domain, a bus and a slot before the dot", text)
		}
		copy(fields[len(fields)-len(given):], given)
	}
	p := &Pattern{text: text}
	for i, f := range fieldNames() {
		field := function
		if i < len(fields) {
			field = fields[i]
		}
		is, err := hexField("address "+text+": "+f.name, strings.TrimSpace(field), f.most, f.digits)
		if err != nil {
			return nil, err
		}
		p.fields[i].is = is
	}
	return p, nil
}

// parseRegexes reads regular expressions. Each is matched from the start of its field,
// and need not reach its end, as in Python's re.match. Keys that Nova does not know are
// refused: they would be ignored, and so pick every device.
func parseRegexes(o map[string]any) (*Pattern, error) {
	p := &Pattern{}
	var parts []string
	known := map[string]bool{}
	for i, f := range fieldNames() {
		known[f.name] = true
		v, has := o[f.name]
		if !has {
			continue
		}
		text, isText := v.(string)
		if !isText {
			return nil, fmt.Errorf("address: %s must be a string in quotes", f.name)
		}
		how, err := regexp.Compile("^(?:" + text + ")")
		if err != nil {
			return nil, fmt.Errorf("address: %s %q is not a regular expression: %w", f.name, text, err)
		}
		p.fields[i].how = how
		if text != "" && strings.Trim(text, "0123456789abcdefABCDEF") == "" {
			p.fields[i] = fieldPattern{is: text}
			if len(text) != f.digits {
				p.fields[i] = fieldPattern{how: how}
			}
		}
		parts = append(parts, f.name+" "+text)
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !known[key] {
			return nil, fmt.Errorf("address: %q is not one of domain, bus, slot, function", key)
		}
	}
	p.text = strings.Join(parts, ", ")
	return p, nil
}
