package kinds

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// terms are the classes that a request names, and the traits that it requires.
type terms struct {
	classes []placement.ResourceClass
	traits  []placement.Trait
}

// termsOf returns what a flavor asks for, with what Nova adds while the owner gate is
// closed; nothing if the flavor is not valid.
func termsOf(s *cloud.Snapshot, f *nova.Flavor) (t terms) {
	spec, err := ops.RequestSpecOf(s, &nova.Instance{}, f)
	if err != nil {
		return t
	}
	r, err := s.Nova().Ask(spec, nova.AskOptions{Gate: nova.GateHeldClosed})
	if err != nil {
		return t
	}
	for _, g := range r.Query.Groups {
		for _, x := range g.Resources {
			t.classes = append(t.classes, x.Class)
		}
		for _, any := range g.Required {
			t.traits = append(t.traits, any.Names...)
		}
	}
	return t
}

// termsOfProfile returns what a device profile asks for; nothing if it is not valid.
func termsOfProfile(p *cyborg.DeviceProfile) (t terms) {
	groups, err := p.RequestGroups()
	if err != nil {
		return t
	}
	for _, g := range groups {
		for _, x := range g.Resources {
			t.classes = append(t.classes, x.Class)
		}
		for _, any := range g.Required {
			t.traits = append(t.traits, any.Names...)
		}
	}
	return t
}

// requesters are the flavors and the device profiles that ask for something, by name.
type requesters struct{ flavors, profiles []string }

// demand holds, for each trait and class, what asks for it.
type demand struct {
	traits  map[placement.Trait]*requesters
	classes map[placement.ResourceClass]*requesters
}

// demandOf returns the demand of the flavors that new instances may have, and of the
// device profiles.
func demandOf(s *cloud.Snapshot) demand {
	d := demand{map[placement.Trait]*requesters{}, map[placement.ResourceClass]*requesters{}}
	for f := range survey.NewestFlavors(s.Nova()) {
		d.add(termsOf(s, f), func(a *requesters) *[]string { return &a.flavors }, f.Name)
	}
	for p := range s.Cyborg().DeviceProfiles() {
		d.add(termsOfProfile(p), func(a *requesters) *[]string { return &a.profiles }, p.Name)
	}
	return d
}

// add notes what asks for some terms.
func (d demand) add(t terms, to func(*requesters) *[]string, name string) {
	for _, c := range t.classes {
		note(d.classes, c, to, name)
	}
	for _, x := range t.traits {
		note(d.traits, x, to, name)
	}
}

// note adds a name to the requesters of something, once.
func note[K comparable](in map[K]*requesters, what K, to func(*requesters) *[]string, name string) {
	a := in[what]
	if a == nil {
		a = &requesters{}
		in[what] = a
	}
	if names := to(a); !slices.Contains(*names, name) {
		*names = append(*names, name)
	}
}

// of returns the requesters of something, which may be none.
func of[K comparable](in map[K]*requesters, what K) requesters {
	if a := in[what]; a != nil {
		return *a
	}
	return requesters{}
}

// requesterFields returns the fields for the requesters of a row.
func requesterFields[R any](get func(R) requesters) []*Field {
	names := func(name, short string, list func(requesters) []string) *Field {
		return counted(name, short, func(r R) int { return len(list(get(r))) }, func(_ At, r R, words []string) []string {
			return append(words, list(get(r))...)
		}).help("that ask for it")
	}
	return []*Field{
		names("flavors", "flavor", func(a requesters) []string { return a.flavors }),
		names("device_profiles", "profile", func(a requesters) []string { return a.profiles }),
	}
}

// demandFields returns the fields for the classes and the traits that a flavor asks for.
func demandFields() []*Field {
	return hidden([]*Field{
		words("classes", func(at At, f *nova.Flavor, words []string) []string {
			for _, c := range termsOf(at.Snap, f).classes {
				words = append(words, string(c))
			}
			return words
		}).short("class").help("that it asks for"),
		words("traits", func(at At, f *nova.Flavor, words []string) []string {
			for _, t := range termsOf(at.Snap, f).traits {
				words = append(words, string(t))
			}
			return words
		}).short("trait").help("that it requires, including those Nova adds"),
	})
}
