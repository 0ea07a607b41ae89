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
	snap := env.Cloud.Snapshot()
	i, err := live(snap, at.Instance)
	if err != nil {
		return nil, err
	}
	return confirm.New(env, snap, confirm.Spec{
		Title: "evacuate " + i.Name, Verb: "evacuate",
		Make: func() confirm.Courses {
			id := placement.ConsumerID(uuid.New())
			return confirm.Courses{
				Run:  ops.Evacuate{Migration: id, Instance: i.UUID},
				Undo: ops.Evacuate{Migration: id, Instance: i.UUID, Undo: true},
			}
		},
	}), nil
}

// resume opens the page that finishes or undoes what was interrupted.
func resume(env screen.Env, snap *cloud.Snapshot, x ops.Interrupted) tea.Msg {
	return screen.PushMsg{Screen: confirm.Resume(env, snap, confirm.Spec{
		Title: "finish " + x.Name, Verb: "finish", Of: ops.CourseOf{Instance: x.Instance, Migration: x.Migration},
		Make: func() confirm.Courses { return confirm.Courses{Run: x.Finish, Undo: x.Undo} },
	}, x.Words)}
}
