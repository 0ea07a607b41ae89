package candidates

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// ParseURL reads the query string of GET /allocation_candidates, the part after the
// "?", as Placement reads it at microversion v (0 for the newest). Classes and traits must
// be known to s; a nil s accepts all that are well formed.
//
// Where Placement silently takes the last of several equal parameters, so does
// ParseURL: resources and in_tree always, required below 1.39. Of limit and
// group_policy it takes the first.
//
// The error is a *ParseError.
//
// Source: placement/lib.py, placement/util.py,
// placement/schemas/allocation_candidate.py.
func ParseURL(text string, v microversion.Placement, s *placement.Snapshot) (Query, error) {
	p := newParser(text, v)
	p.names = s
	if e := p.parse(); e != nil {
		return Query{}, e
	}
	return p.q, nil
}

// ParseProviderTerms reads what resources, required and member_of in the query string of
// GET /resource_providers ask of providers at microversion v; their names need not be
// known. It leaves other parameters to the caller. The error is a *ParseError.
//
// Source: placement/handlers/resource_provider.py, list_resource_providers.
func ParseProviderTerms(text string, v microversion.Placement) (Group, error) {
	p := newParser(text, v)
	params := splitQuery(text)
	for i, a := range params {
		p.place(i, a)
	}
	var g Group
	for i, a := range params {
		last := p.last[a.key] == i
		var e *ParseError
		switch {
		case a.key == "resources" && last:
			e = p.resources(&g, a)
		case a.key == "required" && (last || p.v >= microversion.AnyTrait):
			e = p.required(&g, a)
		case a.key == "member_of":
			e = p.memberOf(&g, a)
		}
		if e != nil {
			return Group{}, e
		}
	}
	return g, nil
}

func newParser(text string, v microversion.Placement) *parser {
	p := &parser{
		text: text, v: v,
		groups: map[string]int{}, columns: map[string][]int{}, last: map[string]int{}, seen: map[string]bool{},
		named: map[string][]named{},
	}
	if v == 0 {
		p.v = microversion.PlacementNewest
	}
	p.q.Microversion = v
	return p
}

// place remembers where parameter i stands.
func (p *parser) place(i int, a param) {
	p.columns[a.key] = append(p.columns[a.key], a.keyColumn(p.text))
	p.last[a.key] = i
}

// groupKeys are the parameters that may have a suffix.
//
//nolint:gochecknoglobals // an immutable table
var groupKeys = [...]string{"resources", "required", "member_of", "in_tree"}

// parser reads one query string.
type parser struct {
	text    string
	names   *placement.Snapshot
	v       microversion.Placement
	q       Query
	groups  map[string]int   // index in q.Groups by suffix
	columns map[string][]int // of the parameters with each name
	last    map[string]int   // index of the last parameter with each name
	seen    map[string]bool  // terms of groups, to drop duplicates
	named   map[string][]named
}

// named is a class or a trait in the value of a parameter.
type named struct {
	class placement.ResourceClass
	trait placement.Trait
	from  param
	at    int // byte of the decoded value
}

// once reports whether a term of g is new.
func (p *parser) once(g *Group, kind, term string) bool {
	key := g.Suffix + " " + kind + term
	if p.seen[key] {
		return false
	}
	p.seen[key] = true
	return true
}

func (p *parser) parse() *ParseError {
	params := splitQuery(p.text)
	for i, a := range params {
		if e := p.recognize(a); e != nil {
			return e
		}
		p.place(i, a)
	}
	for _, read := range []func(param) *ParseError{p.schema, p.rootRequired, p.sameSubtree} {
		for _, a := range params {
			if e := read(a); e != nil {
				return e
			}
		}
	}
	for i, a := range params {
		if e := p.grouped(a, p.last[a.key] == i); e != nil {
			return e
		}
	}
	asSent := slices.Clone(p.q.Groups)
	slices.SortStableFunc(p.q.Groups, func(a, b Group) int { // the un-suffixed group comes first
		switch {
		case a.Suffix == "" && b.Suffix != "":
			return -1
		case a.Suffix != "" && b.Suffix == "":
			return 1
		}
		return 0
	})
	e := p.q.checkWhole()
	if e == nil {
		return p.checkNames(asSent)
	}
	if at := p.columns[e.Param]; len(at) > 0 {
		e.Column = at[0]
	} else { // something is missing
		e.Column = columnOf(p.text, len(p.text))
	}
	return e
}

