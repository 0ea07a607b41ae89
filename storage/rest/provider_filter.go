package rest

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// providerFilter is the filter of a list of providers.
type providerFilter struct {
	query     params
	memberOf  [][]string // one of each list
	notIn     []string   // none of these
	required  [][]string // one of each list
	forbidden []string   // none of these
	resources []amount
}

// amount is an amount of a class in a query.
type amount struct {
	class string
	n     int64
}

// readProviderFilter reads the query of a list of providers.
//
// Source: placement/handlers/resource_provider.py, list_resource_providers.
func (r *request) readProviderFilter() (q providerFilter, f *fault) {
	if q.query, f = r.checkQuery(providersQuery.at(r.version)); f != nil {
		return q, f
	}
	if q.query.has("member_of") {
		if q.memberOf, q.notIn, f = r.memberOf(q.query, ""); f != nil {
			return q, f
		}
	}
	if q.query.has("required") {
		if q.required, q.forbidden, f = r.traitTerms(q.query, ""); f != nil {
			return q, f
		}
	}
	if q.query.has("resources") {
		q.resources, f = readAmounts(q.query.last("resources"))
	}
	return q, f
}

// numbers is a set of provider numbers, 64 in a word.
type numbers []uint64

func allOf(set placement.Set) numbers {
	n := make(numbers, set.Words())
	for i := range n {
		n[i] = set.Word(i)
	}
	return n
}

// count returns the size of the set.
func (n numbers) count() (all int) {
	for _, word := range n {
		all += bits.OnesCount64(word)
	}
	return all
}

// keep keeps only those of n that are in one of sets.
func (n numbers) keep(sets ...placement.Set) {
	for i := range n {
		any := uint64(0)
		for _, s := range sets {
			any |= s.Word(i)
		}
		n[i] &= any
	}
}

// and keeps only those of n that are in other.
func (n numbers) and(other numbers) {
	for i := range n {
		n[i] &= other[i]
	}
}

// drop removes those of set from n.
func (n numbers) drop(set placement.Set) {
	for i := range n {
		n[i] &^= set.Word(i)
	}
}

// only keeps only those of n for which keep returns true.
func (n numbers) only(s *placement.Snapshot, keep func(*placement.ResourceProvider) bool) {
	for i, word := range n {
		for ; word != 0; word &= word - 1 {
			bit := word & -word
			if !keep(s.ProviderAt(64*i + bits.TrailingZeros64(word))) {
				n[i] &^= bit
			}
		}
	}
}

func (n numbers) empty() bool {
	for _, word := range n {
		if word != 0 {
			return false
		}
	}
	return true
}

// find returns the providers that match q. Once none is left the rest of the query is not
// checked, as in the service.
//
// Source: placement/objects/resource_provider.py, _get_all_by_filters_from_db.
func (q *providerFilter) find(s *placement.Snapshot) (numbers, *fault) {
	n := allOf(s.AllProviders())
	if name := q.query.last("name"); name != "" {
		p, ok := s.ProviderByName(name)
		n.just(p, ok)
	}
	if id := q.query.last("uuid"); id != "" {
		p, ok := providerOf(s, id)
		n.just(p, ok)
	}
	if id := q.query.last("in_tree"); id != "" {
		p, ok := providerOf(s, id)
		if !ok {
			return nil, nil
		}
		tree := make(numbers, len(n))
		for p := range s.Within(s.Root(p)) {
			tree[p.Number()/64] |= 1 << (p.Number() % 64)
		}
		n.and(tree)
	}
	for _, step := range []func(*placement.Snapshot, numbers) (bool, *fault){q.byTraits, q.byAggregates, q.byResources} {
		if more, f := step(s, n); f != nil || !more {
			return nil, f
		}
	}
	return n, nil
}

// just keeps only p, if n has it and ok is true.
func (n numbers) just(p *placement.ResourceProvider, ok bool) {
	for i := range n {
		if ok && p.Number()/64 == i {
			n[i] &= 1 << (p.Number() % 64)
		} else {
			n[i] = 0
		}
	}
}

// byTraits keeps only those of n with matching traits, as pick does.
func (q *providerFilter) byTraits(s *placement.Snapshot, n numbers) (bool, *fault) {
	return n.pick(s, q.required, q.forbidden, func(name string) (placement.Set, *fault) {
		id, ok := s.TraitID(placement.Trait(name))
		if !ok {
			return placement.Set{}, badRequest("Invalid trait(s) in \"required\" parameter: No such trait(s): %s.", name)
		}
		return s.WithTrait(id), nil
	})
}

