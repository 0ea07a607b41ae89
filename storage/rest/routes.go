package rest

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
)

// path is a path of the API with what can be done there.
type path struct {
	pattern  string
	segments []string // of the pattern
	methods  []method // in the order in which Allow names them
}

// method is what can be done at a path.
type method struct {
	name      string
	since     candidates.Microversion
	form      form
	may       policy
	policy    string // as refusals name it
	do        func(*request) *fault
	formFirst bool // the form is asked before the version
	tooOld    int  // the status below since, where it is not 404
}

// form says what of a request is looked at before what it asks for.
type form int

const (
	plain       form = iota
	answersJSON      // the client must take JSON
	takesJSON        // the body must be JSON
)

// public is the policy of what needs nobody.
const public = ""

// routes are all that the API has.
//
// Source: placement/handler.py, ROUTE_DECLARATIONS; placement/policies.
//
//nolint:gochecknoglobals // an immutable table
var routes = compile([]path{
	{pattern: "/", methods: []method{
		{"GET", 0, plain, reader, public, versionDocument, false, 0},
	}},
	{pattern: "/resource_providers", methods: []method{
		{"GET", 0, answersJSON, reader, "resource_providers:list", listProviders, false, 0},
	}},
	{pattern: "/resource_providers/{uuid}", methods: []method{
		{"GET", 0, answersJSON, reader, "resource_providers:show", showProvider, false, 0},
	}},
})

// compile takes the patterns apart.
func compile(paths []path) []path {
	for i := range paths {
		paths[i].segments = strings.Split(paths[i].pattern, "/")
	}
	return paths
}

// find returns the path that a request is for, with what stands for its parameters;
// nil where there is none.
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

// method returns what can be done at p by the method of a name.
func (p *path) method(name string) (method, bool) {
	i := slices.IndexFunc(p.methods, func(m method) bool { return m.name == name })
	if i < 0 {
		return method{}, false
	}
	return p.methods[i], true
}

// allowed returns the methods of p as Allow has them.
func (p *path) allowed() string {
	names := make([]string, len(p.methods))
	for i, m := range p.methods {
		names[i] = m.name
	}
	return strings.Join(names, ", ")
}
