package panel

import (
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
)

// Reshaping is the key that moves inventories of a provider to another one of its tree.
func Reshaping(scope string) action.Action {
	return action.Action{
		ID: action.ID(scope + ".reshape"), Keys: "m", Title: "move inventory...",
		Help: "move inventories to another provider of the tree, with their allocations", Priority: 20, Writes: []intent.Op{placement.Reshape{}},
	}
}

// EditingText returns the key that edits a provider as YAML, without what it does.
func EditingText(scope string, env screen.Env) action.Action {
	a := action.Action{
		ID: action.ID(scope + ".edittext"), Keys: "E", Title: "edit YAML", Priority: 21,
		Help: "edit it as YAML in your editor, and see what would change", Writes: Editing(scope).Writes,
	}
	if env.Editor == nil {
		a.Disabled = "no editor can be opened here: edit in a form instead"
	}
	return a
}

// Editing returns the key that edits a provider, without what it does.
func Editing(scope string) action.Action {
	return action.Action{
		ID: action.ID(scope + ".edit"), Keys: "e", Title: "edit", Priority: 65,
		Help:   "edit inventories, traits, aggregates, name and parent; for a pool, its size and hosts",
		Writes: []intent.Op{placement.SetInventories{}, placement.SetTraits{}, placement.SetAggregates{}},
	}
}