// checkNames refuses unknown classes and traits, in the order in which the search would
// look them up.
func (p *parser) checkNames(groups []Group) *ParseError {
	keys := []string{"root_required"}
	for _, g := range groups {
		keys = append(keys, "resources"+g.Suffix, "required"+g.Suffix)
	}
	for _, key := range keys {
		for _, n := range p.named[key] {
			why := checkClass(p.names, n.class)
			upstream := "Invalid resource class in resources parameter: No such resource class " + string(n.class) + "."
			if n.trait != "" {
				why = checkTrait(p.names, n.trait)
				upstream = "No such trait(s): " + string(n.trait) + "."
			}
			if why != "" {
				return p.fault(undefined(key, "%s", why).upstream("%s", upstream), n.from, n.at)
			}
		}
	}
	return nil
}

// recognize refuses a parameter that the microversion does not have.
func (p *parser) recognize(a param) *ParseError {
	column := a.keyColumn(p.text)
	at := func(e *ParseError) *ParseError {
		e.Column = column
		return e.upstream("%s", unknownParam(a.key, p.v))
	}
	if !utf8.ValidString(a.key) || !utf8.ValidString(a.value) {
		e := undefined(strings.ToValidUTF8(a.key, "?"), "not valid UTF-8")
		e.Column = column
		return e
	}
	since := microversion.Placement(0)
	switch a.key {
	case "limit":
		since = microversion.Limit
	case "group_policy":
		since = microversion.Groups
	case "root_required":
		since = microversion.RootRequired
	case "same_subtree":
		since = microversion.SameSubtree
	default:
		name, suffix, ok := cutSuffix(a.key)
		switch {
		case !ok && checkClass(p.names, placement.ResourceClass(a.key)) == "":
			return at(undefined(a.key, "a resource class; ask for it with resources=%s:%s", a.key, cmp.Or(a.value, "1")))
		case !ok:
			return at(undefined(a.key, "no such parameter; the parameters are resources, required, member_of and in_tree (each also with a suffix), limit, group_policy, root_required and same_subtree"))
		}
		switch name {
		case "required":
			since = microversion.Required
		case "member_of":
			since = microversion.MemberOf
		case "in_tree":
			since = microversion.InTree
		}
		if suffix != "" && !validSuffix(suffix, p.v) {
			return at(badSuffix(name, suffix, p.v))
		}
	}
	if p.v < since {
		return at(tooOld(a.key, p.v, since, a.key))
	}
	return nil
}

// unknownParam says in Placement's words that a microversion does not have a parameter.
//
// Source: placement/schemas/allocation_candidate.py.
func unknownParam(key string, v microversion.Placement) string {
	if v < microversion.Groups {
		return fmt.Sprintf("Additional properties are not allowed ('%s' was unexpected)", key)
	}
	suffix := "[1-9][0-9]*"
	if v >= microversion.TextSuffix {
		suffix = "[a-zA-Z0-9_-]{1,64}"
	}
	return fmt.Sprintf("'%s' does not match any of the regexes: '^%s(%s)?$'", key, strings.Join(groupKeys[:], "("+suffix+")?$', '^"), suffix)
}

// cutSuffix splits the name of a group's parameter.
func cutSuffix(key string) (name, suffix string, ok bool) {
	for _, name := range groupKeys {
		if suffix, ok := strings.CutPrefix(key, name); ok {
			return name, suffix, true
		}
	}
	return "", "", false
}

// fault sets the position of e to byte at of the value of a.
func (p *parser) fault(e *ParseError, a param, at int) *ParseError {
	e.Column = a.column(p.text, at)
	return e
}

// schema reads the parameters whose form is checked by a JSON schema.
func (p *parser) schema(a param) *ParseError {
	switch a.key {
	case "limit":
		n, ok := parseLimit(a.value)
		if !ok {
			return p.fault(undefined(a.key, "%q is not a whole number of at least 1 without leading zeros", a.value).
				upstream("'%s' does not match '^[1-9][0-9]*$'\n\nFailed validating 'pattern'", a.value), a, 0)
		}
		if p.q.Limit == 0 {
			p.q.Limit = n
		}
	case "group_policy":
		policy := GroupPolicy(a.value)
		if policy != PolicyNone && policy != PolicyIsolate {
			return p.fault(badPolicy(a.value), a, 0)
		}
		if p.q.GroupPolicy == "" {
			p.q.GroupPolicy = policy
		}
	}
	return nil
}

// parseLimit reads what matches ^[1-9][0-9]*$; numbers beyond all answers count
// as the largest.
func parseLimit(s string) (int, bool) {
	if s == "" || s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return math.MaxInt32, true
	}
	return int(n), true
}

func (p *parser) rootRequired(a param) *ParseError {
	if a.key != "root_required" {
		return nil
	}
	if at := p.columns[a.key]; len(at) > 1 {
		e := undefined(a.key, "may be given only once").upstream("Query parameter 'root_required' may be specified only once.")
		e.Code, e.Column = CodeDuplicateKey, at[1]
		return e
	}
	terms, e := p.traits(a, false)
	if e != nil {
		return e
	}
	for _, t := range terms.required {
		p.q.Root.Required = append(p.q.Root.Required, Trait{Name: t.Names[0]})
	}
	p.q.Root.Forbidden = terms.forbidden
	if e := p.q.Root.conflict(); e != nil {
		e.Column = a.keyColumn(p.text)
		return e
	}
	return nil
}

