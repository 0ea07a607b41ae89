package ops

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// HoldingDiff is what a consumer holds of one class on one provider, before and after.
type HoldingDiff struct {
	Consumer placement.ConsumerID    `json:"consumer_uuid"`
	Type     placement.ConsumerType  `json:"consumer_type"`
	Provider string                  `json:"provider"` // name
	Class    placement.ResourceClass `json:"resource_class"`
	Before   int64                   `json:"before"` // units of Class
	After    int64                   `json:"after"`
	// OwnerBefore and OwnerAfter are who has the provider.
	OwnerBefore placement.Owner `json:"owner_before"`
	OwnerAfter  placement.Owner `json:"owner"`
	// The generations before and after of the provider, and of the consumer; NoGeneration
	// for one that is not there.
	Generation [2]Generation `json:"generation"`
	OfConsumer [2]Generation `json:"consumer_generation"`
}

// Holdings returns what each touched consumer holds before and after: instances before
// migrations, as claims pass from one to the other, then in the order of Consumers, by
// provider.
func (p Preview) Holdings() []HoldingDiff {
	providers := map[placement.ProviderID]ProviderDiff{}
	for _, d := range p.Providers {
		providers[d.Provider] = d
	}
	var out []HoldingDiff
	for _, c := range p.Consumers {
		own := len(out)
		at := func(h Holding) *HoldingDiff {
			for i := own; i < len(out); i++ {
				if out[i].Provider == h.Name && out[i].Class == h.Class {
					return &out[i]
				}
			}
			d := providers[h.Provider]
			out = append(out, HoldingDiff{
				Consumer: c.Consumer, Type: c.Type, Provider: h.Name, Class: h.Class, OwnerBefore: d.OwnerBefore, OwnerAfter: d.OwnerAfter,
				Generation: [2]Generation{d.GenerationBefore, d.GenerationAfter},
				OfConsumer: [2]Generation{c.GenerationBefore, c.GenerationAfter},
			})
			return &out[len(out)-1]
		}
		for _, h := range c.Before {
			at(h).Before = h.Amount
		}
		for _, h := range c.After {
			at(h).After = h.Amount
		}
	}
	slices.SortStableFunc(out, func(a, b HoldingDiff) int { return cmp.Compare(a.Type, b.Type) })
	return out
}

// PreviewEvent returns what a change that was written on s has done.
//
// Errors: those of PreviewChange, such as if another writer wrote in between.
func PreviewEvent(s *cloud.Snapshot, ev cloud.Event) (Preview, error) {
	return PreviewChange(s, ev.Replay())
}
