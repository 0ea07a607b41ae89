package flavors

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// newFlavor is the key that makes a flavor.
func newFlavor() action.Action {
	return action.Action{ID: "flavors.new", Keys: []string{"n"}, Title: "new", Help: "make a flavor", Priority: 54, Writes: true, Run: func() tea.Cmd {
		return screen.Send(screen.Goto{Kind: screen.EditFlavor})
	}}
}

// changes are the keys that boot with a flavor and change it; nothing is why there
// is none, "" where there is one.
func changes(scope string, f *nova.Flavor, nothing string) []action.Action {
	of := func(what, key, title, help string, kind screen.Kind, priority int) action.Action {
		return action.Action{
			ID: action.ID(scope + "." + what), Keys: []string{key}, Title: title, Help: help, Priority: priority, Writes: true, Disabled: nothing,
			Run: func() tea.Cmd { return screen.Send(screen.Goto{Kind: kind, Arg: f.Name}) },
		}
	}
	boot := of("boot", "b", "boot", "boot an instance with the flavor, step by step", screen.Boot, 56)
	if nothing == "" && f.Disabled {
		boot.Disabled = f.Name + " is disabled"
	}
	return []action.Action{
		boot,
		of("edit", "e", "edit", "change the extra specs, or hide it from new instances", screen.EditFlavor, 52),
		of("delete", "D", "delete...", "delete it; instances that have it keep it", screen.DelFlavor, 0),
	}
}

// nextOwner is the key that goes round the owners of devices that flavors ask for.
func nextOwner(h list.Here[flavor]) action.Action {
	next := map[string]string{"": "owner=nova", "owner=nova": "owner=cyborg", "owner=cyborg": "owner=both", "owner=both": "owner=none"}
	return action.Action{ID: "flavors.owner", Keys: []string{"o"}, Title: "owner", Help: "of whom devices are asked: any, nova, cyborg, both, none", Priority: 48, Run: func() tea.Cmd {
		return h.Filter(next[h.Expr()])
	}}
}
