package nova

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/suggest"
)

// Spec is an extra spec of flavors, a property of images, or two with the same
// meaning, and what Nova makes of it in a request.
type Spec struct {
	// Key is that of the extra spec, and Property that of the image, "" if there is none.
	// In both * matches anything, # a number and {a,b} one of several.
	Key, Property string
	Legacy        string // what Property was called once
	Type          SpecType
	Most          int64    // of a number; 0 for any
	Values        []string // that are accepted; nil for all of Type
	Pattern       string   // of all that is accepted; "" for any
	// Spelled are other spellings of Values in Property, which is read in lower case if
	// Spelled is not nil.
	Spelled map[string]string

	Becomes Becomes
	Filter  string // the pre-filter that asks for it; "" for the request itself
	Needs   string // key without which it means nothing; "" for none
	Default string // value if Needs is given and this one is not
	Image   string // property of the image without whose value Is it means nothing; "" for none
	Is      string

	// Of a resource: its class, or the beginning of it if the labels of the value follow.
	Class placement.ResourceClass
	// Of a trait: the one of a value that is true, that of each value, "" for none, or
	// what comes before the value in capitals.
	Trait  placement.Trait
	Traits map[string]placement.Trait
	Prefix placement.Trait

	// Judge is the filter of the scheduler that judges hosts by it once Placement has
	// answered; "" for none. It refuses nobody where the value is Lenient.
	Judge, Lenient string
	Why            string // why it is not part of a request, if no filter checks it
}

// SpecType is the type of a Spec's values.
type SpecType int

// The types.
const (
	typeText SpecType = iota
	typeBool
	typePositive // a whole number of at least 1
	typeCount    // a whole number of at least 0
	typeInt
	typeVersions // a condition on versions
)

// Becomes is what a Spec turns into in a request.
type Becomes int

// What a Spec may become.
const (
	BecomesNothing   Becomes = iota
	BecomesGroups            // request groups, or their policy
	BecomesCPUs              // VCPU, PCPU and HW_CPU_HYPERTHREADING, from several specs together
	BecomesResource          // in the un-suffixed group
	BecomesTrait             // that the un-suffixed group requires
	BecomesRootTrait         // root_required
)

// specIndex finds the rows of the table.
type specIndex struct {
	keys, properties []specPattern
	exact            map[string]*Spec // by key, and by property
	namespaces       []*regexp.Regexp // the parts before the colon of keys
}

type specPattern struct {
	match *regexp.Regexp
	spec  *Spec
}

//nolint:gochecknoglobals // an immutable table, computed on first use
var specsByName = sync.OnceValue(func() *specIndex {
	x := &specIndex{exact: map[string]*Spec{}}
	for i := range specs {
		s := &specs[i]
		x.add(&x.keys, s, s.Key)
		x.add(&x.properties, s, s.Property)
		x.add(&x.properties, s, s.Legacy)
	}
	heads := map[string]bool{}
	for i := range specs {
		for _, name := range braces(specs[i].Key) {
			head, _, spaced := strings.Cut(name, ":")
			if spaced && !heads[head] {
				heads[head] = true
				x.namespaces = append(x.namespaces, wildcard(head))
			}
		}
	}
	return x
})

// add adds the names that a pattern of a row stands for.
func (x *specIndex) add(to *[]specPattern, s *Spec, names string) {
	for _, name := range braces(names) {
		if strings.ContainsAny(name, "*#") {
			*to = append(*to, specPattern{wildcard(name), s})
		} else if _, twice := x.exact[name]; !twice {
			x.exact[name] = s
		}
	}
}

// braces returns the names that a{b,c}d stands for.
func braces(name string) []string {
	head, rest, ok := strings.Cut(name, "{")
	inner, tail, closed := strings.Cut(rest, "}")
	switch {
	case name == "":
		return nil
	case !ok || !closed:
		return []string{name}
	}
	var out []string
	for part := range strings.SplitSeq(inner, ",") {
		out = append(out, braces(head+part+tail)...)
	}
	return out
}

