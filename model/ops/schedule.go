package ops

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Amounts are the units of each class that a claim takes from each provider.
type Amounts = placement.Amounts

// Place is a candidate: where an instance would go, and what it would take there.
type Place struct {
	Number      int    // its turn among all candidates for the request, from 1; 0 if it is not of an answer
	Why         string // a use-case leaves it out, as "its nova-compute is forced down"; "" if it does not
	Phantom     string // why it takes capacity that no guest can have, see Phantoms; "" if it does not
	Stays       bool   // Why is no more than that the instance is on it: a resize may be let stay, by Move.SameHost
	Host        string // that Nova knows the compute node by
	Root        placement.ProviderID
	Allocations Amounts
	Parts       []candidates.Part                 // Allocations, request group by request group; nil if it is not of an answer
	Mappings    map[string][]placement.ProviderID // which providers serve which request group
}

// Asked returns the question that was put to Placement, for follow-up questions; nil
// if none could be.
func (p Places) Asked() *candidates.Question { return p.asked }

// Places are the answer to a request of Nova's.
type Places struct {
	Request nova.Request
	Places  []Place
	// Left are places that would do but for a rule of the use-case, such as that a
	// migration leaves its host; each says Why.
	Left []Place
	// Cut says that there are more candidates than were looked at, though the request
	// has no limit: candidates.DefaultMost of them.
	Cut bool

	asked *candidates.Question // Request.Query; nil if it is not valid
}

// RequestSpecOf returns what Nova asks for to place an instance with flavor f, the
// groups of its device profile and of the ports that it has included.
//
// Errors: placement.ErrNotFound if the flavor names a device profile that does
// not exist; placement.ErrInvalid if the profile cannot be read.
//
// Source: nova/accelerator/cyborg.py, get_device_profile_groups.
func RequestSpecOf(s *cloud.Snapshot, i *nova.Instance, f *nova.Flavor) (nova.RequestSpec, error) {
	spec := i.RequestSpec(f)
	spec.Ports = portGroups(s, i)
	name := f.DeviceProfile()
	if name == "" {
		return spec, nil
	}
	p, ok := s.Cyborg().DeviceProfile(name)
	if !ok {
		return spec, fmt.Errorf("flavor %s: %w", f.Name, noProfile(s, name))
	}
	groups, err := p.RequestGroups()
	if err != nil {
		return spec, fmt.Errorf("flavor %s: %w", f.Name, err)
	}
	spec.Devices = groups
	return spec, nil
}

// RequestFor returns Nova's request to Placement for a new instance with flavor f.
//
// Errors: those of RequestSpecOf and of nova.Snapshot.Ask.
func RequestFor(s *cloud.Snapshot, f *nova.Flavor) (nova.Request, error) {
	spec, err := RequestSpecOf(s, &nova.Instance{}, f)
	if err != nil {
		return nova.Request{}, err
	}
	return s.Nova().Ask(spec, nova.AskOptions{Placement: s.Placement()})
}

// CheckRequestable returns why no place can be requested for an instance with flavor f, however
// much room there is; nil if one can.
//
// Errors: those of RequestSpecOf and of nova.Snapshot.Ask, with the name of the flavor.
func CheckRequestable(s *cloud.Snapshot, i *nova.Instance, f *nova.Flavor, o nova.AskOptions) error {
	spec, err := RequestSpecOf(s, i, f)
	if err != nil {
		return err
	}
	o.Placement = s.Placement()
	_, err = s.Nova().Ask(spec, o)
	var named *nova.ExtraSpecError
	if err == nil || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("flavor %s: %w", f.Name, err)
}

// PlacesFor returns the places for spec, in the order of the search, those that take
// phantom capacity last. Hosts that Nova does not know are left out, and so are those
// without the requested PCI devices, whether Placement was asked for those or not.
// The error is that of nova.Snapshot.Ask; finding no place is not an error.
func PlacesFor(s *cloud.Snapshot, x *candidates.Index, spec nova.RequestSpec, o nova.AskOptions) (Places, error) {
	requests, err := RequestsFor(s, spec, o)
	if err != nil {
		return Places{}, err
	}
	r := requests[0]
	out := Places{Request: r}
	if out.asked, err = x.Ask(r.Query); err != nil {
		return Places{}, err
	}
	out.Places, out.Cut = search(s, out.asked)
	for _, more := range requests[1:] {
		if err := out.fallBack(s, x, more); err != nil {
			return Places{}, err
		}
	}
	for i := range out.Places {
		out.Places[i].Number = i + 1
	}
	phantoms := NewPhantoms(s)
	out.leave(func(p *Place) string {
		if root, ok := s.Placement().Provider(p.Root); ok {
			if why, orphan := phantoms.Orphan(root); orphan {
				return why.String()
			}
		}
		if spec.BootFromVolume {
			if why := localDisk(s, p); why != "" {
				return why
			}
		}
		return passThrough(s, p, r.PCI)
	})
	if text := unreportedDevicesText(s, r, o); text != "" {
		out.Request.Warnings = append(slices.Clone(out.Request.Warnings), nova.Warning{Text: text, Accepted: true, Open: true})
	}
	order, why := phantoms.Order(len(out.Places), func(i int) []candidates.Part { return out.Places[i].Parts })
	places := make([]Place, len(order))
	for i, n := range order {
		places[i] = out.Places[n]
		places[i].Phantom = why[n]
	}
	out.Places = places
	return out, err
}

