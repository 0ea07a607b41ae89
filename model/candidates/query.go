package candidates

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// Query is a request for allocation candidates, as a value. Two queries that are equal
// field by field ask the same; a copy shares slices with its original, so change only
// a Clone.
//
// Every term may say in Origin where it comes from, such as "flavor" or the name of a
// pre-filter; Origin does not affect the search.
type Query struct {
	Microversion microversion.Placement // at which the query is understood; 0 for the newest
	Groups       []Group                // the un-suffixed one first, if there is one; then as sent
	GroupPolicy  GroupPolicy            // "" if not given
	SameSubtree  []Subtree
	Root         RootTerms
	Anchors      AnchorTerm
	Giver        GiverTerm
	Limit        int // maximum number of allocation requests; 0 for all
}

// Group is a request group. The un-suffixed group, of suffix "", may take each class
// from a different provider of a tree; every other group takes everything it asks for
// from one provider.
type Group struct {
	Suffix              string // [a-zA-Z0-9_-]{1,64}, or "" for the un-suffixed group
	Resources           []Resource
	Required            []AnyTrait     // all of them
	Forbidden           []Trait        // none of them
	MemberOf            []AnyAggregate // all of them
	ForbiddenAggregates []Aggregate    // none of them
	InTree              ProviderText   // any provider of the tree; "" for no such condition. A group without resources may be served from elsewhere
	InTreeOrigin        string         // the Origin of InTree
}

// Resource is an amount of a class that a group asks for.
type Resource struct {
	Class  placement.ResourceClass
	Amount int64 // units of the class, at least 1
	Origin string
}

// Trait is a trait that a group forbids, or that a root must or must not have.
type Trait struct {
	Name   placement.Trait
	Origin string
}

// AnyTrait asks for at least one of some traits: required=in:A,B, or required=A for one.
type AnyTrait struct {
	Names  []placement.Trait // at least one, none twice
	Origin string
}

// Aggregate is an aggregate that a group forbids.
type Aggregate struct {
	ID     AggregateText
	Origin string
}

// AnyAggregate asks for membership in at least one of some aggregates: member_of=in:A,B,
// or member_of=A for one.
type AnyAggregate struct {
	IDs    []AggregateText // at least one, none twice
	Origin string
}

// Subtree asks that one of the providers of the named groups is an ancestor of all
// others, or the same provider.
type Subtree struct {
	Suffixes []string // none empty, none twice
	Origin   string
}

// RootTerms is what root_required requires of the root of a candidate's tree.
type RootTerms struct {
	Required  []Trait // all of them
	Forbidden []Trait // none of them
}

// Empty reports whether nothing is required of the root.
func (t RootTerms) Empty() bool { return len(t.Required) == 0 && len(t.Forbidden) == 0 }

// AnchorTerm restricts candidates to some trees. Providers that share with them may serve
// as they may for any tree, which in_tree of the un-suffixed group does not allow. It is
// not a parameter of the API: it is what a scheduler that knows the host does with the
// answer, so URL leaves it out.
type AnchorTerm struct {
	Roots []placement.ProviderID // nil for all trees
	// Most is how many copies some trees take at most, for the sake of something that
	// Placement does not count; nil for as many as there is room for. Only Fit heeds it,
	// and Served where it is 0.
	Most   map[placement.ProviderID]int
	Name   string // what people call them, such as the host that they belong to
	Origin string
}

// GiverTerm asks that the classes a provider has inventories of are taken from it, and
// from no other provider: a group that asks for one of its classes is served by it. It
// is not a parameter of the API: it is for a user who has picked a provider.
type GiverTerm struct {
	Provider placement.ProviderID // zero for any
	Name     string               // what people call it
	Origin   string
}

// Empty reports whether any provider will do.
func (t GiverTerm) Empty() bool { return t.Provider.IsZero() }

// Empty reports whether a candidate may be for any tree.
func (t AnchorTerm) Empty() bool { return t.Roots == nil }

// GroupPolicy says whether two suffixed groups may take from the same provider.
type GroupPolicy string

