package owners

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
)

// ownerKey returns the key that cycles through the owners as the filter of a list: any,
// nova, cyborg, both, none.
func (p *page) ownerKey(expr string, filter func(expr string) tea.Cmd) action.Action {
	return action.Action{ID: action.ID(p.name + ".owner"), Keys: "o", Title: "owner", Help: "owner filter: any, nova, cyborg, both, none", Priority: 60, Run: func() tea.Cmd {
		return filter(nextOwner(expr))
	}}
}

// ownerOrder is the order in which owners are listed.
func ownerOrder() []placement.Owner {
	return []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone}
}

// nextOwner returns the owner filter that follows expr: any, nova, cyborg, both, none.
func nextOwner(expr string) string {
	order := ownerOrder()
	for i, o := range order {
		if expr == ownerFilter(o) {
			if i+1 == len(order) {
				return ""
			}
			return ownerFilter(order[i+1])
		}
	}
	return ownerFilter(order[0])
}

func ownerFilter(o placement.Owner) string { return "owner=" + o.String() }