// RequestsFor returns what Nova asks Placement for: one request or, for pinned CPUs where
// only some hosts report PCPU, a second one for VCPU on the others. No candidate answers
// both.
//
// Errors: those of nova.Snapshot.Ask.
//
// Source: nova/scheduler/manager.py, select_destinations.
func RequestsFor(s *cloud.Snapshot, spec nova.RequestSpec, o nova.AskOptions) ([]nova.Request, error) {
	o.Placement = s.Placement()
	r, err := s.Nova().Ask(spec, o)
	if e, ok := errors.AsType[*placement.NotFoundError](err); ok && spec.Host != "" && e.Name == spec.Host {
		err = s.Missing(e, cloud.Hypervisors)
	}
	if err != nil {
		return nil, err
	}
	for _, of := range []cloud.Part{cloud.Flavors, cloud.Services} {
		if cut := s.Reading(of).Cut; cut != "" {
			r.Warnings = append(slices.Clone(r.Warnings), nova.Warning{Text: fmt.Sprintf("not all is known of %s: %s", of, cut), Accepted: true, Open: true})
		}
	}
	out := []nova.Request{r}
	if !r.Pinned || s.Nova().Config().NoVCPUFallback {
		return out, nil
	}
	spec.Unpinned = true
	more, err := s.Nova().Ask(spec, o)
	if err != nil {
		return nil, err
	}
	roots := withoutPCPU(s.Placement())
	q := more.Query.Clone()
	if forced := q.Anchors; !forced.Empty() {
		roots = slices.DeleteFunc(roots, func(id placement.ProviderID) bool { return !slices.Contains(forced.Roots, id) })
	}
	if len(roots) == 0 {
		return out, nil
	}
	q.Anchors = candidates.AnchorTerm{Roots: roots, Name: "a host that reports no PCPU", Origin: "[workarounds]" + nova.OptionFallback}
	more.Query = q
	return append(out, more), nil
}

// withoutPCPU returns the roots of the trees that report no PCPU; see nova.Snapshot.FallsBack.
func withoutPCPU(s *placement.Snapshot) []placement.ProviderID {
	reports := map[placement.ProviderID]bool{}
	if id, ok := s.ClassID(placement.PCPU); ok {
		for n := range s.WithClass(id).All() {
			reports[s.Root(s.ProviderAt(n)).ID()] = true
		}
	}
	var out []placement.ProviderID
	for p := range s.Providers() {
		if p.IsRoot() && !reports[p.ID()] {
			out = append(out, p.ID())
		}
	}
	return out
}

// fallBack adds the places of a second request to those of the first. If there are only
// these, their request is the answer's.
func (p *Places) fallBack(s *cloud.Snapshot, x *candidates.Index, r nova.Request) error {
	asked, err := x.Ask(r.Query)
	if err != nil {
		return err
	}
	more, cut := search(s, asked)
	if len(more) == 0 {
		return nil
	}
	if len(p.Places) == 0 {
		p.Request, p.asked = r, asked
	}
	p.Request = withFallbackWarning(s, p.Request, len(more))
	p.Places, p.Cut = append(p.Places, more...), p.Cut || cut
	return nil
}

// BestRequest returns the one of several requests that speaks for all: the first that has
// candidates, with a warning of those of the others.
func BestRequest(s *cloud.Snapshot, x *candidates.Indexer, requests []nova.Request) (nova.Request, error) {
	is, found := requests[0], len(requests) == 1
	for i, r := range requests {
		if len(requests) == 1 {
			break
		}
		asked, err := x.Index(s.Placement()).Ask(r.Query)
		if err != nil {
			return nova.Request{}, err
		}
		n, _ := asked.Count()
		switch {
		case n == 0:
			continue
		case !found:
			is, found = r, true
		}
		if i > 0 {
			is = withFallbackWarning(s, is, n)
		}
	}
	return is, nil
}

