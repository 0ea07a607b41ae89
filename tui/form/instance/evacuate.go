package instance

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/form/course"
	"github.com/placetop/placetop/tui/screen"
)

// OpenEvacuate makes the screen of kind screen.Evacuate: arg is the uuid of an
// instance whose host is down.
func OpenEvacuate(env screen.Env, arg string) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	i, err := live(snap, arg)
	if err != nil {
		return nil, err
	}
	return course.New(env, snap, course.Spec{
		Title: "evacuate " + i.Name, Verb: "evacuate",
		Make: func() course.Courses {
			id := placement.ConsumerID(uuid.New())
			return course.Courses{
				Run:  ops.Evacuate{Migration: id, Instance: i.UUID},
				Undo: ops.Evacuate{Migration: id, Instance: i.UUID, Undo: true},
			}
		},
	}), nil
}

// resume opens the page that finishes or undoes what was interrupted.
func resume(env screen.Env, snap *cloud.Snapshot, x ops.Interrupted) tea.Msg {
	return screen.PushMsg{Screen: course.Resume(env, snap, course.Spec{
		Title: "finish " + x.Name, Verb: "finish", Of: ops.CourseOf{Instance: x.Instance, Migration: x.Migration},
		Make: func() course.Courses { return course.Courses{Run: x.Finish, Undo: x.Undo} },
	}, x.Words)}
}
