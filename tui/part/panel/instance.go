package panel

import (
	"cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
)

// Moving returns the keys that move an instance: r to another flavor, m to another
// host. Where a move waits to be confirmed or reverted, r leads there. Nothing is
// why there is no instance, "" where there may be one.
func Moving(scope string, s *cloud.Snapshot, id placement.ConsumerID, nothing string) []action.Action {
	id, nothing = instanceOf(s, id, nothing)
	resize := instanceAction(scope, "resize", "r", "resize", "resize to another flavor, step by step", place.Resize{Instance: id}, nothing)
	resize.Priority = 75
	migrate := instanceAction(scope, "migrate", "m", "migrate", "migrate to another host, step by step", place.Migrate{Instance: id}, nothing)
	migrate.Priority = 45
	if nothing == "" {
		if m, err := ops.WaitingMigration(s, id); err == nil {
			resize.Title, resize.Help, resize.Priority = "confirm, revert", "end the "+string(m.Type)+" that is waiting", 89
			migrate.Disabled = "a " + string(m.Type) + " is waiting to be confirmed or reverted: r"
		}
	}
	return []action.Action{resize, migrate}
}

// Ending returns the other keys that do something to an instance as a whole: D
// terminates it, M evacuates it, where a Nova can.
func Ending(scope string, can cloud.Capabilities, s *cloud.Snapshot, id placement.ConsumerID, nothing string) []action.Action {
	id, nothing = instanceOf(s, id, nothing)
	terminate := instanceAction(scope, "terminate", "D", "terminate...", "delete the instance for good, with a preview", place.Terminate{Instance: id}, nothing)
	terminate.Priority = 40
	return []action.Action{
		terminate,
		instanceAction(scope, "evacuate", "M", "evacuate", "rebuild it elsewhere, as its host is down", place.Evacuate{Instance: id}, cmp.Or(ops.OnlyNova(can), nothing)),
	}
}

// instanceOf returns the instance that a consumer is or belongs to, or why there is none.
func instanceOf(s *cloud.Snapshot, id placement.ConsumerID, nothing string) (placement.ConsumerID, string) {
	if nothing != "" {
		return id, nothing
	}
	if m, ok := s.Nova().Migration(id); ok {
		id = m.Instance
	}
	if i, ok := s.Nova().Instance(id); !ok || !i.Live() {
		return id, "Nova does not know this instance"
	}
	return id, ""
}

func instanceAction(scope, name, key, title, help string, to place.Place, nothing string) action.Action {
	return action.Action{
		ID: action.ID(scope + "." + name), Keys: action.Keys(key), Title: title, Help: help, Writes: []intent.Op{placement.ReplaceAllocations{}}, Disabled: nothing,
		To: to,
	}
}
