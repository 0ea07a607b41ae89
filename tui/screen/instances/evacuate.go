package instances

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

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
	up := func(s *cloud.Snapshot) (title string, lines []string) { return hostsUp(s, env, ids) }
	return ending(env, confirm.Spec{Verb: "evacuate", InTheWay: up, Back: "! lists what stays held"}, false, ids, func(id placement.ConsumerID) confirm.Courses {
		return confirm.Courses{Run: ops.Evacuate{Instance: id}}
	})
}

// hostsUp says which hosts of instances are not known to be down, and where the user can
// say that they are.
func hostsUp(s *cloud.Snapshot, env screen.Env, ids []placement.ConsumerID) (title string, lines []string) {
	for _, id := range ids {
		i, ok := s.Nova().Instance(id)
		if ok && i.Host != "" && !ops.HostDown(s, i.Host, env.Clock()) && !slices.Contains(lines, i.Host) {
			lines = append(lines, i.Host)
		}
	}
	if len(lines) > 0 {
		lines = append(lines, "if you know that it is down, force it down in :services")
	}
	return "NOT KNOWN TO BE DOWN", lines
}

// resume opens the page that finishes or undoes what was interrupted.
func resume(env screen.Env, snap *cloud.Snapshot, x *ops.InterruptedTask) tea.Msg {
	return screen.PushMsg{Screen: confirm.Resume(env, snap, confirm.Spec{
		Title: "finish " + x.Name, Verb: "finish", Of: ops.CourseOf{Instance: x.Instance, Migration: x.Migration},
		Make: func() confirm.Courses { return confirm.Courses{Run: x.Finish, Undo: x.Undo} },
	}, x.Words)}
}
