package demo

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/ops"
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
// claim, those of cards that neither does.
func Shares(s *cloud.Snapshot) []Share {
	sum := insight.Totals(s)
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
	Step   string // name of the write: "park", "claim"
	Note   string
	Traits bool // whether Note tells about traits
	ops.HoldingDiff
}

// Rows returns what was written, line by line.
func (p Played) Rows() []Row {
	var out []Row
	for _, t := range p.Taken {
		out = append(out, t.rows()...)
	}
	return out
}

// rows returns what one write did. If there was another write at the same time, only its
// title is known.
func (t Taken) rows() []Row {
	note := []Row{{Step: t.Name, Note: t.Title}}
	preview, err := ops.PreviewEvent(t.Before, t.Event)
	if err != nil {
		return note
	}
	var out []Row
	for _, d := range preview.Holdings() {
		out = append(out, Row{Step: t.Name, HoldingDiff: d})
	}
	if len(out) == 0 {
		return append(note, traitRows(t.Name, preview)...)
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
			Step: step, Traits: true, Note: fmt.Sprintf("%s: %s, generation %d > %d", d.Name, strings.Join(words, " "), d.GenerationBefore, d.GenerationAfter),
		})
	}
	return out
}

// heldOf returns what a consumer holds on s, summed up by class; nil if nothing.
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

// cardsOf returns the providers on which a consumer holds VGPUs in s, and how many.
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