// byAggregates keeps only those of n in matching aggregates, as pick does.
func (q *providerFilter) byAggregates(s *placement.Snapshot, n numbers) (bool, *fault) {
	return n.pick(s, q.memberOf, q.notIn, func(text string) (placement.Set, *fault) {
		id, ok := candidates.AggregateText(text).ID()
		if !ok {
			return placement.Set{}, nil
		}
		return s.InAggregate(id), nil
	})
}

// pick keeps only those of n that are in at least one set of each list in all, and in no
// set of none. It reports whether any provider at all matches all.
func (n numbers) pick(s *placement.Snapshot, all [][]string, none []string, set func(name string) (placement.Set, *fault)) (bool, *fault) {
	have := allOf(s.AllProviders())
	for _, any := range all {
		var sets []placement.Set
		for _, name := range any {
			one, f := set(name)
			if f != nil {
				return false, f
			}
			sets = append(sets, one)
		}
		have.keep(sets...)
	}
	if len(all) > 0 && have.empty() {
		return false, nil
	}
	n.and(have)
	for _, name := range none {
		one, f := set(name)
		if f != nil {
			return false, f
		}
		n.drop(one)
	}
	return true, nil
}

// byResources keeps only those of n with room for the resources.
func (q *providerFilter) byResources(s *placement.Snapshot, n numbers) (bool, *fault) {
	for _, a := range q.resources {
		class, ok := s.ClassID(placement.ResourceClass(a.class))
		if !ok {
			return false, badRequest("Invalid resource class in resources parameter: No such resource class %s.", a.class)
		}
		n.keep(s.WithClass(class))
		n.only(s, func(p *placement.ResourceProvider) bool {
			has, _ := p.Inventory(class)
			return has.Fits(has.Used, a.n) == ""
		})
	}
	return true, nil
}

// checkQuery returns the parameters of a query after checking them against a schema.
//
// Source: placement/util.py, validate_query_params.
func (r *request) checkQuery(schema *body.Schema) (params, *fault) {
	list, ok := r.query()
	if !ok {
		return nil, badRequest("Invalid query string parameters: not encoded as UTF-8")
	}
	v := body.Value{Kind: body.Object}
	seen := map[string]bool{}
	for _, a := range list {
		if !seen[a.key] {
			seen[a.key] = true
			v.Members = append(v.Members, body.Member{Key: a.key, Value: body.Text(list.last(a.key))})
		}
	}
	if wrong := schema.Check(v); wrong != "" {
		return nil, badRequest("Invalid query string parameters: %s", wrong)
	}
	return list, nil
}

// memberOf reads the aggregates in a query.
//
// Source: placement/util.py, normalize_member_of_qs_params.
func (r *request) memberOf(q params, suffix string) (required [][]string, forbidden []string, f *fault) {
	values := q.all("member_of" + suffix)
	if len(values) > 1 && !r.at(sinceManyMemberOf) {
		return nil, nil, badRequest("Multiple member_of%s parameters are not supported", suffix)
	}
	for _, value := range values {
		list, not, f := readMemberOf(value)
		switch {
		case f != nil:
			return nil, nil, f
		case !not:
			required = append(required, list)
		case !r.at(sinceNotMemberOf):
			return nil, nil, badRequest("Forbidden member_of%s parameters are not supported in the specified microversion", suffix)
		default:
			forbidden = append(forbidden, list...)
		}
	}
	return required, forbidden, nil
}

// readMemberOf reads one value of member_of; not is true if it excludes aggregates.
func readMemberOf(value string) (list []string, not bool, f *fault) {
	rest, not := strings.CutPrefix(value, "!")
	several, in := strings.CutPrefix(rest, "in:")
	switch {
	case in:
		list = strings.Split(several, ",")
	case strings.Contains(value, ","):
		return nil, false, badRequest("Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using the valid microversion. Got: %s", value)
	default:
		list = []string{rest}
	}
	for _, text := range list {
		if !body.UUIDLike(text) {
			return nil, false, badRequest("Invalid query string parameters: Expected 'member_of' parameter to contain valid UUID(s). Got: %s", text)
		}
	}
	return list, not, nil
}

