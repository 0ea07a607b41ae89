package candidates

import (
	"encoding/binary"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// sharing says which sharing providers serve which trees: a provider with
// MISC_SHARES_VIA_AGGREGATE serves every tree that has a provider in one of its
// aggregates. Trees served by the same providers share one list.
//
// It takes 4 bytes for each provider, and 4 for each member of a list.
//
// Source: placement/objects/research_context.py, anchors_for_sharing_providers.
type sharing struct {
	providers bitmap
	listOf    []int32   // index in lists, by slot of the root; 0 for none
	lists     [][]int32 // slots, ascending; the first list is empty
}

func newSharing(s *placement.Snapshot, l *layout) *sharing {
	sh := &sharing{listOf: make([]int32, l.len()), lists: [][]int32{nil}}
	id, _ := s.TraitID(placement.SharesViaAggregate)
	sh.providers = l.of(s.WithTrait(id))
	members := map[placement.AggregateID][]int32{} // sharing providers, by aggregate
	for slot := range sh.providers.all() {
		for _, a := range s.ProviderAt(int(l.numbers[slot])).Aggregates() {
			members[a] = append(members[a], slot)
		}
	}
	aggregates := make([]placement.AggregateID, 0, len(members))
	for a := range members {
		aggregates = append(aggregates, a)
	}
	slices.SortStableFunc(aggregates, placement.AggregateID.Compare)
	served := map[int32][]uint32{} // indexes in aggregates, ascending, by root
	for i, a := range aggregates {
		for n := range s.InAggregate(a).All() {
			root := l.roots[l.slots[n]]
			if of := served[root]; len(of) == 0 || of[len(of)-1] != uint32(i) {
				served[root] = append(of, uint32(i))
			}
		}
	}
	known := map[string]int32{} // index in lists, by the aggregates that make it
	var key []byte
	for root, of := range served {
		key = key[:0]
		for _, i := range of {
			key = binary.NativeEndian.AppendUint32(key, i)
		}
		list, ok := known[string(key)]
		if !ok {
			list = int32(len(sh.lists))
			known[string(key)] = list
			var slots []int32
			for _, i := range of {
				slots = append(slots, members[aggregates[i]]...)
			}
			slices.Sort(slots)
			sh.lists = append(sh.lists, slices.Compact(slots))
		}
		sh.listOf[root] = list
	}
	return sh
}

// serving returns the sharing providers that serve the tree of the given root, including
// those in the tree.
func (sh *sharing) serving(root int32) []int32 { return sh.lists[sh.listOf[root]] }

// listsWith says which lists have a provider of set; nil if none has.
func (sh *sharing) listsWith(set bitmap) []bool {
	if set.empty() {
		return nil
	}
	out := make([]bool, len(sh.lists))
	for list, slots := range sh.lists {
		for _, s := range slots {
			if set.has(s) {
				out[list] = true
				break
			}
		}
	}
	return out
}
