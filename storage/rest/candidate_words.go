package rest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// Versions of the candidates query that only matter for error texts.
const (
	sinceGroups      candidates.Microversion = 25
	sinceSuffixes    candidates.Microversion = 33
	sinceSameSubtree candidates.Microversion = 36
)

func wireCode(code candidates.ErrorCode) wire.Code { return wire.Code(code) }

// sentGroup is a request group as a query has it.
type sentGroup struct {
	suffix    string
	resources []amount
	required  [][]string
	forbidden []string
	memberOf  [][]string
	notIn     []string
}

// candidateWords returns the service's words for why a query is refused, nil if it would
// not refuse it. It decides nothing: the query is refused already.
//
// Source: placement/lib.py.
func (r *request) candidateWords(s *placement.Snapshot) *fault {
	q, f := r.checkQuery(candidatesQuery.at(r.version))
	if f != nil {
		return f
	}
	root, f := r.rootWords(q)
	if f != nil {
		return f
	}
	var together []string
	for _, value := range q.all("same_subtree") {
		for piece := range strings.SplitSeq(value, ",") {
			suffix := strings.TrimSpace(piece)
			if suffix == "" {
				return badValue("Empty string (unsuffixed group) can not be specified in `same_subtree` ")
			}
			together = append(together, suffix)
		}
	}
	groups, f := r.readGroups(q)
	if f != nil {
		return f
	}
	if f := r.groupWords(groups, together); f != nil {
		return f
	}
	suffixed := 0
	for _, g := range groups {
		if g.suffix != "" {
			suffixed++
		}
	}
	if suffixed > 1 && !q.has("group_policy") {
		return badRequest(`The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.`)
	}
	return unknownNames(s, root, groups)
}

func badValue(format string, args ...any) *fault {
	f := badRequest(format, args...)
	f.code = wireCode(candidates.CodeBadValue)
	return f
}

// rootWords checks root_required, and returns the names in it.
func (r *request) rootWords(q params) ([]string, *fault) {
	values := q.all("root_required")
	switch {
	case len(values) == 0:
		return nil, nil
	case len(values) > 1:
		f := badRequest("Query parameter 'root_required' may be specified only once.")
		f.code = wireCode(candidates.CodeDuplicateKey)
		return nil, f
	}
	required, forbidden, f := readTraits(values[0], true, false)
	if f != nil {
		return nil, f
	}
	var names, conflicts []string
	for _, any := range required {
		names = append(names, any[0])
		if slices.Contains(forbidden, any[0]) && !slices.Contains(conflicts, any[0]) {
			conflicts = append(conflicts, any[0])
		}
	}
	if len(conflicts) > 0 {
		return nil, badValue("Conflicting required and forbidden traits found in root_required: %s", strings.Join(conflicts, ", "))
	}
	return append(names, forbidden...), nil
}

// readGroups reads the request groups of a query.
func (r *request) readGroups(q params) ([]*sentGroup, *fault) {
	var groups []*sentGroup
	read := map[string]bool{} // keys all of whose values were read together
	for _, a := range q {
		name, suffix, ok := r.groupKey(a.key)
		if !ok || read[a.key] {
			continue
		}
		i := slices.IndexFunc(groups, func(g *sentGroup) bool { return g.suffix == suffix })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &sentGroup{suffix: suffix})
		}
		g := groups[i]
		var f *fault
		switch name {
		case "resources":
			g.resources, f = readAmounts(a.value)
		case "required":
			read[a.key] = true
			g.required, g.forbidden, f = r.traitTerms(q, suffix)
		case "member_of":
			read[a.key] = true
			g.memberOf, g.notIn, f = r.memberOf(q, suffix)
		default:
			if !body.UUIDLike(strings.TrimSpace(a.value)) {
				f = badRequest("Invalid query string parameters: Expected 'in_tree' parameter to be a format of uuid. Got: %s", a.value)
			}
		}
		if f != nil {
			return nil, f
		}
	}
	return groups, nil
}

