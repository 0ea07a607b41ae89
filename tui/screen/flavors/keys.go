package flavors

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// newFlavor is the key that creates a flavor.
func newFlavor() action.Action {
	return action.Action{ID: "flavors.new", Keys: "n", Title: "new", Help: "create a flavor", Priority: 54, Writes: []intent.Op{nova.CreateFlavor{}}, To: place.SetFlavor{}}
}

// changes are the keys that boot with a flavor and change it; nothing is why there is
// none, or "".
func changes(scope string, f *nova.Flavor, nothing string) []action.Action {
	name := ""
	if nothing == "" {
		name = f.Name
	}
	of := func(what, key, title, help string, to place.Place, priority int, writes ...intent.Op) action.Action {
		return action.Action{
			ID: action.ID(scope + "." + what), Keys: action.Keys(key), Title: title, Help: help, Priority: priority, Writes: writes, Disabled: nothing,
			To: to,
		}
	}
	boot := of("boot", "b", "boot", "boot an instance with the flavor, step by step", place.Boot{Flavor: name}, 56, nova.CreateInstance{})
	if nothing == "" && f.Disabled {
		boot.Disabled = f.Name + " is disabled"
	}
	return []action.Action{
		boot,
		of("edit", "e", "edit", "change the extra specs, or hide it from new instances", place.SetFlavor{Name: name}, 52, nova.SetExtraSpecs{}, nova.DisableFlavor{}),
		of("delete", "D", "delete...", "delete it; instances that have it keep it", place.DelFlavor{Name: name}, 0, nova.DeleteFlavor{}),
	}
}

// ofMarked makes the key that deletes a flavor delete all marked ones.
func ofMarked(env screen.Env, h list.Here[*flavor], all []action.Action) []action.Action {
	last := len(all) - 1
	all[last] = list.Each(h, all[last], list.Deletes, func(rows []*flavor) tea.Msg {
		if len(rows) == 1 {
			return screen.Goto{To: place.DelFlavor{Name: rows[0].Name}}
		}
		return screen.PushMsg{Screen: confirm.WriteAll(env, "delete", "flavor", rows, func(s *cloud.Snapshot, f *flavor) (ops.Plan, error) { return ops.PlanDeleteFlavor(s, f.Name) })}
	})
	return all
}
