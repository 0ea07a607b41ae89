package instances

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// unfinished is the list of what was interrupted. It also depends on the clock, and on
// what is under way here.
type unfinished struct {
	list.Screen
	snap *cloud.Snapshot
}

// Update implements screen.Screen. A Snapshot that it has already says that it is
// time to look again.
func (u *unfinished) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(screen.SnapshotMsg); ok {
		if msg.Snapshot == u.snap {
			return u.Remake()
		}
		u.snap = msg.Snapshot
	}
	return u.Screen.Update(msg)
}

// OpenUnfinished makes the list of what was interrupted.
func OpenUnfinished(env screen.Env, at place.Unfinished) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	u := &unfinished{snap: snap}
	list.Make(&u.Screen, list.Spec[*ops.InterruptedTask]{
		Name: "unfinished", Thing: "course",
		Rows: func(_ context.Context, s *cloud.Snapshot) []*ops.InterruptedTask {
			found, _ := env.Kept().Interrupted(s)
			return list.Pointers(found)
		},
		ID:   func(x *ops.InterruptedTask) string { return x.Instance.String() + x.Migration.String() },
		Text: func(x *ops.InterruptedTask) string { return x.Words },
		Columns: list.Show("instance:12-30+1 words=WHAT:20+4 since>", "since", list.Cells[*ops.InterruptedTask]{
			"instance": list.TextCell(themes.Strong, func(x *ops.InterruptedTask, _ list.At) string { return x.Name }),
			"words":    list.TextCell(themes.Text, func(x *ops.InterruptedTask, _ list.At) string { return x.Words }),
			"since":    list.TextCell(themes.Dim, func(x *ops.InterruptedTask, at list.At) string { return panel.Age(at.Now, x.Since) }),
		}),
		Severity: func(*ops.InterruptedTask, list.At) style.Severity { return style.SeverityWarn },
		Actions: func(h list.Here[*ops.InterruptedTask]) []action.Action {
			finish := action.Action{ID: "unfinished.finish", Keys: "enter", Title: "finish or undo", Help: "finish it, or undo it", Priority: 95, Writes: []intent.Op{placement.ReplaceAllocations{}}}
			return []action.Action{h.About(finish, func(x *ops.InterruptedTask) tea.Msg { return resume(env, h.Snap, x) })}
		},
		Title: func(x *ops.InterruptedTask, _ list.At) (title, note string) { return x.Name, x.Instance.String() },
		Detail: func(x *ops.InterruptedTask, a list.Area) []string {
			way := "it can be finished or undone"
			if x.Undo == nil {
				way = "it can only be finished"
			}
			return append(component.Paragraph(a.Styles, a.Width, 1, themes.Text, x.Words), a.Line().Space(1).Add(themes.Dim, way).String())
		},
		Empty: []string{"nothing was interrupted", "a boot or move that stops half way is listed here, to be finished or undone"},
	}, env, snap, at.Filter)
	return u, nil
}
