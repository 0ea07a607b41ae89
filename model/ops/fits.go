package ops

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Option is a tree on which a Wish might be claimed: where each class would come from,
// or why it cannot.
type Option struct {
	candidates.Offer
	Disabled bool   // the compute service is disabled, so that a scheduler would pass it over
	Phantom  string // why it takes capacity that no guest can have, see Phantoms; "" if it does not
}

// Fits returns where w might be claimed, one Option for each tree: those that fit
// first, then the nearest misses, the fewest Reasons first. Where w names a
// Provider, only the trees that can use it are returned.
//
// Errors match placement.ErrInvalid for what the cloud does not know or an amount out
// of range, and placement.ErrNotFound for an unknown Provider.
func Fits(s *cloud.Snapshot, x *candidates.Index, w Wish) ([]Option, error) {
	asked, err := w.ask(s, x)
	if err != nil {
		return nil, err
	}
	disabled := s.Placement().Having(placement.ComputeStatusDisabled)
	offers := asked.Offers()
	options := make([]Option, len(offers))
	phantoms := NewPhantoms(s)
	for i, o := range offers {
		options[i] = Option{Offer: o, Disabled: disabled.Has(o.Anchor.Number()), Phantom: phantoms.Of(o.Parts)}
	}
	slices.SortStableFunc(options, compareOptions)
	return options, nil
}

// compareOptions is the order of the Options that Fits returns.
func compareOptions(a, b Option) int {
	short := func(o Option) (sum float64) {
		for _, r := range o.Reasons {
			sum += shortfall(r)
		}
		return sum
	}
	order := cmp.Compare(len(a.Reasons), len(b.Reasons))
	if order == 0 && !a.Fits() {
		order = cmp.Compare(short(a), short(b))
	}
	rank := func(o Option) int {
		switch {
		case o.Phantom != "":
			return 2
		case o.Disabled:
			return 1
		}
		return 0
	}
	return cmp.Or(order, cmp.Compare(rank(a), rank(b)), strings.Compare(a.Anchor.Name(), b.Anchor.Name()))
}

// shortfall returns how bad a reason is, for the order of misses: the fraction of what
// was asked for that is not free, or above 1 if releasing allocations would not help.
func shortfall(r candidates.Reason) float64 {
	switch r.Refusal {
	case placement.NoRoom:
		return min(1, float64(r.Condition.Amount-r.Has.Free())/float64(r.Condition.Amount))
	case placement.NoInventory:
		return 3
	default:
		return 2
	}
}

// ask asks for what w wishes: a group of its resources, those that its provider has from
// that provider.
func (w Wish) ask(s *cloud.Snapshot, x *candidates.Index) (*candidates.Question, error) {
	if len(w.Resources) == 0 {
		return nil, &placement.InvalidError{Field: "resources", Why: "name at least one, such as VCPU=2"}
	}
	group, ledger := w.Terms, s.Placement()
	group.Suffix, group.Resources = "", nil
	for _, class := range slices.Sorted(maps.Keys(w.Resources)) {
		if _, ok := ledger.ClassID(class); !ok {
			return nil, placement.Invalid("resource class", string(class), "no such resource class"+ledger.ClassHint(class))
		}
		n := w.Resources[class]
		if n > placement.MaxInt {
			return nil, placement.Invalid(string(class), strconv.FormatInt(n, 10), fmt.Sprintf("must be at most %d", int64(placement.MaxInt)))
		}
		group.Resources = append(group.Resources, candidates.Resource{Class: class, Amount: n})
	}
	slices.SortStableFunc(group.Resources, func(a, b candidates.Resource) int {
		i, _ := ledger.ClassID(a.Class)
		j, _ := ledger.ClassID(b.Class)
		return cmp.Or(cmp.Compare(i, j), cmp.Compare(a.Class, b.Class))
	})
	q := candidates.Query{Groups: []candidates.Group{group}}
	if !w.Provider.IsZero() {
		p, err := ledger.FindProvider(w.Provider)
		if err != nil {
			return nil, err
		}
		q.Giver = candidates.GiverTerm{Provider: p.ID(), Name: p.Name()}
		q.Anchors = candidates.AnchorTerm{Roots: reached(ledger, p), Name: "a tree that can use " + p.Name()}
	}
	return x.Ask(q)
}

// reached returns the roots of the trees that can use a provider: its own and, if it
// shares, those with a provider in one of its aggregates.
func reached(s *placement.Snapshot, p *placement.ResourceProvider) []placement.ProviderID {
	roots := []placement.ProviderID{s.Root(p).ID()}
	if !s.Shares(p) {
		return roots
	}
	for _, agg := range p.Aggregates() {
		for n := range s.InAggregate(agg).All() {
			roots = append(roots, s.Root(s.ProviderAt(n)).ID())
		}
	}
	return roots
}
