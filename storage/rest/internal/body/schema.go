package body

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Schema says what a value must be. Any goroutine may use it.
type Schema struct {
	ready    func() // sets the other fields from a text; nil in parts of a schema
	doc      Value
	keywords []keyword // in the order of doc, in which they are checked
}

// keyword is one rule of a Schema.
type keyword struct {
	name  string
	check func(c *checking, v *Value)
}

// MustSchema returns the Schema of a JSON text, which is read at the first Check: most
// runs of the program serve no API, and need not wait for its patterns. Check panics
// where the text is not a schema, or has an unknown keyword, which can only be a
// mistake in this program.
func MustSchema(text string) *Schema {
	s := new(Schema)
	s.ready = sync.OnceFunc(func() {
		doc, err := Parse([]byte(text))
		if err != nil {
			panic("body: " + err.Error() + " in " + text)
		}
		whole := compile(doc)
		s.doc, s.keywords = whole.doc, whole.keywords
	})
	return s
}

// A mistake is why a value does not match its Schema.
type mistake struct {
	message   string
	keyword   string
	path      []Value   // in the value: keys and indices
	schema    []Value   // of the keyword
	doc, node Value     // the schema and the value that disagree
	ways      []mistake // for anyOf: why each alternative does not match
}

// checking is one check of a value. Keys are those that lead to the current place.
type checking struct {
	path, schema []Value
	every        bool      // find all mistakes, not only the worst
	found        []mistake // the worst first, unless every
	at           *Schema
	name         string
}

// Check returns "" where v matches s, and otherwise what jsonschema says of the worst
// mistake: of those nearest to the top the first whose value is of another type, or
// the first.
//
// Source: jsonschema/exceptions.py, best_match and __str__.
func (s *Schema) Check(v Value) string {
	s.ready()
	var c checking
	c.descend(s, &v)
	if len(c.found) == 0 {
		return ""
	}
	best := c.found[0]
	if way, ok := best.way(); ok {
		best = way
	}
	return best.text()
}

// rank is how relevant a mistake is: more if nearer to the top, then less for one of
// several alternatives, then more for a value of another type.
func (m *mistake) rank() int {
	r := -4 * len(m.path)
	if m.keyword != "anyOf" {
		r += 2
	}
	if !m.ofType() {
		r++
	}
	return r
}

// ofType reports whether the value has the type in its schema.
func (m *mistake) ofType() bool {
	want, _ := m.doc.Get("type")
	if want.Kind == String {
		return m.node.is(want.Str)
	}
	return slices.ContainsFunc(want.Items, func(t Value) bool { return m.node.is(t.Str) })
}

// way returns the mistake of the alternative that the value comes nearest to; false if it
// comes near none.
func (m *mistake) way() (mistake, bool) {
	var nearest *mistake
	tied := false
	for i := range m.ways {
		switch w := &m.ways[i]; {
		case nearest == nil || w.rank() < nearest.rank():
			nearest, tied = w, false
		case w.rank() == nearest.rank():
			tied = true
		}
	}
	if nearest == nil || tied {
		return mistake{}, false
	}
	return *nearest, true
}

func (m mistake) text() string {
	return fmt.Sprintf("%s\n\nFailed validating %s in %s:\n    %s\n\nOn %s:\n    %s", m.message, Quote(m.keyword),
		index("schema", m.schema[:len(m.schema)-1]), m.doc.Sorted(), index("instance", m.path), m.node.Sorted())
}

// index returns the path to a place as Python writes it: schema['properties'][1].
func index(of string, path []Value) string {
	var b strings.Builder
	b.WriteString(of)
	for _, p := range path {
		b.WriteString("[" + p.String() + "]")
	}
	return b.String()
}

// descend applies all keywords of s to v.
func (c *checking) descend(s *Schema, v *Value) {
	at, name := c.at, c.name
	for i := range s.keywords {
		c.at, c.name = s, s.keywords[i].name
		s.keywords[i].check(c, v)
	}
	c.at, c.name = at, name
}

// within applies s to v, with the keys that lead to v and to s; Null for none.
func (c *checking) within(s *Schema, v *Value, path, schema Value) {
	if len(s.keywords) == 0 {
		return
	}
	c.schema = append(c.schema, Text(c.name))
	if schema.Kind != Null {
		c.schema = append(c.schema, schema)
	}
	c.path = append(c.path, path)
	c.descend(s, v)
	c.path = c.path[:len(c.path)-1]
	if schema.Kind != Null {
		c.schema = c.schema[:len(c.schema)-1]
	}
	c.schema = c.schema[:len(c.schema)-1]
}

