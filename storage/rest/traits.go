package rest

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/placement"
)

// appendTraits appends a list of names of traits.
func (b jsonText) appendTraits(names []placement.Trait) jsonText {
	b = b.raw("[")
	for i, name := range names {
		b = b.comma(i > 0)
		b = b.str(string(name))
	}
	return b.raw("]")
}

// listTraits answers GET /traits.
//
// Source: placement/handlers/trait.py, list_traits.
func listTraits(r *request) *fault {
	q, f := r.checkQuery(checkTraitsQuery)
	if f != nil {
		return f
	}
	keep := func(placement.Trait) bool { return true }
	text := q.last("name")
	if q.has("name") {
		if keep, f = traitNames(text); f != nil {
			return f
		}
	}
	associated := strings.ToLower(q.last("associated"))
	if q.has("associated") && associated != "true" && associated != "false" {
		return badRequest(`The query parameter "associated" only accepts "true" or "false"`)
	}
	s := r.placement()
	var names []placement.Trait
	for id, name := range s.Traits() {
		if keep(name) && (associated == "" || (s.WithTrait(id).Len() > 0) == (associated == "true")) {
			names = append(names, name)
		}
	}
	if strings.HasPrefix(text, "in:") { // looked up by name
		slices.Sort(names)
	}
	r.answer(http.StatusOK, jsonText(`{"traits": `).appendTraits(names).raw("}"), time.Time{})
	return nil
}

// traitNames returns a predicate for the parameter name of a list of traits. An unknown
// word before the colon selects all.
func traitNames(text string) (func(placement.Trait) bool, *fault) {
	op, value, ok := strings.Cut(text, ":")
	switch {
	case !ok:
		return nil, badRequest(`Badly formatted name parameter. Expected name query string parameter in form: ?name=[in|startswith]:[name1,name2|prefix]. Got: "%s"`, text)
	case op == "in":
		list := strings.Split(value, ",")
		return func(t placement.Trait) bool { return slices.Contains(list, string(t)) }, nil
	case op == "startswith":
		pattern := strings.ToUpper(value) + "%"
		return func(t placement.Trait) bool { return like(string(t), pattern) }, nil
	}
	return func(placement.Trait) bool { return true }, nil
}

// like reports whether a name matches a SQL pattern: "_" is any character, "%" any number
// of them. If a part after a "%" does not fit, only that "%" takes one more character,
// never an earlier one, so that the number of steps stays small for any pattern.
func like(name, pattern string) bool {
	at, p := 0, 0
	again, from := -1, 0 // position after the last "%" in the pattern, and where what it takes ends
	for at < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '%':
			p++
			again, from = p, at
		case p < len(pattern) && (pattern[p] == '_' || pattern[p] == name[at]):
			p++
			at++
		case again >= 0:
			from++
			p, at = again, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "%") == ""
}

// noTrait is the answer for an unknown trait in the path.
func noTrait(name string) *fault { return notFound("No such trait(s): %s.", name) }

// showTrait answers GET /traits/{name}.
func showTrait(r *request) *fault {
	if _, ok := r.placement().TraitID(placement.Trait(r.args[0])); !ok {
		return noTrait(r.args[0])
	}
	r.done(http.StatusNoContent)
	r.asOf(time.Time{})
	return nil
}

// ensureTrait answers PUT /traits/{name}.
func ensureTrait(r *request) *fault {
	name := placement.Trait(r.args[0])
	if name.Validate() != nil || !strings.HasPrefix(string(name), "CUSTOM_") || name == "CUSTOM_" {
		return badRequest(`The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"`)
	}
	status := http.StatusNoContent
	_, f := r.apply(write{decide: func(s *placement.Snapshot) (placement.Op, *fault) {
		if _, ok := s.TraitID(name); ok {
			status = http.StatusNoContent
			return nil, nil
		}
		status = http.StatusCreated
		return placement.CreateTrait{Name: name}, nil
	}})
	if f != nil {
		return f
	}
	r.location("/traits/" + string(name))
	r.done(status)
	r.asOf(time.Time{})
	return nil
}

// deleteTrait answers DELETE /traits/{name}.
func deleteTrait(r *request) *fault {
	name := placement.Trait(r.args[0])
	return r.applyAndDone(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			switch _, ok := s.TraitID(name); {
			case !ok:
				return nil, noTrait(string(name))
			case !name.IsCustom():
				return nil, badRequest("Cannot delete standard trait %s.", name)
			}
			return placement.DeleteTrait{Name: name}, nil
		},
		words: when(placement.ErrInUse, api.Undefined, "The trait %s is in use by a resource provider.", name),
	})
}

// traitsByNumber returns the traits of a provider in the order in which GET /traits has
// them. It is the database's for what is not looked up by name.
//
// Source: placement/objects/trait.py, get_all_by_resource_provider and _get_all_from_db.
func traitsByNumber(s *placement.Snapshot, p *placement.ResourceProvider) []placement.Trait {
	out := make([]placement.Trait, len(p.TraitIDs()))
	for i, id := range p.TraitIDs() {
		out[i] = s.TraitName(id)
	}
	return out
}

// answerTraits answers with the traits of a provider.
func (r *request) answerTraits(p *placement.ResourceProvider, names []placement.Trait) {
	b := r.text(`{"traits": `).appendTraits(names).raw(`, "resource_provider_generation": `).num(p.Generation())
	r.answer(http.StatusOK, b.raw("}"), modifiedOf(p))
}

// listProviderTraits answers GET /resource_providers/{uuid}/traits.
func listProviderTraits(r *request) *fault {
	s := r.placement()
	p, ok := r.provider(s)
	if !ok {
		return notFound("No resource provider with uuid %s found: No resource provider with uuid %s found", r.args[0], r.args[0])
	}
	r.answerTraits(p, traitsByNumber(s, p))
	return nil
}

// generationMoved is the answer to an outdated generation of traits or aggregates.
func generationMoved() *fault {
	return conflict(api.ConcurrentUpdate, "Resource provider's generation already changed. Please update the generation and try again.")
}

// setTraits answers PUT /resource_providers/{uuid}/traits.
func setTraits(r *request) *fault {
	in, f := read(r, readTraits)
	if f != nil {
		return f
	}
	slices.Sort(in.names)
	names := slices.Compact(in.names)
	s, p, f := r.applyTo(write{decide: func(s *placement.Snapshot) (placement.Op, *fault) {
		p, f := r.providerAt(s, in.generation, generationMoved)
		if f != nil {
			return nil, f
		}
		var unknown []string
		for _, name := range names {
			if _, ok := s.TraitID(name); !ok {
				unknown = append(unknown, string(name))
			}
		}
		if len(unknown) > 0 {
			return nil, badRequest("No such trait %s", strings.Join(unknown, ", "))
		}
		return placement.SetTraits{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Traits: names}, nil
	}})
	if f != nil {
		return f
	}
	r.answerTraits(p, s.TraitsOf(p)) // looked up by name
	return nil
}

// deleteTraits answers DELETE /resource_providers/{uuid}/traits.
func deleteTraits(r *request) *fault {
	return r.applyAndDone(write{decide: func(s *placement.Snapshot) (placement.Op, *fault) {
		p, ok := r.provider(s)
		if !ok {
			return nil, noProvider(r.args[0])
		}
		return placement.SetTraits{Provider: p.ID(), Generation: placement.Generation(p.Generation())}, nil
	}})
}
