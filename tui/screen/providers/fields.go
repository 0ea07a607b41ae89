package providers

import (
	"slices"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/panel"
)

// fields answers what a filter asks about the providers of an index, by number.
type fields = filter.Rows[uint32, audit.At]

// fieldsOf returns the fields of the providers of an index, with amounts of the
// class that the screen shows. Without an index they can only tell whether a filter
// is sound.
func fieldsOf(snap *cloud.Snapshot, ix *index, class placement.ResourceClass, found map[placement.ProviderID][]audit.Finding) fields {
	s := snap.Placement()
	provider := func(number uint32) *placement.ResourceProvider { return s.ProviderAt(int(number)) }
	id := panel.ClassID(s, class)
	all := slices.Concat(audit.ProviderFields(provider), audit.AmountFields(func(number uint32, _ audit.At) (audit.Stock, bool) {
		p := provider(number)
		iu, ok := p.Inventory(id)
		return audit.Stock{Provider: p, InventoryUsage: iu}, ok
	}), []audit.Field[uint32]{audit.ClassesField(provider), filter.WordsField("problem", func(number uint32, _ audit.At, words []string) []string {
		for _, f := range found[provider(number).ID()] {
			words = append(words, string(f.Rule))
		}
		return words
	})})
	f := fields{Fields: all, At: audit.At{Snap: snap}}
	if ix != nil {
		f.Rows = ix.numbers
	}
	return f
}