// withFallbackWarning returns a request with the warning that a number of candidates have VCPU for
// pinned CPUs.
func withFallbackWarning(s *cloud.Snapshot, r nova.Request, n int) nova.Request {
	text := words.Count(n, "candidate") + " with VCPU for pinned CPUs, on hosts that report no PCPU; " +
		cmp.Or(s.Nova().Config().Basis(nova.OptionFallback), "[workarounds]"+nova.OptionFallback+" is off")
	r.Warnings = append(slices.Clone(r.Warnings), nova.Warning{Text: text, Accepted: true, Open: true})
	return r
}

// search returns the candidates for q, in the order of the search, and whether there are
// more than it returns.
func search(s *cloud.Snapshot, q *candidates.Question) (places []Place, cut bool) {
	found := q.Search(candidates.Options{})
	out := make([]Place, found.Len())
	for i := range found.Len() {
		root := found.Anchor(i)
		p := Place{Root: root.ID(), Host: HostOf(s, root), Allocations: found.Allocations(i), Parts: found.Parts(i), Mappings: map[string][]placement.ProviderID{}}
		for suffix, providers := range found.Mappings(i) {
			for _, by := range providers {
				p.Mappings[suffix] = append(p.Mappings[suffix], by.ID())
			}
		}
		out[i] = p
	}
	return out, found.Truncated
}

// leave moves the places for which why returns a reason from Places to Left.
func (p *Places) leave(why func(*Place) string) {
	kept := p.Places[:0:0]
	for _, at := range p.Places {
		if at.Why = why(&at); at.Why != "" {
			p.Left = append(p.Left, at)
		} else {
			kept = append(kept, at)
		}
	}
	p.Places = kept
}

// placesFor is PlacesFor for an instance that is asked to go to a destination, nil for
// anywhere: that may not be among the first candidates, to which Nova limits its request.
func placesFor(s *cloud.Snapshot, x *candidates.Index, spec nova.RequestSpec, o nova.AskOptions, to *nova.Destination) (Places, error) {
	if to != nil {
		spec.Limit = -1
	}
	return PlacesFor(s, x, spec, o)
}

// requested returns the destination that is asked for, nil if none is.
func requested(d nova.Destination, picked *Place) *nova.Destination {
	if picked != nil {
		d.Host, d.Allocations = picked.Host, picked.Allocations
	}
	if d.IsZero() {
		return nil
	}
	return &d
}

// choose returns the first place at the destination; nil is anywhere.
//
// Errors: *NoValidHostError; one that matches errGone if the picked candidate no longer
// exists.
func (p *Places) choose(s *cloud.Snapshot, to *nova.Destination) (Place, error) {
	if to == nil {
		to = &nova.Destination{}
	}
	for _, at := range p.Places {
		if (to.Host == "" || at.Host == to.Host) && (to.Allocations == nil || at.Allocations.Equal(to.Allocations)) {
			return at, nil
		}
	}
	switch {
	case to.Allocations != nil:
		for _, at := range p.Left {
			if at.Host == to.Host && at.Allocations.Equal(to.Allocations) {
				return Place{}, placement.StateErrorf("%s cannot be had: %s", at.Host, at.Why)
			}
		}
		if p.Cut {
			return Place{}, fmt.Errorf("%s is no longer among the first %d candidates, and no more are looked at; choose again: %w", to.Host, len(p.Places), errGone)
		}
		return Place{}, fmt.Errorf("%s is no longer the candidate that was chosen%s; choose again: %w", to.Host, takenText(s, to.Allocations), errGone)
	case to.Host != "":
		return Place{}, p.nothingOn(s, to.Host)
	}
	return Place{}, p.nothing(s)
}

// errGone is matched if a picked place was lost. It is not a conflict, as trying again
// would not help.
var errGone = errors.New("the room was taken by somebody else")

// HostOf returns the host of a root provider's compute node, or the name of the
// provider if Nova has no such node.
func HostOf(s *cloud.Snapshot, root *placement.ResourceProvider) string {
	if n, ok := s.Nova().ComputeNode(root.ID()); ok {
		return n.Host
	}
	return root.Name()
}

// held returns what a consumer holds and the generation that guards it: nil, and that of
// a new consumer, if it holds nothing.
func held(s *cloud.Snapshot, id placement.ConsumerID) (Amounts, placement.Expect) {
	return s.Placement().HeldBy(id)
}
