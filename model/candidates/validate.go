package candidates

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// maxGroups is the most request groups that a query may have: as many as fit
// into the longest URL that servers take.
const maxGroups = 512

// Validate returns a *ParseError unless q is a query that a client of its microversion
// could send, and names only classes and traits that s knows. A nil s accepts all that
// are well formed.
func (q Query) Validate(s *placement.Snapshot) error {
	for i, g := range q.Groups {
		switch {
		case q.find(g.Suffix) < i:
			return undefined("resources"+g.Suffix, "the group is given twice")
		case g.Suffix == "" && i > 0:
			return undefined("resources", "the un-suffixed group comes first")
		case len(g.Resources)+len(g.Required)+len(g.Forbidden)+len(g.MemberOf)+len(g.ForbiddenAggregates) == 0 && g.InTree == "":
			return undefined("resources"+g.Suffix, "the group asks for nothing")
		}
	}
	if q.Limit < 0 {
		return undefined("limit", "must be at least 1")
	}
	p := newParser(q.URL(), q.Version())
	p.names = s
	if e := p.parse(); e != nil {
		e.Column = 0 // of a text that nobody wrote
		return e
	}
	return nil
}

// checkClass says what is wrong with the name of a class, "" if nothing is.
func checkClass(s *placement.Snapshot, name placement.ResourceClass) string {
	if err := name.Validate(); err != nil {
		return err.Error()
	}
	if s != nil {
		if _, ok := s.ClassID(name); !ok {
			return "no such resource class " + string(name) + s.ClassHint(name)
		}
	}
	return ""
}

// checkTrait is checkClass for traits.
func checkTrait(s *placement.Snapshot, name placement.Trait) string {
	if err := name.Validate(); err != nil {
		return err.Error()
	}
	if s != nil {
		if _, ok := s.TraitID(name); !ok {
			return "no such trait " + string(name) + s.TraitHint(name)
		}
	}
	return ""
}

// checkWhole checks how the parts of q go together.
//
// Source: placement/lib.py, RequestGroup.dict_from_request;
// placement/handlers/allocation_candidate.py.
func (q Query) checkWhole() *ParseError {
	v := q.Version()
	if v < microversion.Candidates {
		return tooOld("", v, microversion.Candidates, "GET /allocation_candidates")
	}
	if len(q.Groups) > maxGroups {
		return undefined("", "%d request groups, at most %d are allowed", len(q.Groups), maxGroups)
	}
	if e := q.checkResources(v); e != nil {
		return e
	}
	for _, g := range q.Groups {
		forbidden := g.forbidden()
		for _, t := range g.Required {
			if !slices.ContainsFunc(t.Names, func(n placement.Trait) bool { return !forbidden[n] }) {
				return undefined("required"+g.Suffix, "%s is both required and forbidden", joinTraits(t.Names, " or "))
			}
		}
	}
	if e := q.Root.conflict(); e != nil {
		return e
	}
	if n := q.suffixed(); n > 1 && q.GroupPolicy == "" {
		return undefined("group_policy", "must be none or isolate where there is more than one suffixed group (here %d)", n).
			upstream(`The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.`)
	}
	return nil
}

// checkResources checks which groups may be without resources.
func (q Query) checkResources(v microversion.Placement) *ParseError {
	var without []string // suffixes of the groups without resources
	for _, g := range q.Groups {
		if len(g.Resources) == 0 {
			without = append(without, g.Suffix)
		}
	}
	if len(without) == len(q.Groups) {
		e := undefined("resources", "there must be at least one resources parameter").upstream("%s", q.orphans(without))
		if v >= microversion.SameSubtree {
			e.Code, e.Upstream = CodeMissingValue, "There must be at least one resources or resources[$S] parameter."
		}
		return e
	}
	together := map[string]bool{} // suffixes in a same_subtree
	for _, t := range q.SameSubtree {
		for _, s := range t.Suffixes {
			together[s] = true
		}
	}
	for _, suffix := range without {
		switch {
		case v < microversion.SameSubtree:
			return undefined(q.anyParam(suffix), "a group without resources%s needs microversion %s, but this query uses %s", suffix, microversion.SameSubtree, v).upstream("%s", q.orphans(without))
		case !together[suffix]:
			e := undefined(q.anyParam(suffix), "without resources%s the group must be named in same_subtree", suffix).
				upstream("Resourceless suffixed group request should be specified in `same_subtree` query param: bad group(s) - %s.", suffix)
			e.Code = CodeBadValue
			return e
		}
	}
	for _, t := range q.SameSubtree {
		for _, s := range t.Suffixes {
			if q.find(s) < 0 {
				return unknownSubtree(s)
			}
		}
	}
	return nil
}

