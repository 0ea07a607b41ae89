package rest

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api/microversion"
)

// path is a path of the API with its methods.
type path struct {
	pattern  string
	segments []string // of the pattern
	methods  []method // in the order of Allow; of one name, older ones first
}

// method is a method of a path, from a version on.
type method struct {
	name      string
	since     microversion.Placement
	form      form
	may       policy
	policy    string // as refusals name it; public if it needs no token
	do        func(*request) *fault
	exception exception
}

// form says what is checked of a request before anything else.
type form int

const (
	plain       form = iota
	answersJSON      // the client must accept JSON
	takesJSON        // the body must be JSON
)

// exception is how a method differs from the others.
type exception int

const (
	none        exception = iota
	formFirst             // the form is checked before the version
	oldIsMethod           // to older versions the path exists, but not the method: 405
)

// public is the policy of routes that need no token.
const public = ""

// routes are all routes of the API.
//
//nolint:gochecknoglobals // an immutable table
var routes = compile(declared)

// declared are the routes as Placement declares them: a variable of its own, so that no code
// makes the table.
//
// Source: placement/handler.py, ROUTE_DECLARATIONS; placement/policies.
//
//nolint:gochecknoglobals // a table, to which compile adds
var declared = []path{
	{pattern: "/", methods: []method{
		{"GET", 0, plain, reader, public, versionDocument, none},
	}},
	{pattern: "/resource_classes", methods: []method{
		{"GET", microversion.Classes, answersJSON, reader, "resource_classes:list", listClasses, none},
		{"POST", microversion.Classes, takesJSON, writer, "resource_classes:create", createClass, none},
	}},
	{pattern: "/resource_classes/{name}", methods: []method{
		{"GET", microversion.Classes, answersJSON, reader, "resource_classes:show", showClass, none},
		{"PUT", microversion.Classes, takesJSON, writer, "resource_classes:update", renameClass, none},
		{"PUT", microversion.ClassPut, plain, writer, "resource_classes:update", ensureClass, none},
		{"DELETE", microversion.Classes, plain, writer, "resource_classes:delete", deleteClass, none},
	}},
	{pattern: "/resource_providers", methods: []method{
		{"GET", 0, answersJSON, reader, "resource_providers:list", listProviders, none},
		{"POST", 0, takesJSON, writer, "resource_providers:create", createProvider, none},
	}},
	{pattern: "/resource_providers/{uuid}", methods: []method{
		{"GET", 0, answersJSON, reader, "resource_providers:show", showProvider, none},
		{"DELETE", 0, plain, writer, "resource_providers:delete", deleteProvider, none},
		{"PUT", 0, takesJSON, writer, "resource_providers:update", updateProvider, none},
	}},
	{pattern: "/resource_providers/{uuid}/inventories", methods: []method{
		{"GET", 0, answersJSON, reader, "resource_providers:inventories:list", listInventories, none},
		{"POST", 0, takesJSON, writer, "resource_providers:inventories:create", addInventory, none},
		{"PUT", 0, takesJSON, writer, "resource_providers:inventories:update", setInventories, none},
		{"DELETE", microversion.DeleteInventories, plain, writer, "resource_providers:inventories:delete", deleteInventories, oldIsMethod},
	}},
	{pattern: "/resource_providers/{uuid}/inventories/{resource_class}", methods: []method{
		{"GET", 0, answersJSON, reader, "resource_providers:inventories:show", showInventory, none},
		{"PUT", 0, takesJSON, writer, "resource_providers:inventories:update", setInventory, none},
		{"DELETE", 0, plain, writer, "resource_providers:inventories:delete", deleteInventory, none},
	}},
	{pattern: "/resource_providers/{uuid}/usages", methods: []method{
		{"GET", 0, answersJSON, reader, "resource_providers:usages", listUsages, none},
	}},
	{pattern: "/resource_providers/{uuid}/aggregates", methods: []method{
		{"GET", microversion.Aggregates, answersJSON, reader, "resource_providers:aggregates:list", listAggregates, formFirst},
		{"PUT", microversion.Aggregates, takesJSON, writer, "resource_providers:aggregates:update", setAggregates, formFirst},
	}},
	{pattern: "/resource_providers/{uuid}/allocations", methods: []method{
		{"GET", 0, answersJSON, reader, "resource_providers:allocations:list", listProviderAllocations, none},
	}},
	{pattern: "/allocations", methods: []method{
		{"POST", microversion.PostAllocations, takesJSON, writer, "allocations:manage", replaceAllocations, none},
	}},
	{pattern: "/allocations/{consumer_uuid}", methods: []method{
		{"GET", 0, answersJSON, reader, "allocations:list", listAllocations, none},
		{"PUT", 0, takesJSON, writer, "allocations:update", setAllocations, none},
		{"DELETE", 0, plain, writer, "allocations:delete", deleteAllocations, none},
	}},
	{pattern: "/allocation_candidates", methods: []method{
		{"GET", microversion.Candidates, answersJSON, reader, "allocation_candidates:list", listCandidates, none},
	}},
	{pattern: "/traits", methods: []method{
		{"GET", microversion.Traits, answersJSON, reader, "traits:list", listTraits, none},
	}},
	{pattern: "/traits/{name}", methods: []method{
		{"GET", microversion.Traits, plain, reader, "traits:show", showTrait, none},
		{"PUT", microversion.Traits, plain, writer, "traits:update", ensureTrait, none},
		{"DELETE", microversion.Traits, plain, writer, "traits:delete", deleteTrait, none},
	}},
	{pattern: "/resource_providers/{uuid}/traits", methods: []method{
		{"GET", microversion.Traits, answersJSON, reader, "resource_providers:traits:list", listProviderTraits, none},
		{"PUT", microversion.Traits, takesJSON, writer, "resource_providers:traits:update", setTraits, none},
		{"DELETE", microversion.Traits, plain, writer, "resource_providers:traits:delete", deleteTraits, none},
	}},
	{pattern: "/usages", methods: []method{
		{"GET", microversion.Totals, answersJSON, projectReader, "usages", totalUsages, none},
	}},
	{pattern: "/reshaper", methods: []method{
		{"POST", microversion.Reshaper, takesJSON, service, "reshaper:reshape", reshape, none},
	}},
}

// compile splits the patterns.
func compile(paths []path) []path {
	for i := range paths {
		paths[i].segments = strings.Split(paths[i].pattern, "/")
	}
	return paths
}

// find returns the path for a request, with the values of its parameters; nil if there is
// none.
func find(place string) (*path, []string) {
	if place == "" {
		place = "/"
	}
	segments := strings.Split(place, "/")
	for i := range routes {
		if args, ok := match(routes[i].segments, segments); ok {
			return &routes[i], args
		}
	}
	return nil, nil
}

func match(pattern, segments []string) (args []string, ok bool) {
	if len(pattern) != len(segments) {
		return nil, false
	}
	for i, p := range pattern {
		switch {
		case p != "" && p[0] == '{':
			if segments[i] == "" {
				return nil, false
			}
			args = append(args, segments[i])
		case p != segments[i]:
			return nil, false
		}
	}
	return args, true
}

// method returns the method of p with a name at a version: the newest that the version
// has, or the oldest if it has none.
func (p *path) method(name string, v microversion.Placement) (m method, ok bool) {
	for _, have := range p.methods {
		if have.name == name && (!ok || v >= have.since) {
			m, ok = have, true
		}
	}
	return m, ok
}

// allowed returns the methods of p, for Allow.
func (p *path) allowed() string {
	var names []string
	for _, m := range p.methods {
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return strings.Join(names, ", ")
}
