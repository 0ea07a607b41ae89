package panel

import (
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
)

// Editing returns the key that edits a provider, without what it does.
func Editing(scope string) action.Action {
	return action.Action{
		ID: action.ID(scope + ".edit"), Keys: []string{"e"}, Title: "edit", Priority: 65,
		Help:   "edit inventories, traits, aggregates, name and parent; of a pool how much it has, and whose hosts use it",
		Writes: []intent.Op{placement.SetInventories{}, placement.SetTraits{}, placement.SetAggregates{}},
	}
}