// wrong notes a mistake, unless one as bad is known already.
func (c *checking) wrong(v *Value, format string, args ...any) {
	m := mistake{keyword: c.name, path: c.path, doc: c.at.doc, node: *v}
	switch {
	case c.every || len(c.found) == 0:
		c.found = append(c.found, mistake{})
	case m.rank() <= c.found[0].rank():
		return
	}
	m.message = fmt.Sprintf(format, args...)
	m.path, m.schema = slices.Clone(c.path), append(slices.Clone(c.schema), Text(c.name))
	c.found[len(c.found)-1] = m
}

func compile(doc Value) *Schema {
	s := &Schema{doc: doc}
	for _, m := range doc.Members {
		s.keywords = append(s.keywords, keyword{m.Key, rule(m.Key, m.Value, doc)})
	}
	return s
}

// rule returns the check of a keyword.
//
// Source: jsonschema/_validators.py.
func rule(name string, of, doc Value) func(*checking, *Value) {
	switch name {
	case "type":
		return typeRule(of)
	case "properties":
		return propertiesRule(of)
	case "patternProperties":
		return patternsRule(of)
	case "additionalProperties":
		return closedRule(doc)
	case "required":
		return requiredRule(of)
	case "items":
		s := compile(of)
		return func(c *checking, v *Value) {
			for i := range v.Items {
				c.within(s, &v.Items[i], Value{Kind: Int, Int: int64(i)}, Value{})
			}
		}
	case "anyOf":
		return anyRule(of)
	case "enum":
		return func(c *checking, v *Value) {
			key := v.key()
			if !slices.ContainsFunc(of.Items, func(x Value) bool { return x.key() == key }) {
				c.wrong(v, "%s is not one of %s", v, &of)
			}
		}
	case "uniqueItems":
		return uniqueRule
	case "format":
		return func(c *checking, v *Value) {
			if v.Kind != String || !UUIDLike(v.Str) {
				c.wrong(v, "%s is not a %s", v, &of)
			}
		}
	case "pattern":
		re := regexp.MustCompile(of.Str)
		return func(c *checking, v *Value) {
			if v.Kind == String && !re.MatchString(v.Str) {
				c.wrong(v, "%s does not match %s", v, &of)
			}
		}
	}
	return sizeRule(name, of)
}

// sizeRule is rule for keywords with a number.
func sizeRule(name string, of Value) func(*checking, *Value) {
	n := int(of.Int)
	switch name {
	case "minimum", "maximum":
		sign, words := 1, "%s is less than the minimum of %s"
		if name == "maximum" {
			sign, words = -1, "%s is greater than the maximum of %s"
		}
		return func(c *checking, v *Value) {
			if (v.Kind == Int || v.Kind == Float) && sign*compare(v, &of) < 0 {
				c.wrong(v, words, v, &of)
			}
		}
	case "minLength", "maxLength":
		return func(c *checking, v *Value) {
			if v.Kind != String {
				return
			}
			switch length := utf8.RuneCountInString(v.Str); {
			case name == "minLength" && length < n:
				c.wrong(v, "%s is too short", v)
			case name == "maxLength" && length > n:
				c.wrong(v, "%s is too long", v)
			}
		}
	case "minItems":
		return func(c *checking, v *Value) {
			if v.Kind == Array && len(v.Items) < n {
				c.wrong(v, "%s is too short", v)
			}
		}
	case "minProperties":
		return func(c *checking, v *Value) {
			if v.Kind == Object && len(v.Members) < n {
				c.wrong(v, "%s does not have enough properties", v)
			}
		}
	}
	panic("body: no keyword " + name)
}

