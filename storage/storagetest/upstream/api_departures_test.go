//go:build placement

package upstream_test

import (
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// departure is an intended difference between Placement and us.
type departure struct {
	name, why string
	is        func(b *both, a asked, theirs, ours reply, want, got answered) bool
}

// apiDepartures returns all of them, besides what both.normal takes out: see apiTidied.
func apiDepartures() []departure {
	return []departure{
		{
			"head", "an answer without a body is not of type text/html",
			func(_ *both, a asked, theirs, ours reply, want, got answered) bool {
				delete(want.Header, "Content-Type")
				delete(got.Header, "Content-Type")
				return a.method == "HEAD" && cmp.Equal(want, got)
			},
		},
		{
			"names of later groups", "a class or trait that nobody knows is refused wherever it stands: Placement looks names up group by group, and stops at a group that nobody serves",
			func(_ *both, a asked, theirs, ours reply, _, _ answered) bool {
				return strings.HasPrefix(a.path, "/allocation_candidates") && theirs.status == 200 && ours.status == 400 &&
					strings.Contains(theirs.body, `"allocation_requests": []`) && strings.Contains(ours.body, "No such ")
			},
		},
		{
			"never changed", "an answer with a provider or its inventories says when that was written last: Placement does not, of a provider that was only made before a PUT, and of no inventories",
			func(_ *both, a asked, _, _ reply, want, got answered) bool {
				_, said := want.Header["Last-Modified"]
				delete(got.Header, "Last-Modified")
				return !said && (strings.HasSuffix(a.path, "/inventories") || a.method == "PUT") && cmp.Equal(want, got)
			},
		},
		{
			"forms of aggregates", "the uuid of an aggregate is one aggregate in whatever form it is written: Placement keeps and compares the text, on SQLite in upper and lower case apart",
			func(_ *both, a asked, theirs, ours reply, want, got answered) bool {
				list := strings.HasSuffix(a.path, "/aggregates") && strings.EqualFold(text(want.Body), text(got.Body))
				return theirs.status == 200 && ours.status == 200 && (list || upperMember.MatchString(a.path))
			},
		},
		{
			"faults", "what makes Placement fail is refused as a bad request",
			func(_ *both, _ asked, theirs, ours reply, _, _ answered) bool {
				return theirs.status == 500 && ours.status >= 400 && ours.status < 500
			},
		},
		{
			"uuids without dashes", "providers are found by a uuid in any form, as Debian's stable release finds them: newer ones demand the dashes, as their libraries do",
			func(_ *both, _ asked, theirs, ours reply, _, _ answered) bool {
				return Newer() && theirs.status == 400 && ours.status == 200 && strings.Contains(theirs.body, "is not a 'uuid'")
			},
		},
		{
			"who reshapes", "without authentication an admin is a service, too, and only services reshape: newer releases tell them apart, older ones let any admin",
			func(_ *both, a asked, theirs, ours reply, _, _ answered) bool {
				return a.path == "/reshaper" && (Newer() && theirs.status == 403 || !Newer() && ours.status == 403) && strings.Contains(theirs.body+ours.body, "Policy does not allow")
			},
		},
		{
			"no class", "an inventory under a name that no class may have is of an unknown class: Placement looks at its numbers first, and at their form not at all",
			func(_ *both, a asked, theirs, ours reply, _, _ answered) bool {
				return (strings.HasSuffix(a.path, "/inventories") || a.path == "/reshaper") && theirs.status >= 400 && ours.status == 400 && strings.Contains(ours.body, "No such resource class")
			},
		},
		{
			"no name", "a provider keeps a name: Placement asks for one when it is made, and not when it is renamed, where it may find another fault",
			func(_ *both, a asked, theirs, ours reply, _, _ answered) bool {
				return a.method == "PUT" && (theirs.status == 200 || theirs.status == 400) && ours.status == 400 && strings.Contains(ours.body, "name is required")
			},
		},
		{
			"candidates", "Placement's own bugs: the same class in two groups, hosts that only share, sharing providers below a root",
			candidateBug,
		},
		{
			"not worse", "a claim may stay on a provider that is over full, as long as that gets no worse: Debian's stable release refuses it, newer ones do not, so that another fault may be the first to be told",
			func(b *both, _ asked, theirs, ours reply, _, _ answered) bool {
				full := beyond.FindStringSubmatch(theirs.body)
				return !Newer() && theirs.status == 409 && (ours.status == 204 || ours.status == 409) && full != nil && b.overFull(full[2], full[1])
			},
		},
		{
			"reshaped below zero", "a reshape may not give an inventory less than nothing, as no other write may",
			func(_ *both, a asked, _, ours reply, _, _ answered) bool {
				return a.path == "/reshaper" && ours.status == 400 && strings.Contains(ours.body, "is below zero")
			},
		},
	}
}

// apiTidied says what both.normal takes out of all answers before they are compared.
func apiTidied() []string {
	return []string{
		"request ids and times, which are never the same",
		"the order of lists that have the order of a table: it is that of names or of creation here",
		"the detail of refusals, which each words by itself: Placement's functional suite says what clients read in it",
		"Vary, which Placement leaves out of some refusals",
	}
}

// upperMember matches a query for the members of an aggregate in upper case.
var upperMember = regexp.MustCompile(`member_of[^=]*=[^&]*[A-F]`)

// beyond matches a refusal for capacity: the class and the provider.
var beyond = regexp.MustCompile(`Unable to create allocation for '(\w+)' on resource provider '([0-9a-f-]+)'. The requested amount would exceed the capacity`)

// overFull reports whether one of our providers has more of a class in use than its
// capacity.
func (b *both) overFull(provider, class string) bool {
	id, err := placement.ParseProviderID(provider)
	must.Succeed(b.t, err)
	s := b.store.Snapshot().Placement()
	number, _ := s.ClassID(placement.ResourceClass(class))
	p, ok := s.Provider(id)
	if !ok {
		return false
	}
	inv, ok := p.Inventory(number)
	return ok && !inv.HasRoom(inv.Used, 0)
}

// candidateBug reports whether the answers to a candidates query differ by one of the
// bugs in knownBug.
func candidateBug(b *both, a asked, theirs, ours reply, _, _ answered) bool {
	query, ok := strings.CutPrefix(a.path, "/allocation_candidates?")
	if !ok || ours.status != 200 {
		return false
	}
	s := b.store.Snapshot().Placement()
	if theirs.status == 500 {
		return sharesBelowRoot(s)
	}
	q, err := candidates.ParseURL(query, microversion.Placement(minor(ours.header.Get("Openstack-Api-Version"))), s)
	if theirs.status != 200 || err != nil {
		return false
	}
	return knownBug(q, s, readAnswer(b.t, []byte(theirs.body), s).Candidates, readAnswer(b.t, []byte(ours.body), s).Candidates)
}
