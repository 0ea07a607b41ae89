package demo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/ops/audit"
	"github.com/placetop/placetop/model/placement"
)

// Share is how much of a class the providers of one owner have and give.
type Share struct {
	Owner    placement.Owner
	Used     int64 // units, what migrations hold included
	Held     int64 // the part of Used that migrations hold
	Capacity int64 // units
}

// Shares returns the VGPUs of s by owner: Nova's, Cyborg's, those of cards that both
// claim, those of cards that nobody does.
func Shares(s *cloud.Snapshot) []Share {
	sum := audit.Totals(s)
	var out []Share
	for _, owner := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		t := sum.Owners[owner].Class(placement.VGPU)
		out = append(out, Share{Owner: owner, Used: t.Used, Held: t.Held, Capacity: t.Capacity})
	}
	return out
}

// UsedOf returns the sum of what is used, and of what migrations hold of it.
func UsedOf(shares []Share) (used, held int64) {
	for _, sh := range shares {
		used, held = used+sh.Used, held+sh.Held
	}
	return used, held
}

// Row is one line of what a write did: what a consumer holds of one class on one
// provider, before and after. A write that moves no allocation has one Row with
// Note only.
type Row struct {
	Step     string // name of the write: "park", "claim"
	Note     string
	Consumer placement.ConsumerID
	Type     placement.ConsumerType
	Provider string // name
	Owner    placement.Owner
	Class    placement.ResourceClass
	Before   int64 // units of Class
	After    int64
	// The generation of the provider, and of the consumer; ops.NoGeneration for one
	// that is not there.
	GenerationBefore, GenerationAfter int64
	ConsumerBefore, ConsumerAfter     int64
}

// Rows returns what was written, line by line.
func (p Played) Rows() []Row {
	var out []Row
	for _, t := range p.Taken {
		out = append(out, t.rows()...)
	}
	return out
}

// rows returns what one write did. Where somebody else wrote at the same moment, only
// its title is known.
func (t Taken) rows() []Row {
	note := []Row{{Step: t.Name, Note: t.Title}}
	preview, err := ops.PreviewChange(t.Before, t.Event.Replay())
	if err != nil {
		return note
	}
	gens := map[placement.ProviderID]ops.ProviderDiff{}
	for _, d := range preview.Providers {
		gens[d.Provider] = d
	}
	var out []Row
	for _, c := range preview.Consumers {
		for _, r := range held(c) {
			r.Step, r.Consumer, r.Type = t.Name, c.Consumer, c.Type
			r.ConsumerBefore, r.ConsumerAfter = c.GenerationBefore, c.GenerationAfter
			if q, ok := t.After.Placement().ProviderByName(r.Provider); ok {
				r.Owner = t.After.Placement().Owner(q)
				r.GenerationBefore, r.GenerationAfter = gens[q.ID()].GenerationBefore, gens[q.ID()].GenerationAfter
			}
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return append(note, traitRows(t.Name, preview)...)
	}
	// The instance before its migration, as the claim goes from one to the other.
	slices.SortStableFunc(out, func(a, b Row) int { return cmp.Compare(a.Type, b.Type) })
	return out
}

// held returns what a consumer holds before and after, by provider and class.
func held(c ops.ConsumerDiff) []Row {
	var out []Row
	row := func(h ops.Holding) *Row {
		i := slices.IndexFunc(out, func(r Row) bool { return r.Provider == h.Name && r.Class == h.Class })
		if i < 0 {
			out = append(out, Row{Provider: h.Name, Class: h.Class})
			i = len(out) - 1
		}
		return &out[i]
	}
	for _, h := range c.Before {
		row(h).Before = h.Amount
	}
	for _, h := range c.After {
		row(h).After = h.Amount
	}
	return out
}

// traitRows returns the providers whose traits a write changed.
func traitRows(step string, preview ops.Preview) []Row {
	var out []Row
	for _, d := range preview.Providers {
		if len(d.TraitsAdded)+len(d.TraitsRemoved) == 0 {
			continue
		}
		var words []string
		for _, t := range d.TraitsAdded {
			words = append(words, "+"+string(t))
		}
		for _, t := range d.TraitsRemoved {
			words = append(words, "-"+string(t))
		}
		out = append(out, Row{
			Step: step, Note: fmt.Sprintf("%s: %s, generation %d > %d", d.Name, strings.Join(words, " "), d.GenerationBefore, d.GenerationAfter),
		})
	}
	return out
}

// heldOf returns what a consumer holds on s, summed up by class; nil for nothing.
func heldOf(s *cloud.Snapshot, id placement.ConsumerID) map[placement.ResourceClass]int64 {
	c, ok := s.Placement().Consumer(id)
	if !ok {
		return nil
	}
	sum := map[placement.ResourceClass]int64{}
	for _, amounts := range s.Placement().ConsumerRecord(c).Allocations {
		for class, n := range amounts {
			sum[class] += n
		}
	}
	return sum
}

// VGPUsOf returns the VGPUs that a consumer holds on s, by owner.
func VGPUsOf(s *cloud.Snapshot, id placement.ConsumerID) map[placement.Owner]int64 {
	out := map[placement.Owner]int64{}
	for q, n := range cardsOf(s, id) {
		out[s.Placement().Owner(q)] += n
	}
	return out
}

// cardsOf returns the providers of which a consumer holds VGPUs on s, with how many.
func cardsOf(s *cloud.Snapshot, id placement.ConsumerID) map[*placement.ResourceProvider]int64 {
	out := map[*placement.ResourceProvider]int64{}
	c, ok := s.Placement().Consumer(id)
	if !ok {
		return out
	}
	for provider, amounts := range s.Placement().ConsumerRecord(c).Allocations {
		if q, ok := s.Placement().Provider(provider); ok && amounts[placement.VGPU] > 0 {
			out[q] = amounts[placement.VGPU]
		}
	}
	return out
}
