package ops

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Wish is an allocation that somebody wants to create: all of its resources from
// one tree and the sharing pools that the tree can reach, each class from one
// provider.
type Wish struct {
	Consumer  placement.ConsumerID
	Type      placement.ConsumerType // empty for unknown
	Project   string
	User      string
	Resources map[placement.ResourceClass]int64 // units of each class, from 1

	// Provider is the one to take from, the zero id for any: what it has an
	// inventory of comes from it and from no other, the rest from the tree that
	// it is in or, where it is a sharing pool, from a tree that can reach it.
	Provider placement.ProviderID
}

// ParseResources reads amounts by class, as "VCPU=2,MEMORY_MB=4096". Commas and
// spaces separate, and a colon serves as well as "=", as in the queries of the
// Placement API. Classes may be in lower case. The error matches
// placement.ErrInvalid and says which part is wrong.
func ParseResources(text string) (map[placement.ResourceClass]int64, error) {
	out := map[placement.ResourceClass]int64{}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		bad := func(why string) error {
			return &placement.InvalidError{Field: "resources", Value: part, Why: why}
		}
		i := strings.IndexAny(part, "=:")
		if i < 0 {
			return nil, bad("is not CLASS=AMOUNT, such as VCPU=2")
		}
		class := placement.ResourceClass(strings.ToUpper(part[:i]))
		if err := class.Validate(); err != nil {
			return nil, err
		}
		if _, twice := out[class]; twice {
			return nil, bad(string(class) + " is given twice")
		}
		n, err := strconv.ParseInt(part[i+1:], 10, 64)
		if err != nil || n < 1 || n > placement.MaxInt {
			return nil, bad(fmt.Sprintf("the amount must be a whole number from 1 to %d", int64(placement.MaxInt)))
		}
		out[class] = n
	}
	if len(out) == 0 {
		return nil, &placement.InvalidError{Field: "resources", Why: "name at least one, such as VCPU=2"}
	}
	return out, nil
}

// FormatResources is the inverse of ParseResources: by name of the class, with
// commas.
func FormatResources(r map[placement.ResourceClass]int64) string {
	parts := make([]string, 0, len(r))
	for _, c := range slices.Sorted(maps.Keys(r)) {
		parts = append(parts, fmt.Sprintf("%s=%d", c, r[c]))
	}
	return strings.Join(parts, ",")
}

// amount is what a Wish asks of one class.
type amount struct {
	id    placement.ClassID
	class placement.ResourceClass
	n     int64
}

// amounts returns what w asks for by class number, or an error that matches
// placement.ErrInvalid: for a class that s does not know, or an amount out of
// range.
func (w Wish) amounts(s *cloud.Snapshot) ([]amount, error) {
	if len(w.Resources) == 0 {
		return nil, &placement.InvalidError{Field: "resources", Why: "name at least one, such as VCPU=2"}
	}
	out := make([]amount, 0, len(w.Resources))
	for _, class := range slices.Sorted(maps.Keys(w.Resources)) {
		id, ok := s.Placement().ClassID(class)
		if !ok {
			return nil, &placement.InvalidError{
				Field: "resource class", Value: string(class), Why: "no such resource class" + s.Placement().ClassHint(class),
			}
		}
		n := w.Resources[class]
		if n < 1 || n > placement.MaxInt {
			return nil, &placement.InvalidError{
				Field: string(class), Value: strconv.FormatInt(n, 10), Why: fmt.Sprintf("must be from 1 to %d", int64(placement.MaxInt)),
			}
		}
		out = append(out, amount{id, class, n})
	}
	slices.SortFunc(out, func(a, b amount) int { return cmp.Compare(a.id, b.id) })
	return out, nil
}