func (p *parser) sameSubtree(a param) *ParseError {
	if a.key != "same_subtree" {
		return nil
	}
	var t Subtree
	seen := map[string]bool{}
	for at, piece := range pieces(a.value, 0) {
		suffix := strings.TrimSpace(piece)
		if suffix == "" {
			return p.fault(emptySubtree(), a, at)
		}
		if !seen[suffix] {
			seen[suffix] = true
			t.Suffixes = append(t.Suffixes, suffix)
		}
	}
	p.q.SameSubtree = append(p.q.SameSubtree, t)
	return nil
}

// grouped reads a parameter of a request group. last is set if no other one with the same
// name follows.
func (p *parser) grouped(a param, last bool) *ParseError {
	switch a.key {
	case "limit", "group_policy", "root_required", "same_subtree":
		return nil
	}
	name, suffix, _ := cutSuffix(a.key)
	i, ok := p.groups[suffix]
	if !ok {
		i = len(p.q.Groups)
		p.groups[suffix] = i
		p.q.Groups = append(p.q.Groups, Group{Suffix: suffix})
	}
	switch name {
	case "resources":
		return p.resources(&p.q.Groups[i], a)
	case "required":
		if !last && p.v < microversion.AnyTrait {
			return nil
		}
		return p.required(&p.q.Groups[i], a)
	case "member_of":
		return p.memberOf(&p.q.Groups[i], a)
	default:
		return p.inTree(&p.q.Groups[i], a)
	}
}

func (p *parser) resources(g *Group, a param) *ParseError {
	const form = "Badly formed resources parameter. Expected resources query string parameter in form: ?resources=VCPU:2,MEMORY_MB:1024. Got: %s."
	g.Resources, p.named[a.key] = nil, nil // earlier ones do not count
	if strings.TrimSpace(a.value) == "" {
		return p.fault(undefined(a.key, "is empty; write it as VCPU:2,MEMORY_MB:1024").upstream(form, "empty string"), a, 0)
	}
	seen := map[placement.ResourceClass]int{}
	for at, piece := range pieces(a.value, 0) {
		class, amount, ok := strings.Cut(piece, ":")
		if !ok || strings.Contains(amount, ":") {
			return p.fault(undefined(a.key, "%q is not CLASS:AMOUNT, such as VCPU:2", piece).upstream(form, piece), a, at)
		}
		n, why := parseAmount(amount)
		if why != "" {
			needs := "requires amount >= 1"
			if why == notWhole {
				needs = "expected positive integer amount"
			}
			return p.fault(undefined(a.key, "%s: the amount %q %s", class, amount, why).upstream("Requested resource %s %s. Got: %s.", class, needs, amount), a, at+len(class)+1)
		}
		rc := placement.ResourceClass(class)
		p.named[a.key] = append(p.named[a.key], named{class: rc, from: a, at: at})
		if i, ok := seen[rc]; ok {
			g.Resources[i].Amount = n
			continue
		}
		seen[rc] = len(g.Resources)
		g.Resources = append(g.Resources, Resource{Class: rc, Amount: n})
	}
	return nil
}

const notWhole = "is not a whole number"

// parseAmount reads an amount of a class as Python's int does: blanks around it,
// a sign, "_" between digits. It says why it cannot.
func parseAmount(s string) (int64, string) {
	t := strings.TrimSpace(s)
	negative := strings.HasPrefix(t, "-")
	if negative || strings.HasPrefix(t, "+") {
		t = t[1:]
	}
	if t == "" || t[0] == '_' || t[len(t)-1] == '_' || strings.Contains(t, "__") {
		return 0, notWhole
	}
	t = strings.ReplaceAll(t, "_", "")
	if strings.Trim(t, "0123456789") != "" {
		return 0, notWhole
	}
	n, err := strconv.ParseInt(t, 10, 64)
	switch {
	case negative || err == nil && n < 1:
		return 0, "is below 1"
	case err != nil:
		return 0, "is above " + strconv.FormatInt(math.MaxInt64, 10)
	}
	return n, ""
}

func (p *parser) required(g *Group, a param) *ParseError {
	terms, e := p.traits(a, true)
	if e != nil {
		return e
	}
	for _, t := range terms.required {
		if len(t.Names) > 1 || p.once(g, "", string(t.Names[0])) {
			g.Required = append(g.Required, t)
		}
	}
	for _, t := range terms.forbidden {
		if p.once(g, "!", string(t.Name)) {
			g.Forbidden = append(g.Forbidden, t)
		}
	}
	return nil
}

