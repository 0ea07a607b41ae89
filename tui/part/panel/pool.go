package panel

import (
	"cmp"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// EditingPool returns the key that gives a pool that hosts share another total, or
// more hosts. Nothing is why there is no provider p, "" where there is one.
func EditingPool(scope string, env screen.Env, pl *placement.Snapshot, p *placement.ResourceProvider, nothing string) action.Action {
	a := action.Action{
		ID: action.ID(scope + ".pool"), Keys: []string{"e"}, Title: "edit pool", Help: "give a pool that hosts share another total, or more hosts", Priority: 45, Writes: []intent.Op{placement.SetInventory{}, placement.SetAggregates{}},
		Disabled: cmp.Or(nothing, env.NoScreen(place.Pool{})),
	}
	if nothing != "" {
		return a
	}
	if !pl.Shares(p) {
		a.Disabled = p.Name() + " is not a pool that hosts share"
	}
	a.Run = func() tea.Cmd { return screen.Send(screen.Goto{To: place.Pool{ID: p.ID()}}) }
	return a
}