// wildcard returns an expression for a name with * and #.
func wildcard(name string) *regexp.Regexp {
	text := regexp.QuoteMeta(name)
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\*`, `.*`), "#", `\d+`)
	return regexp.MustCompile("^" + text + "$")
}

func (x *specIndex) find(among []specPattern, name string) (*Spec, bool) {
	if s, ok := x.exact[name]; ok {
		return s, true
	}
	i := slices.IndexFunc(among, func(p specPattern) bool { return p.match.MatchString(name) })
	if i < 0 {
		return nil, false
	}
	return among[i].spec, true
}

// extraSpec returns the row of an extra spec, and false for an unknown one: that is
// refused if its namespace is known, and otherwise is the operator's own.
func (x *specIndex) extraSpec(key string) (s *Spec, known bool) { return x.find(x.keys, key) }

// property returns the row of an image property.
func (x *specIndex) property(name string) (s *Spec, known bool) { return x.find(x.properties, name) }

// spaced reports whether a key is in a namespace of Nova's.
//
// Source: nova/api/validation/extra_specs/validators.py, validate.
func (x *specIndex) spaced(key string) bool {
	head, _, ok := strings.Cut(key, ":")
	return ok && slices.ContainsFunc(x.namespaces, func(r *regexp.Regexp) bool { return r.MatchString(head) })
}

// like returns the known key of the same namespace that is most like an unknown one, as
// the end of a sentence.
func (x *specIndex) like(key string) string {
	head, name, _ := strings.Cut(key, ":")
	var known []string
	for k := range x.exact {
		if rest, ok := strings.CutPrefix(k, head+":"); ok {
			known = append(known, rest)
		}
	}
	if best := suggest.Nearest(name, known); len(best) > 0 {
		return ", did you mean " + head + ":" + best[0] + "?"
	}
	return "."
}

// check says why a flavor cannot have a value, "" if it can.
//
// Source: nova/api/validation/extra_specs/base.py, ExtraSpecValidator.
func (s *Spec) check(value string) string {
	switch {
	case s.Values != nil:
		return notAmong(s.Values, value)
	case s.Traits != nil:
		return s.refuses(value)
	case s.Type == typeBool && !isBool(value):
		return "must be true or false"
	case s.number():
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		switch {
		case s.Type == typePositive && (err != nil || n < 1):
			return "must be a whole number of at least 1"
		case s.Type == typeCount && (err != nil || n < 0):
			return "must be a whole number of at least 0"
		case err != nil:
			return notWhole
		case s.Most > 0 && n > s.Most:
			return fmt.Sprintf("must be at most %d", s.Most)
		}
	case s.Pattern != "" && !wholly(s.Pattern, value):
		return "must be of the form " + s.Pattern
	}
	return ""
}

// refuses says why no instance can be booted with a value, "" if one can.
//
// Source: nova/objects/fields.py, the enumerations.
func (s *Spec) refuses(value string) string {
	if s.Traits != nil {
		return notAmong(sortedKeys(s.Traits), value)
	}
	return notAmong(s.Values, value)
}

// refusesImage says why no instance can be booted from an image with a value, "" if one
// can. A flag may have any value, and a number may be any number.
//
// Source: nova/objects/image_meta.py, ImageMetaProps, and the coerce of its fields in
// nova/objects/fields.py; nova/compute/api.py, _get_image_meta_obj.
func (s *Spec) refusesImage(value string) string {
	switch {
	case s.number():
		if _, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil {
			return notWhole
		}
		return ""
	case s.Key == numaCPUs+"#":
		if _, bad := parseCPUs(value); bad != "" {
			return bad + " must be a CPU, a range a-b, or ^ and one of these"
		}
		return ""
	case s.Type == typeVersions && !wholly(versionPredicates, value):
		return "must be versions with one of < <= == != >= > each, such as >=6.0,<8.0"
	}
	return s.refuses(s.canonical(value))
}

const notWhole = "must be a whole number"

// versionPredicates matches conditions on versions.
//
// Source: distutils/versionpredicate.py and StrictVersion of distutils/version.py.
const versionPredicates = versionPredicate + `(,` + versionPredicate + `)*`

const versionPredicate = `\s*(<=|>=|<|>|!=|==)\s*\d+\.\d+(\.\d+)?([ab]\d+)?\s*`

func (s *Spec) number() bool {
	return s.Type == typePositive || s.Type == typeCount || s.Type == typeInt
}

// canonical returns a value of the image as spelled in the table.
func (s *Spec) canonical(value string) string {
	if s.Spelled == nil {
		return value
	}
	value = strings.ToLower(value)
	return cmp.Or(s.Spelled[value], value)
}

func notAmong(values []string, value string) string {
	last := len(values) - 1
	if last < 0 || slices.Contains(values, value) {
		return ""
	}
	if last == 0 {
		return "must be " + values[0]
	}
	return "must be " + strings.Join(values[:last], ", ") + " or " + values[last]
}

func wholly(pattern, value string) bool {
	ok, err := regexp.MatchString("^(?:"+pattern+")$", value)
	return ok && err == nil
}

// trait returns the trait that a value asks for, "" if there is none.
func (s *Spec) trait(value string) placement.Trait {
	switch {
	case s.Traits != nil:
		return s.Traits[value]
	case s.Type == typeBool && !isTrue(value):
		return ""
	case s.Prefix != "":
		return s.Prefix + placement.Trait(strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToUpper(value)))
	}
	return s.Trait
}

// isTrue is how Nova reads a flag: anything other than these is false.
//
// Source: oslo_utils/strutils.py, bool_from_string.
func isTrue(value string) bool {
	return slices.Contains([]string{"1", "t", "true", "on", "y", "yes"}, strings.ToLower(strings.TrimSpace(value)))
}

func isBool(value string) bool {
	return isTrue(value) || slices.Contains([]string{"0", "f", "false", "off", "n", "no"}, strings.ToLower(strings.TrimSpace(value)))
}
