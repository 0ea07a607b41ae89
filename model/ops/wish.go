package ops

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Wish is an allocation that a user wants to create: all of its resources from one tree
// and the sharing pools that the tree can reach, each class from one provider.
type Wish struct {
	Consumer  placement.ConsumerID
	Type      placement.ConsumerType // empty for unknown
	Project   string
	User      string
	Resources map[placement.ResourceClass]int64 // units of each class, from 1
	Terms     candidates.Group                  // traits and aggregates that are asked for; its Resources say nothing

	// Provider is the one to take from, the zero id for any: what it has an inventory of
	// comes from it and from no other, the rest from the tree that it is in or, if it is
	// a sharing pool, from a tree that can reach it.
	Provider placement.ProviderID
}

// ParseResources reads amounts by class, such as "VCPU=2,MEMORY_MB=4096". Commas and
// spaces separate, and a colon serves as well as "=", as in queries of the Placement
// API. Classes may be in lower case. The error matches placement.ErrInvalid and names
// the part at fault.
func ParseResources(text string) (map[placement.ResourceClass]int64, error) {
	out := map[placement.ResourceClass]int64{}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		bad := func(why string) error {
			return placement.Invalid("resources", part, why)
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

// ParseTerms reads what a Wish asks of providers in addition to resources, in the syntax
// of the Placement API: traits such as "HW_GPU,!OWNER_CYBORG" or "in:A,B"; aggregates by
// uuid, or by the name of a host aggregate, with "in:" before several of which one
// suffices. Both may be empty. The error matches placement.ErrInvalid.
func ParseTerms(s *cloud.Snapshot, traits, aggregates string) (candidates.Group, error) {
	query := url.Values{"resources": {"VCPU:1"}}
	if traits = strings.ToUpper(strings.TrimSpace(traits)); traits != "" {
		if names, any := strings.CutPrefix(traits, "IN:"); any {
			traits = "in:" + names
		}
		query.Set("required", traits)
	}
	if aggregates = strings.TrimSpace(aggregates); aggregates != "" {
		query.Set("member_of", aggregates)
	}
	q, err := candidates.ParseURL(QueryByNames(s, query.Encode()), microversion.PlacementNewest, s.Placement())
	var at *candidates.ParseError
	switch {
	case errors.As(err, &at):
		field := map[string]string{"required": "traits", "member_of": "aggregates"}[at.Param]
		return candidates.Group{}, &placement.InvalidError{Field: cmp.Or(field, at.Param), Why: at.Why}
	case err != nil:
		return candidates.Group{}, err
	}
	q.Groups[0].Resources = nil
	return q.Groups[0], nil
}

// QueryByNames returns the text of a query with the uuids of the aggregates and providers that
// it names.
func QueryByNames(s *cloud.Snapshot, text string) string {
	terms := strings.Split(text, "&")
	for i, term := range terms {
		key, value, _ := strings.Cut(term, "=")
		value, err := url.QueryUnescape(value)
		var uuidOf func(s *cloud.Snapshot, name string) string
		switch {
		case err != nil:
			continue
		case strings.HasPrefix(key, "member_of"):
			uuidOf = aggregateNamed
		case strings.HasPrefix(key, "in_tree"):
			uuidOf = providerNamed
		default:
			continue
		}
		list := strings.TrimPrefix(strings.TrimLeft(value, "!"), "in:")
		names := strings.Split(list, ",")
		for j, name := range names {
			names[j] = url.QueryEscape(uuidOf(s, strings.TrimSpace(name)))
		}
		terms[i] = key + "=" + strings.TrimSuffix(value, list) + strings.Join(names, ",")
	}
	return strings.Join(terms, "&")
}

// aggregateNamed returns the uuid of the host aggregate of a name, or the name if there is none.
func aggregateNamed(s *cloud.Snapshot, name string) string {
	for a := range s.Nova().Aggregates() {
		if a.Name == name {
			return a.UUID.String()
		}
	}
	return name
}

// providerNamed returns the uuid of the provider of a name, or the name if there is none.
func providerNamed(s *cloud.Snapshot, name string) string {
	if p, ok := s.Placement().ProviderByName(name); ok {
		return p.ID().String()
	}
	return name
}
