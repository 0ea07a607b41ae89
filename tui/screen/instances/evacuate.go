package instances

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// OpenEvacuate makes the screen of a place: of an instance whose host is down.
func OpenEvacuate(env screen.Env, at place.Evacuate) (screen.Screen, error) {
	return evacuate(env, at.Instance)
}

// evacuate makes the page that starts instances elsewhere, one after the other.
func evacuate(env screen.Env, ids ...placement.ConsumerID) (screen.Screen, error) {
	return ending(env, "evacuate", false, ids, func(id placement.ConsumerID) confirm.Courses {
		move := placement.ConsumerID(uuid.New())
		return confirm.Courses{
			Run:  ops.Evacuate{Migration: move, Instance: id},
			Undo: ops.Evacuate{Migration: move, Instance: id, Undo: true},
		}
	})
}

// resume opens the page that finishes or undoes what was interrupted.
func resume(env screen.Env, snap *cloud.Snapshot, x ops.Interrupted) tea.Msg {
	return screen.PushMsg{Screen: confirm.Resume(env, snap, confirm.Spec{
		Title: "finish " + x.Name, Verb: "finish", Of: ops.CourseOf{Instance: x.Instance, Migration: x.Migration},
		Make: func() confirm.Courses { return confirm.Courses{Run: x.Finish, Undo: x.Undo} },
	}, x.Words)}
}
