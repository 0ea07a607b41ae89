package nova

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/placetop/placetop/model/placement"
)

// spec is an extra spec of flavors, a property of images, or two with the same meaning,
// that changes what Placement is asked, and how.
type spec struct {
	// key is that of the extra spec, and property that of the image, "" if there is none.
	key, property string
	legacy        string   // what property was called once
	flag          bool     // its values are true and false
	values        []string // that are accepted; nil for any
	// spelled are other spellings of values in property, which is read in lower case if
	// spelled is not nil.
	spelled map[string]string

	becomes  specTarget
	filter   string // the pre-filter that asks for it; "" for the request itself
	needs    string // key without which it means nothing; "" for none
	fallback string // value if needs is given and this one is not
	uefi     bool   // it means nothing unless the image has firmware of this type

	// Of a resource: its class, or the beginning of it if the labels of the value follow.
	class placement.ResourceClass
	// Of a trait: the one of a flag that is true, that of each value, "" for none, or what
	// comes before the value in capitals.
	trait  placement.Trait
	traits map[string]placement.Trait
	prefix placement.Trait
}

// specTarget is what a spec turns into in a request.
type specTarget int

const (
	becomesCPUs      specTarget = iota // VCPU, PCPU and HW_CPU_HYPERTHREADING, from several specs together
	becomesResource                    // in the un-suffixed group
	becomesTrait                       // that the un-suffixed group requires
	becomesRootTrait                   // root_required
)

// specsByName returns the rows of the table by the key of the extra spec and by the names
// of the image property.
//
//nolint:gochecknoglobals // an immutable table, computed on first use
var specsByName = sync.OnceValue(func() map[string]*spec {
	out := map[string]*spec{}
	for i := range specs {
		s := &specs[i]
		for _, name := range []string{s.key, s.property, s.legacy} {
			if name != "" {
				out[name] = s
			}
		}
	}
	return out
})

// check says why no instance can be booted with a value, "" if one can.
//
// Source: nova/api/validation/extra_specs/base.py, ExtraSpecValidator;
// nova/objects/fields.py, the enumerations.
func (s *spec) check(value string) string {
	values := s.values
	if s.traits != nil {
		values = sortedKeys(s.traits)
	}
	last := len(values) - 1
	switch {
	case last < 0 || slices.Contains(values, value):
		return ""
	case last == 0:
		return "must be " + values[0]
	}
	return "must be " + strings.Join(values[:last], ", ") + " or " + values[last]
}

// canonical returns a value of the image as spelled in the table.
func (s *spec) canonical(value string) string {
	if s.spelled == nil {
		return value
	}
	value = strings.ToLower(value)
	return cmp.Or(s.spelled[value], value)
}

// traitOf returns the trait that a value asks for, "" if there is none.
func (s *spec) traitOf(value string) placement.Trait {
	switch {
	case s.traits != nil:
		return s.traits[value]
	case s.flag && !isTrue(value):
		return ""
	case s.prefix != "":
		return s.prefix + placement.Trait(strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToUpper(value)))
	}
	return s.trait
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
