package providers

import (
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
)

// fields answers what a filter asks about the providers of an index, by number.
type fields = filter.Rows[uint32, list.At]

// fieldsOf returns the fields of the providers of an index. Amounts are those that a row
// shows: of the class of the screen, and in a tree of all below. Without an index they
// can only tell whether a filter is sound.
func fieldsOf(b *builder, found map[placement.ProviderID][]audit.Finding, snap *cloud.Snapshot) fields {
	s := snap.Placement()
	provider := func(number uint32) *placement.ResourceProvider { return s.ProviderAt(int(number)) }
	amount := func(name string, unit component.Unit, get func(component.Load) int64) list.Field[uint32] {
		return list.NumberField(name, unit, func(number uint32, _ list.At) (float64, bool) {
			l, ok := b.load(number, b.wish.tree)
			return float64(get(l)), ok
		})
	}
	unit := component.UnitCount
	if b != nil {
		unit = panel.Unit(b.wish.class)
	}
	f := fields{At: list.At{Snap: snap}, Fields: list.Fields(kinds.Providers, func(number uint32) kinds.Row { return provider(number) },
		amount("cap", unit, func(l component.Load) int64 { return l.Capacity }),
		amount("free", unit, component.Load.Free),
		amount("used", unit, func(l component.Load) int64 { return l.Used }),
		amount("used%", component.UnitCount, func(l component.Load) int64 { return int64(l.Percent()) }),
		list.WordsField("problem", func(number uint32, _ list.At, words []string) []string {
			for _, f := range found[provider(number).ID()] {
				words = append(words, string(f.Rule))
			}
			return words
		}))}
	if b != nil {
		f.Rows = b.ix.numbers
	}
	return f
}