// traitTerms reads the traits in a query.
//
// Source: placement/util.py, normalize_traits_qs_params.
func (r *request) traitTerms(q params, suffix string) (required [][]string, forbidden []string, f *fault) {
	values := q.all("required" + suffix)
	if !r.at(sinceAnyTrait) {
		values = values[len(values)-1:]
	}
	for _, value := range values {
		some, none, f := readTraits(value, r.at(sinceForbidden), r.at(sinceAnyTrait))
		if f != nil {
			return nil, nil, f
		}
		required, forbidden = append(required, some...), append(forbidden, none...)
	}
	return required, forbidden, nil
}

// readTraits reads one value of required.
//
// Source: placement/util.py, normalize_traits_qs_param.
func readTraits(value string, mayForbid, mayAny bool) (required [][]string, forbidden []string, f *fault) {
	const wrong = "Invalid query string parameters: "
	several, in := strings.CutPrefix(value, "in:")
	list := strings.Split(several, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	if in {
		return readAnyTrait(value, list, mayAny)
	}
	for _, name := range list {
		bare := strings.TrimLeft(name, "!")
		switch {
		case bare == "" && mayForbid:
			return nil, nil, badRequest(wrong+"Expected 'required' parameter value of the form: HW_CPU_X86_VMX,!CUSTOM_MAGIC. Got an empty trait in: %s", value)
		case bare == "":
			return nil, nil, badRequest(wrong+"Expected 'required' parameter value of the form: HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty trait in: %s", value)
		case bare != name:
			forbidden = append(forbidden, bare)
		default:
			required = append(required, []string{name})
		}
	}
	if len(forbidden) > 0 && !mayForbid {
		return nil, nil, badRequest(wrong+"Expected 'required' parameter value of the form: HW_CPU_X86_VMX,CUSTOM_MAGIC. Got: %s", value)
	}
	return required, forbidden, nil
}

// readAnyTrait reads a list of traits any of which is enough.
func readAnyTrait(value string, list []string, may bool) (required [][]string, forbidden []string, f *fault) {
	const wrong = "Invalid query string parameters: "
	if !may {
		return nil, nil, badRequest(wrong+"The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' only supported since microversion 1.39. Got: %s", value)
	}
	if slices.Contains(list, "") {
		return nil, nil, badRequest(wrong+"Expected 'required' parameter value of the form: in:HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty trait in: %s", value)
	}
	for _, name := range list {
		if name[0] == '!' {
			return nil, nil, badRequest(wrong+"The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' does not support forbidden traits. Got: %s", value)
		}
	}
	return [][]string{list}, nil, nil
}

// readAmounts reads a value of resources. Of a class that is given twice the last amount
// counts.
//
// Source: placement/util.py, normalize_resources_qs_param.
func readAmounts(value string) ([]amount, *fault) {
	const wrong = "Badly formed resources parameter. Expected resources query string parameter in form: ?resources=VCPU:2,MEMORY_MB:1024. Got: "
	if strings.TrimSpace(value) == "" {
		return nil, badRequest("%sempty string.", wrong)
	}
	var list []amount
	for part := range strings.SplitSeq(value, ",") {
		class, text, ok := strings.Cut(part, ":")
		if !ok || strings.Contains(text, ":") {
			return nil, badRequest("%s%s.", wrong, part)
		}
		n, ok := wholeNumber64(text)
		switch {
		case !ok:
			return nil, badRequest("Requested resource %s expected positive integer amount. Got: %s.", class, text)
		case n < 1:
			return nil, badRequest("Requested resource %s requires amount >= 1. Got: %d.", class, n)
		}
		list = append(slices.DeleteFunc(list, func(a amount) bool { return a.class == class }), amount{class, n})
	}
	return list, nil
}

// wholeNumber64 parses a number as Python's int does: with blanks around it, a sign, and
// "_" between digits. Values beyond 64 bits become the largest.
func wholeNumber64(s string) (int64, bool) {
	t := strings.TrimSpace(s)
	digits := strings.TrimLeft(t, "+-")
	if len(t)-len(digits) > 1 || digits == "" || digits[0] == '_' || digits[len(digits)-1] == '_' || strings.Contains(digits, "__") {
		return 0, false
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	if t[0] == '-' {
		n = -n
	}
	return n, true
}
