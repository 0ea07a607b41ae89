package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Option is a tree on which a Wish might be claimed: where each class would come
// from, or why it cannot.
type Option struct {
	Root     placement.ProviderID
	Name     string   // of the root
	Disabled bool     // the compute service is disabled, so that a scheduler would pass it over
	Parts    []Part   // by class number; of the classes that the tree can give
	Reasons  []Reason // by class number; of the others: empty where the wish fits
}

// Fits reports whether the whole wish could be claimed here.
func (o Option) Fits() bool { return len(o.Reasons) == 0 }

// Why returns the Reasons as one line, "" where the wish fits.
func (o Option) Why() string {
	parts := make([]string, len(o.Reasons))
	for i, r := range o.Reasons {
		parts[i] = r.String()
	}
	return strings.Join(parts, "; ")
}

// Part is what one provider would give.
type Part struct {
	Provider placement.ProviderID
	Name     string // of the provider
	Class    placement.ResourceClass
	Amount   int64 // units of Class
	Free     int64 // units of Class that are free there now
	Shared   bool  // the provider is a sharing pool of another tree
}

// Reason is why a tree cannot give what a Wish asks of one class: that of its
// provider which comes nearest.
type Reason struct {
	Class    placement.ResourceClass
	Asked    int64 // units of Class
	Provider placement.ProviderID
	Name     string              // of the provider; empty where the tree has no inventory of the class
	Rule     placement.Refusal   // which test fails
	Free     int64               // units of Class
	Has      placement.Inventory // the zero value where there is none
}

// String says what is missing, with its numbers.
func (r Reason) String() string {
	switch r.Rule {
	case placement.NoInventory:
		return fmt.Sprintf("no inventory of %s", r.Class)
	case placement.BelowMinUnit:
		return fmt.Sprintf("%s: %d is below min_unit %d", r.Class, r.Asked, r.Has.MinUnit)
	case placement.AboveMaxUnit:
		return fmt.Sprintf("%s: %d is above max_unit %d", r.Class, r.Asked, r.Has.MaxUnit)
	case placement.OffStep:
		return fmt.Sprintf("%s: %d is no multiple of step_size %d", r.Class, r.Asked, r.Has.StepSize)
	default:
		return fmt.Sprintf("%s: needs %d, has %d free of %d", r.Class, r.Asked, r.Free, r.Has.Capacity())
	}
}

// shortfall returns how far a reason is from none, for the order of misses: part
// of what was asked that is not free, above 1 where no release of allocations
// would help.
func (r Reason) shortfall() float64 {
	switch r.Rule {
	case placement.NoRoom:
		return min(1, float64(r.Asked-r.Free)/float64(r.Asked))
	case placement.NoInventory:
		return 3
	default:
		return 2
	}
}

// offer is the best that a tree has for one class so far. The zero value is
// nothing at all.
type offer struct {
	p      *placement.ResourceProvider
	refuse placement.Refusal // "" where it fits
	free   int64
	shared bool
}

// better reports whether o is to be preferred to the offer has: one that fits,
// then one of the tree's own, then the one with more room, then by name.
func (o offer) better(has offer) bool {
	switch {
	case has.p == nil:
		return true
	case (o.refuse == "") != (has.refuse == ""):
		return o.refuse == ""
	case o.shared != has.shared:
		return !o.shared
	case o.free != has.free:
		return o.free > has.free
	default:
		return o.p.Name() < has.p.Name()
	}
}

// Fits returns where w might be claimed, one Option for each tree: those that fit
// first, then the nearest misses, the fewest Reasons first. Where w names a
// Provider, only the trees that can use it are returned.
//
// It asks for capacity and units only, with one provider for each class; traits,
// aggregates and several groups are for package candidates.
//
// Errors match placement.ErrInvalid for a class that the cloud does not know or
// an amount out of range, and placement.ErrNotFound for an unknown Provider.
func Fits(s *cloud.Snapshot, w Wish) ([]Option, error) {
	return fitsWithin(s, w, nil)
}

