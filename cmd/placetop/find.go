package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// finder turns what a user names a thing by into the thing: its name, its uuid,
// or the beginning of its uuid.
type finder struct {
	*cloud.Snapshot
}

// provider returns the provider that text names. A name that is taken wins over
// a uuid.
func (f finder) provider(text string) (*placement.ResourceProvider, error) {
	p := f.Placement()
	if rp, ok := p.ProviderByName(text); ok {
		return rp, nil
	}
	return unique("resource provider", text, p.Providers(),
		func(rp *placement.ResourceProvider) string { return rp.ID().String() },
		(*placement.ResourceProvider).Name)
}

// consumer returns the consumer that text names: by its uuid, or by the name of
// the instance that it is.
func (f finder) consumer(text string) (*placement.Consumer, error) {
	var named []*placement.Consumer
	for i := range f.Nova().Instances() {
		if c, ok := f.Placement().Consumer(i.UUID); ok && i.Name == text {
			named = append(named, c)
		}
	}
	switch len(named) {
	case 0:
	case 1:
		return named[0], nil
	default:
		return nil, ambiguous("instance", text, "the name of", named, consumerID)
	}
	return unique("consumer", text, f.Placement().Consumers(), consumerID,
		func(c *placement.Consumer) string { return f.consumerName(c.ID()) })
}

func consumerID(c *placement.Consumer) string { return c.ID().String() }

// consumerName returns the name of the instance that a consumer is, "" where it
// is none that Nova knows.
func (f finder) consumerName(id placement.ConsumerID) string {
	if i, ok := f.Nova().Instance(id); ok {
		return i.Name
	}
	return ""
}

// class returns the number of a resource class.
func (f finder) class(name string) (placement.ClassID, error) {
	p := f.Placement()
	if id, ok := p.ClassID(placement.ResourceClass(name)); ok {
		return id, nil
	}
	var all []string
	for _, c := range p.Classes() {
		all = append(all, string(c))
	}
	return 0, unknownName("resource class", name, p.ClassHint(placement.ResourceClass(name)), all)
}

// trait returns the number of a trait.
func (f finder) trait(name string) (placement.TraitID, error) {
	p := f.Placement()
	if id, ok := p.TraitID(placement.Trait(name)); ok {
		return id, nil
	}
	var all []string
	for _, t := range p.Traits() {
		all = append(all, string(t))
	}
	return 0, unknownName("trait", name, p.TraitHint(placement.Trait(name)), all)
}

// unknownName reports a class or a trait that the cloud does not know, with those
// that are spelled like it, or that it is a part of.
func unknownName(what, name, hint string, all []string) error {
	if hint != "" {
		return fmt.Errorf("%w%s", &placement.NotFoundError{What: what, Name: name}, hint)
	}
	return &placement.NotFoundError{What: what, Name: name, Like: alike(name, slices.Values(all))}
}

// named returns the one of all that is called text, or else the one that unique
// finds.
func named[T any](what, text string, all iter.Seq[T], id, name func(T) string) (T, error) {
	var found []T
	for t := range all {
		if text != "" && name(t) == text {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return unique(what, text, all, id, name)
	case 1:
		return found[0], nil
	default:
		var none T
		return none, ambiguous(what, text, "the name of", found, id)
	}
}

// unique returns the one of all whose uuid is text, or begins with it. The order
// of all is kept in the message where there are several.
func unique[T any](what, text string, all iter.Seq[T], id, name func(T) string) (T, error) {
	var none T
	prefix := strings.ToLower(text)
	var found []T
	if prefix != "" && strings.Trim(prefix, "0123456789abcdef-") == "" {
		for t := range all {
			switch u := id(t); {
			case u == prefix || strings.ReplaceAll(u, "-", "") == prefix:
				return t, nil
			case strings.HasPrefix(u, prefix):
				found = append(found, t)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := func(yield func(string) bool) {
			for t := range all {
				if n := name(t); n != "" && !yield(n) {
					return
				}
			}
		}
		return none, &placement.NotFoundError{What: what, Name: text, Like: alike(text, names)}
	default:
		return none, ambiguous(what, text, "the beginning of", found, func(t T) string {
			if n := name(t); n != "" {
				return id(t) + " (" + n + ")"
			}
			return id(t)
		})
	}
}

// ambiguous reports that text may mean any of found.
func ambiguous[T any](what, text, how string, found []T, show func(T) string) error {
	const most = 5
	var names []string
	for _, t := range found[:min(most, len(found))] {
		names = append(names, show(t))
	}
	if more := len(found) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return usageErrorf("say more of the uuid", "%q is %s %d %ss: %s", text, how, len(found), what, strings.Join(names, ", "))
}

// alike returns up to three of names that contain text, or that text contains,
// whatever their case; for the hint of an error.
func alike(text string, names iter.Seq[string]) []string {
	const most = 3
	text = strings.ToLower(text)
	var out []string
	if len(text) < 2 {
		return nil
	}
	for n := range names {
		low := strings.ToLower(n)
		if strings.Contains(low, text) || len(low) > 2 && strings.Contains(text, low) {
			out = append(out, n)
			if len(out) == most {
				break
			}
		}
	}
	return out
}