// The policies. A query with more than one suffixed group must name one.
const (
	PolicyNone    GroupPolicy = "none"    // they may
	PolicyIsolate GroupPolicy = "isolate" // each has a different provider
)

// AggregateText is the uuid of an aggregate as a query has it, in any usual form of a
// uuid. Placement keeps an aggregate's uuid as the text that was sent, and compares text;
// here all forms of a uuid are one aggregate, so that whoever writes and asks in the same
// form finds it.
type AggregateText string

// ProviderText is the uuid of a resource provider as a query has it. Any usual form of a
// uuid is accepted, but only lower case with dashes ever matches a provider: Placement
// keeps that form, whatever was sent, and compares text.
type ProviderText string

// TextOfAggregate returns id as queries write it.
func TextOfAggregate(id placement.AggregateID) AggregateText { return AggregateText(id.String()) }

// TextOfProvider returns id as queries write it.
func TextOfProvider(id placement.ProviderID) ProviderText { return ProviderText(id.String()) }

// ID returns the aggregate that t names, and false if it is no uuid.
func (t AggregateText) ID() (placement.AggregateID, bool) {
	u, err := uuid.Parse(hexOfUUID(string(t)))
	return placement.AggregateID(u), err == nil && u != uuid.Nil
}

// ID returns the provider that t names, and false if t is in a form that matches
// none.
func (t ProviderText) ID() (placement.ProviderID, bool) {
	u, ok := canonicalUUID(string(t))
	return placement.ProviderID(u), ok
}

func canonicalUUID(s string) (uuid.UUID, bool) {
	if len(s) != 36 {
		return uuid.Nil, false
	}
	u, err := uuid.Parse(s)
	return u, err == nil && u != uuid.Nil && u.String() == s
}

// isUUIDLike reports whether s is a uuid in any form that the real service
// accepts: dashes anywhere or nowhere, either case, braces, urn.
//
// Source: oslo_utils/uuidutils.py, is_uuid_like.
func isUUIDLike(s string) bool {
	s = hexOfUUID(s)
	if len(s) != 32 {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

// hexOfUUID returns the digits of a uuid in any form.
func hexOfUUID(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "urn:", ""), "uuid:", "")
	return strings.ReplaceAll(strings.Trim(s, "{}"), "-", "")
}

// Version returns the microversion of q.
func (q Query) Version() microversion.Placement {
	if q.Microversion == 0 {
		return microversion.PlacementNewest
	}
	return q.Microversion
}

// Group returns the group with the given suffix, and false if q has none.
func (q Query) Group(suffix string) (Group, bool) {
	i := q.find(suffix)
	if i < 0 {
		return Group{}, false
	}
	return q.Groups[i], true
}

func (q Query) find(suffix string) int {
	return slices.IndexFunc(q.Groups, func(g Group) bool { return g.Suffix == suffix })
}

// Clone returns a copy that shares nothing with q.
func (q Query) Clone() Query {
	q.Groups = slices.Clone(q.Groups)
	for i := range q.Groups {
		g := &q.Groups[i]
		g.Resources = slices.Clone(g.Resources)
		g.Required = slices.Clone(g.Required)
		for j := range g.Required {
			g.Required[j].Names = slices.Clone(g.Required[j].Names)
		}
		g.Forbidden = slices.Clone(g.Forbidden)
		g.MemberOf = slices.Clone(g.MemberOf)
		for j := range g.MemberOf {
			g.MemberOf[j].IDs = slices.Clone(g.MemberOf[j].IDs)
		}
		g.ForbiddenAggregates = slices.Clone(g.ForbiddenAggregates)
	}
	q.SameSubtree = slices.Clone(q.SameSubtree)
	for i := range q.SameSubtree {
		q.SameSubtree[i].Suffixes = slices.Clone(q.SameSubtree[i].Suffixes)
	}
	q.Root.Required = slices.Clone(q.Root.Required)
	q.Root.Forbidden = slices.Clone(q.Root.Forbidden)
	q.Anchors.Roots, q.Anchors.Most = slices.Clone(q.Anchors.Roots), maps.Clone(q.Anchors.Most)
	return q
}