// groupKey splits a parameter of a group.
func (r *request) groupKey(key string) (name, suffix string, ok bool) {
	for _, name := range []string{"resources", "required", "member_of", "in_tree"} {
		suffix, ok := strings.CutPrefix(key, name)
		if !ok {
			continue
		}
		if suffix == "" {
			return name, "", true
		}
		if r.at(sinceSuffixes) {
			return name, suffix, len(suffix) <= 64
		}
		_, err := strconv.Atoi(suffix)
		return name, suffix, err == nil && suffix[0] != '0'
	}
	return "", "", false
}

// groupWords returns what is wrong with the groups taken together.
func (r *request) groupWords(groups []*sentGroup, together []string) *fault {
	var bare, suffixes []string
	for _, g := range groups {
		suffixes = append(suffixes, g.suffix)
		if len(g.resources) == 0 {
			bare = append(bare, g.suffix)
		}
	}
	if r.at(sinceSameSubtree) {
		if len(bare) == len(groups) {
			f := badRequest("There must be at least one resources or resources[$S] parameter.")
			f.code = wireCode(candidates.CodeMissingValue)
			return f
		}
		if bad := without(bare, together); len(bad) > 0 {
			return badValue("Resourceless suffixed group request should be specified in `same_subtree` query param: bad group(s) - %s.", pyList(bad))
		}
		if bad := without(together, suffixes); len(bad) > 0 {
			return badValue("Real suffixes should be specified in `same_subtree`: %s not found in %s.", pyList(bad), pyList(suffixes))
		}
	} else if f := orphans(groups); f != nil {
		return f
	}
	if r.at(sinceForbidden) {
		return contradictions(groups)
	}
	return nil
}

// without returns what of list is not in other, without duplicates.
func without(list, other []string) []string {
	var out []string
	for _, x := range list {
		if !slices.Contains(other, x) && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// orphans returns which groups request no resources, below 1.36.
func orphans(groups []*sentGroup) *fault {
	var traits, aggregates []string
	for _, g := range groups {
		if len(g.resources) > 0 {
			continue
		}
		if len(g.required) > 0 {
			traits = append(traits, "required"+g.suffix)
		}
		if len(g.memberOf) > 0 || len(g.notIn) > 0 {
			aggregates = append(aggregates, "member_of"+g.suffix)
		}
	}
	switch {
	case len(traits) > 0:
		return badRequest("All traits parameters must be associated with resources.  Found the following orphaned traits keys: %s", strings.Join(traits, ", "))
	case len(aggregates) > 0:
		return badRequest("All member_of parameters must be associated with resources. Found the following orphaned member_of keys: %s", strings.Join(aggregates, ", "))
	case slices.ContainsFunc(groups, func(g *sentGroup) bool { return len(g.resources) == 0 }):
		return badRequest("All request groups must specify resources.")
	case len(groups) == 0:
		return badRequest("At least one request group (`resources` or `resources{$S}`) is required.")
	}
	return nil
}

// contradictions returns which traits are both required and forbidden.
func contradictions(groups []*sentGroup) *fault {
	var found []string
	for _, g := range groups {
		for _, any := range g.required {
			if len(without(any, g.forbidden)) == 0 {
				names := slices.Clone(any)
				slices.Sort(names)
				found = append(found, "required"+g.suffix+": ("+strings.Join(names, ", ")+")")
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	return badRequest("Conflicting required and forbidden traits found in the following traits keys: %s", strings.Join(found, ", "))
}

// unknownNames returns which name is unknown.
func unknownNames(s *placement.Snapshot, root []string, groups []*sentGroup) *fault {
	trait := func(names ...string) *fault {
		for _, name := range names {
			if _, ok := s.TraitID(placement.Trait(name)); !ok {
				return badRequest("No such trait(s): %s.", name)
			}
		}
		return nil
	}
	if f := trait(root...); f != nil {
		return f
	}
	for _, g := range groups {
		for _, a := range g.resources {
			if _, ok := s.ClassID(placement.ResourceClass(a.class)); !ok {
				return badRequest("Invalid resource class in resources parameter: No such resource class %s.", a.class)
			}
		}
		for _, any := range g.required {
			if f := trait(any...); f != nil {
				return f
			}
		}
		if f := trait(g.forbidden...); f != nil {
			return f
		}
	}
	return nil
}