// orphans says in Placement's words what is wrong with groups without resources, given by
// their suffixes, at a microversion that has none.
//
// Source: placement/lib.py, _check_for_orphans.
func (q Query) orphans(suffixes []string) string {
	if q.Version() < microversion.Groups {
		return "'resources' is a required property"
	}
	var traits, aggregates []string
	for _, suffix := range suffixes {
		g, _ := q.Group(suffix)
		if len(g.Required)+len(g.Forbidden) > 0 {
			traits = append(traits, "required"+suffix)
		}
		if len(g.MemberOf)+len(g.ForbiddenAggregates) > 0 {
			aggregates = append(aggregates, "member_of"+suffix)
		}
	}
	switch {
	case len(traits) > 0:
		return "All traits parameters must be associated with resources.  Found the following orphaned traits keys: " + strings.Join(traits, ", ")
	case len(aggregates) > 0:
		return "All member_of parameters must be associated with resources. Found the following orphaned member_of keys: " + strings.Join(aggregates, ", ")
	case len(suffixes) > 0:
		return "All request groups must specify resources."
	}
	return "At least one request group (`resources` or `resources{$S}`) is required."
}

// conflict returns an error about a trait that is both required and forbidden.
func (t RootTerms) conflict() *ParseError {
	for _, r := range t.Required {
		if slices.ContainsFunc(t.Forbidden, func(f Trait) bool { return f.Name == r.Name }) {
			e := undefined("root_required", "%s is both required and forbidden", r.Name).
				upstream("Conflicting required and forbidden traits found in root_required: %s", r.Name)
			e.Code = CodeBadValue
			return e
		}
	}
	return nil
}

// forbidden returns the forbidden traits as a set.
func (g Group) forbidden() map[placement.Trait]bool {
	set := make(map[placement.Trait]bool, len(g.Forbidden))
	for _, t := range g.Forbidden {
		set[t.Name] = true
	}
	return set
}

// suffixed returns how many suffixed groups q has.
func (q Query) suffixed() int {
	n := len(q.Groups)
	if q.find("") >= 0 {
		n--
	}
	return n
}

// anyParam returns a parameter of the group with the given suffix.
func (q Query) anyParam(suffix string) string {
	g, _ := q.Group(suffix)
	switch {
	case len(g.Required)+len(g.Forbidden) > 0:
		return "required" + suffix
	case len(g.MemberOf)+len(g.ForbiddenAggregates) > 0:
		return "member_of" + suffix
	case g.InTree != "":
		return "in_tree" + suffix
	}
	return "resources" + suffix
}

// validSuffix reports whether s may follow the name of a parameter.
//
// Source: placement/schemas/common.py, GROUP_PAT and GROUP_PAT_1_33.
func validSuffix(s string, v microversion.Placement) bool {
	if s == "" || v < microversion.Groups {
		return false
	}
	if v < microversion.TextSuffix {
		return s[0] != '0' && strings.Trim(s, "0123456789") == ""
	}
	if len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

func badSuffix(param, suffix string, v microversion.Placement) *ParseError {
	key := param + suffix
	switch {
	case v < microversion.Groups && validSuffix(suffix, microversion.Groups):
		return tooOld(key, v, microversion.Groups, "a suffixed group")
	case v < microversion.TextSuffix && validSuffix(suffix, microversion.TextSuffix):
		return tooOld(key, v, microversion.TextSuffix, "a suffix that is not a number")
	}
	return undefined(key, "the suffix %q is not 1 to 64 of a-z, A-Z, 0-9, _ and -", suffix)
}

func badPolicy(value string) *ParseError {
	return undefined("group_policy", "%q is not one of none and isolate", value).upstream("'%s' is not one of ['none', 'isolate']", value)
}

func badUUID(param, value string) *ParseError {
	what := "provider"
	if strings.HasPrefix(param, "member_of") {
		what = "aggregate"
	}
	return undefined(param, "no %s is called %q, and it is not a uuid", what, value)
}

func emptySubtree() *ParseError {
	e := undefined("same_subtree", "lists suffixes; the un-suffixed group cannot be one of them").
		upstream("Empty string (unsuffixed group) can not be specified in `same_subtree`")
	e.Code = CodeBadValue
	return e
}

func unknownSubtree(suffix string) *ParseError {
	e := undefined("same_subtree", "there is no group with suffix %q", suffix).
		upstream("Real suffixes should be specified in `same_subtree`: %s not found.", suffix)
	e.Code = CodeBadValue
	return e
}

func joinTraits(names []placement.Trait, between string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(string(n))
	}
	return b.String()
}