// traitTerms are the terms of one required parameter.
type traitTerms struct {
	required  []AnyTrait
	forbidden []Trait
}

// traits reads the value of a required or root_required parameter; anyOf says whether in:
// is allowed.
func (p *parser) traits(a param, anyOf bool) (traitTerms, *ParseError) {
	form := "HW_CPU_X86_VMX,CUSTOM_MAGIC"
	if p.v >= microversion.Forbidden {
		form = "HW_CPU_X86_VMX,!CUSTOM_MAGIC"
	}
	wrong := func(e *ParseError, at int) *ParseError {
		return p.fault(e.upstream("Expected 'required' parameter value of the form: %s. Got: %s", form, a.value), a, at)
	}
	var terms traitTerms
	list, isAny := strings.CutPrefix(a.value, "in:")
	from := len(a.value) - len(list)
	switch {
	case isAny && !anyOf:
		return terms, wrong(undefined(a.key, "cannot ask for any one of several traits"), 0)
	case isAny && p.v < microversion.AnyTrait:
		return terms, p.fault(tooOld(a.key, p.v, microversion.AnyTrait, "in:").upstream("The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' only supported since microversion 1.39. Got: %s", a.value), a, 0)
	}
	seen := map[string]bool{}
	var names []placement.Trait
	for at, piece := range pieces(a.value, from) {
		name := strings.TrimSpace(piece)
		bare := strings.TrimLeft(name, "!")
		trait := placement.Trait(bare)
		switch {
		case bare == "":
			return terms, wrong(undefined(a.key, "contains an empty trait"), at)
		case bare != name && isAny:
			return terms, wrong(undefined(a.key, "in: cannot contain a forbidden trait"), at)
		case bare != name && p.v < microversion.Forbidden:
			return terms, wrong(tooOld(a.key, p.v, microversion.Forbidden, "a forbidden trait"), at)
		}
		p.named[a.key] = append(p.named[a.key], named{trait: trait, from: a, at: at + strings.Index(piece, bare)})
		key := bare
		if bare != name {
			key = "!" + bare
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		switch {
		case isAny:
			names = append(names, trait)
		case bare != name:
			terms.forbidden = append(terms.forbidden, Trait{Name: trait})
		default:
			terms.required = append(terms.required, AnyTrait{Names: []placement.Trait{trait}})
		}
	}
	if isAny {
		terms.required = append(terms.required, AnyTrait{Names: names})
	}
	return terms, nil
}

func (p *parser) memberOf(g *Group, a param) *ParseError {
	if p.v < microversion.RepeatedMemberOf && a.keyColumn(p.text) != p.columns[a.key][0] {
		e := tooOld(a.key, p.v, microversion.RepeatedMemberOf, "member_of given twice").upstream("Multiple %s parameters are not supported", a.key)
		e.Column = a.keyColumn(p.text)
		return e
	}
	rest, not := strings.CutPrefix(a.value, "!")
	rest, several := strings.CutPrefix(rest, "in:")
	from := len(a.value) - len(rest)
	if !several {
		if i := strings.IndexByte(a.value, ','); i >= 0 {
			return p.fault(undefined(a.key, "several aggregates need in: or !in: before them").
				upstream("Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using the valid microversion. Got: %s", a.value), a, i)
		}
	}
	if not && p.v < microversion.ForbiddenMemberOf {
		return p.fault(tooOld(a.key, p.v, microversion.ForbiddenMemberOf, "a forbidden aggregate").
			upstream("Forbidden %s parameters are not supported in the specified microversion", a.key), a, 0)
	}
	var ids []AggregateText
	seen := map[string]bool{}
	for at, piece := range pieces(a.value, from) {
		if !isUUIDLike(piece) {
			return p.fault(badUUID(a.key, piece).upstream("Expected 'member_of' parameter to contain valid UUID(s). Got: %s", piece), a, at)
		}
		if !seen[piece] {
			seen[piece] = true
			ids = append(ids, AggregateText(piece))
		}
	}
	if !not {
		g.MemberOf = append(g.MemberOf, AnyAggregate{IDs: ids})
		return nil
	}
	for _, id := range ids {
		if p.once(g, "!", string(id)) {
			g.ForbiddenAggregates = append(g.ForbiddenAggregates, Aggregate{ID: id})
		}
	}
	return nil
}

func (p *parser) inTree(g *Group, a param) *ParseError {
	text := strings.TrimSpace(a.value)
	if !isUUIDLike(text) {
		return p.fault(badUUID(a.key, a.value).upstream("Expected 'in_tree' parameter to be a format of uuid. Got: %s", a.value), a, 0)
	}
	g.InTree = ProviderText(text)
	return nil
}