// compare compares two numbers.
func compare(a, b *Value) int {
	if a.Kind == Int && b.Kind == Int {
		return whole(a).Cmp(whole(b))
	}
	x, _ := a.Number()
	y, _ := b.Number()
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func whole(v *Value) *big.Int {
	if v.Big != nil {
		return v.Big
	}
	return big.NewInt(v.Int)
}

func typeRule(of Value) func(*checking, *Value) {
	types := []Value{of}
	if of.Kind == Array {
		types = of.Items
	}
	return func(c *checking, v *Value) {
		for i := range types {
			if v.is(types[i].Str) {
				return
			}
		}
		names := make([]string, len(types))
		for i, t := range types {
			names[i] = t.String()
		}
		c.wrong(v, "%s is not of type %s", v, strings.Join(names, ", "))
	}
}

// is reports whether v has a type of JSON schema.
func (v *Value) is(name string) bool {
	switch name {
	case "object":
		return v.Kind == Object
	case "array":
		return v.Kind == Array
	case "string":
		return v.Kind == String
	case "integer":
		return v.isWhole()
	case "number":
		return v.Kind == Int || v.Kind == Float
	case "null":
		return v.Kind == Null
	}
	panic("body: no type " + name)
}

func propertiesRule(of Value) func(*checking, *Value) {
	schemas := make([]*Schema, len(of.Members))
	for i, m := range of.Members {
		schemas[i] = compile(m.Value)
	}
	return func(c *checking, v *Value) {
		if v.Kind != Object {
			return
		}
		for i, s := range schemas {
			key := of.Members[i].Key
			if m := v.member(key); m != nil {
				c.within(s, &m.Value, Text(key), Text(key))
			}
		}
	}
}

func patternsRule(of Value) func(*checking, *Value) {
	schemas := make([]*Schema, len(of.Members))
	patterns := make([]*regexp.Regexp, len(of.Members))
	for i, m := range of.Members {
		schemas[i], patterns[i] = compile(m.Value), regexp.MustCompile(m.Key)
	}
	return func(c *checking, v *Value) {
		if v.Kind != Object {
			return
		}
		for i, s := range schemas {
			for j := range v.Members {
				if key := v.Members[j].Key; patterns[i].MatchString(key) {
					c.within(s, &v.Members[j].Value, Text(key), Text(of.Members[i].Key))
				}
			}
		}
	}
}

// closedRule refuses members that are not in a schema.
func closedRule(doc Value) func(*checking, *Value) {
	known, _ := doc.Get("properties")
	byPattern, patterned := doc.Get("patternProperties")
	patterns := make([]*regexp.Regexp, len(byPattern.Members))
	quoted := make([]string, len(byPattern.Members))
	for i, m := range byPattern.Members {
		patterns[i], quoted[i] = regexp.MustCompile(m.Key), Quote(m.Key)
	}
	slices.Sort(quoted)
	return func(c *checking, v *Value) {
		if v.Kind != Object {
			return
		}
		var extras []string
		for _, m := range v.Members {
			if known.member(m.Key) == nil && !slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(m.Key) }) {
				extras = append(extras, m.Key)
			}
		}
		if len(extras) == 0 {
			return
		}
		slices.Sort(extras)
		for i, e := range extras {
			extras[i] = Quote(e)
		}
		joined, one := strings.Join(extras, ", "), len(extras) == 1
		switch {
		case patterned && one:
			c.wrong(v, "%s does not match any of the regexes: %s", joined, strings.Join(quoted, ", "))
		case patterned:
			c.wrong(v, "%s do not match any of the regexes: %s", joined, strings.Join(quoted, ", "))
		case one:
			c.wrong(v, "Additional properties are not allowed (%s was unexpected)", joined)
		default:
			c.wrong(v, "Additional properties are not allowed (%s were unexpected)", joined)
		}
	}
}

func requiredRule(of Value) func(*checking, *Value) {
	return func(c *checking, v *Value) {
		if v.Kind != Object {
			return
		}
		for i := range of.Items {
			if v.member(of.Items[i].Str) == nil {
				c.wrong(v, "%s is a required property", &of.Items[i])
			}
		}
	}
}

func anyRule(of Value) func(*checking, *Value) {
	schemas := make([]*Schema, len(of.Items))
	for i, s := range of.Items {
		schemas[i] = compile(s)
	}
	return func(c *checking, v *Value) {
		var ways []mistake
		for i, s := range schemas {
			alone := checking{schema: []Value{{Kind: Int, Int: int64(i)}}, every: true}
			alone.descend(s, v)
			if len(alone.found) == 0 {
				return
			}
			ways = append(ways, alone.found...)
		}
		c.wrong(v, "%s is not valid under any of the given schemas", v)
		if last := &c.found[len(c.found)-1]; last.keyword == "anyOf" && last.ways == nil {
			last.ways = ways
		}
	}
}

func uniqueRule(c *checking, v *Value) {
	if v.Kind != Array {
		return
	}
	seen := map[string]bool{}
	for i := range v.Items {
		key := v.Items[i].key()
		if seen[key] {
			c.wrong(v, "%s has non-unique elements", v)
			return
		}
		seen[key] = true
	}
}

// UUIDLike reports whether OpenStack accepts a text as a uuid: 32 hexadecimal digits,
// with dashes anywhere, in braces, after urn:uuid:.
//
// Source: oslo_utils/uuidutils.py, is_uuid_like.
func UUIDLike(s string) bool {
	_, ok := cutUUID(s)
	return ok
}

func cutUUID(s string) (string, bool) {
	if len(s) != 32 && len(s) != 36 || strings.ContainsAny(s, ":{}") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "urn:", ""), "uuid:", "")
		s = strings.Trim(s, "{}")
	}
	digits := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			digits++
		case c != '-':
			return "", false
		}
	}
	return s, digits == 32
}

// NormalUUID returns a text that is UUIDLike in lower case with dashes.
func NormalUUID(s string) string {
	s, _ = cutUUID(s)
	s = strings.ToLower(strings.ReplaceAll(s, "-", ""))
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