// fitsWithin is Fits for the trees of which roots has the root, all where it is
// nil.
func fitsWithin(s *cloud.Snapshot, w Wish, roots []*placement.ResourceProvider) ([]Option, error) {
	asked, err := w.amounts(s)
	if err != nil {
		return nil, err
	}
	ledger := s.Placement()
	m := market{ledger: ledger, pools: ledger.Having(placement.SharesViaAggregate)}
	if !w.Provider.IsZero() {
		if m.picked, err = ledger.FindProvider(w.Provider); err != nil {
			return nil, err
		}
	}
	if roots == nil {
		roots = m.roots()
	}
	offers := make([][]offer, len(asked))
	for i, a := range asked {
		offers[i] = m.offers(a)
	}
	disabled := ledger.Having(placement.ComputeStatusDisabled)
	options := make([]Option, 0, len(roots))
	parts := make([]Part, 0, len(roots)*len(asked))
	for _, root := range roots {
		o := Option{Root: root.ID(), Name: root.Name(), Disabled: disabled.Has(root.Number())}
		from := len(parts)
		for i, a := range asked {
			of := offers[i][root.Number()]
			if of.p != nil && of.refuse == "" {
				parts = append(parts, Part{
					Provider: of.p.ID(), Name: of.p.Name(), Class: a.class, Amount: a.n, Free: of.free, Shared: of.shared,
				})
				continue
			}
			o.Reasons = append(o.Reasons, m.reason(a, of))
		}
		o.Parts = parts[from:len(parts):len(parts)]
		options = append(options, o)
	}
	slices.SortFunc(options, compareOptions)
	return options, nil
}

// compareOptions orders what Fits returns.
func compareOptions(a, b Option) int {
	short := func(o Option) (sum float64) {
		for _, r := range o.Reasons {
			sum += r.shortfall()
		}
		return sum
	}
	if c := cmp.Compare(len(a.Reasons), len(b.Reasons)); c != 0 {
		return c
	}
	if len(a.Reasons) > 0 {
		if c := cmp.Compare(short(a), short(b)); c != 0 {
			return c
		}
	}
	if a.Disabled != b.Disabled {
		if a.Disabled {
			return 1
		}
		return -1
	}
	return strings.Compare(a.Name, b.Name)
}

// market finds what the trees of a cloud have to offer.
type market struct {
	ledger *placement.Snapshot
	pools  placement.Set               // sharing providers
	picked *placement.ResourceProvider // the one to take from; nil for any
}

// roots returns the roots of the trees that may use the picked provider: all
// where none is picked.
func (m market) roots() []*placement.ResourceProvider {
	var out []*placement.ResourceProvider
	if m.picked == nil {
		for n := range m.ledger.RootSet().All() {
			out = append(out, m.ledger.ProviderAt(n))
		}
		return out
	}
	own := m.picked.RootNumber()
	out = append(out, m.ledger.ProviderAt(own))
	if m.pools.Has(m.picked.Number()) {
		for _, n := range m.reach(m.picked) {
			if n != own {
				out = append(out, m.ledger.ProviderAt(n))
			}
		}
	}
	return out
}

// reach returns the numbers of the roots of the trees with a provider in one of
// the aggregates of pool, ascending.
func (m market) reach(pool *placement.ResourceProvider) []int {
	var out []int
	for _, agg := range pool.Aggregates() {
		for n := range m.ledger.InAggregate(agg).All() {
			out = append(out, m.ledger.ProviderAt(n).RootNumber())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// offers returns the best offer of each tree for one class, by the number of the
// root.
func (m market) offers(a amount) []offer {
	best := make([]offer, m.ledger.NumberBound())
	mustBePicked := false
	if m.picked != nil {
		_, mustBePicked = m.picked.Inventory(a.id)
	}
	for n := range m.ledger.WithClass(a.id).All() {
		p := m.ledger.ProviderAt(n)
		if mustBePicked && p != m.picked {
			continue
		}
		iu, _ := p.Inventory(a.id)
		o := offer{p: p, refuse: iu.Fits(iu.Used, a.n), free: iu.Free()}
		own := p.RootNumber()
		if o.better(best[own]) {
			best[own] = o
		}
		if !m.pools.Has(n) {
			continue
		}
		o.shared = true
		for _, root := range m.reach(p) {
			if root != own && o.better(best[root]) {
				best[root] = o
			}
		}
	}
	return best
}

// reason returns why a tree whose best offer is o cannot give a.
func (m market) reason(a amount, o offer) Reason {
	if o.p == nil {
		return Reason{Class: a.class, Asked: a.n, Rule: placement.NoInventory}
	}
	iu, _ := o.p.Inventory(a.id)
	return Reason{
		Class: a.class, Asked: a.n, Provider: o.p.ID(), Name: o.p.Name(), Rule: o.refuse, Free: o.free, Has: iu.Inventory,
	}
}
