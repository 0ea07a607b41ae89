// Package instances is the screen of the servers that Nova runs, and the page of
// one: what it holds of whom, its accelerator requests, where it moved.
package instances

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[instance]{
		Name: "instances", Thing: "instance",
		Rows: instances,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Nova() == now.Nova() && old.Placement() == now.Placement()
		},
		ID:         func(i instance) string { return string(i.UUID[:]) },
		Text:       func(i instance) string { return i.Name },
		Columns:    columns(),
		Orders:     orders(),
		Fields:     fields(),
		FilterHelp: "name, state=error flavor=gpu.* host=cmp-001 owner:cyborg move=finished",
		Severity:   func(i instance, _ list.At) style.Severity { return panel.InstanceSeverity(i.Instance) },
		Actions: func(h list.Here[instance]) []action.Action {
			var id placement.ConsumerID
			if h.Nothing == "" {
				id = h.Row.UUID
			}
			return append(actions(h), panel.FixingConsumer("instances", env, h.Snap, id, h.Nothing))
		},
		Title:  func(i instance, _ list.At) (string, string) { return i.Name, i.UUID.String() },
		Detail: detail,
		Empty:  []string{"no instances: nova has none, or none is known here", "try: `placetop demo` shows a cloud that has some"},
	}, env, snap, filter)
}

func columns() []list.Column[instance] {
	text := list.TextColumn[instance]
	wide := func(c list.Column[instance]) list.Column[instance] {
		c.Wide = true
		return c
	}
	return []list.Column[instance]{
		text("name", "INSTANCE", 12, 38, 3, 0, themes.Strong, instance.name),
		{Column: component.Column{Key: "state", Title: "STATE", Min: 8, Max: 26, Flex: 2}, Cell: func(l *component.Line, i instance, at list.At) {
			token := panel.InstanceSeverity(i.Instance).Token()
			if token == themes.Blank {
				token = themes.Text
			}
			text := i.state(at)
			if i.TaskState != "" && component.Width(l.Styles(), text) > l.Left() {
				text = string(i.TaskState) // it says more than the state that it comes from
			}
			l.Add(token, text)
		}},
		text("flavor", "FLAVOR", 10, 30, 2, 3, themes.Text, instance.flavor),
		text("host", "HOST", 7, 36, 2, 1, themes.Text, instance.host),
		{Column: component.Column{Key: "owner", Title: "DEVICES", Min: 11, Priority: 2}, Cell: func(l *component.Line, i instance, at list.At) {
			i.owned(at).Draw(l)
		}},
		{Column: component.Column{Key: "move", Title: "MOVE", Min: 9, Max: 22, Flex: 1, Priority: 4}, Cell: func(l *component.Line, i instance, at list.At) {
			if i.move != nil {
				l.Add(panel.MigrationSeverity(i.move).Token(), i.badge(at))
			}
		}},
		{Column: component.Column{Key: "age", Title: "AGE", Min: 4, Align: component.AlignRight, Priority: 5}, Cell: list.TextCell(themes.Faint, func(i instance, at list.At) string {
			return panel.Age(at.Now, i.CreatedAt())
		})},
		wide(text("project", "PROJECT", 12, 34, 1, 6, themes.Text, instance.project)),
		wide(text("user", "USER", 12, 34, 1, 7, themes.Text, instance.user)),
		wide(text("zone", "ZONE", 8, 20, 1, 8, themes.Text, instance.zone)),
		wide(text("uuid", "UUID", 36, 36, 0, 9, themes.Dim, instance.uuid)),
	}
}

func orders() []list.Order[instance] {
	by := func(name, column string, get func(instance, list.At) string) list.Order[instance] {
		return list.Order[instance]{Name: name, Column: column, Key: func(i instance, at list.At) list.Key {
			text := get(i, at)
			return list.Key{Text: text, None: text == ""}
		}}
	}
	return []list.Order[instance]{
		by("name", "name", instance.name),
		{Name: "age", Column: "age", Key: func(i instance, _ list.At) list.Key {
			return list.Key{Number: -float64(i.Created), None: i.Created == 0} // the newest first
		}},
		by("state", "state", instance.state),
		by("flavor", "flavor", instance.flavor),
		by("host", "host", instance.host),
		{Name: "devices", Column: "owner", Desc: true, Key: func(i instance, at list.At) list.Key {
			return list.Key{Number: float64(i.owned(at).Total())}
		}},
		{Name: "move", Column: "move", Key: func(i instance, at list.At) list.Key {
			return list.Key{Text: i.badge(at), None: i.move == nil}
		}},
	}
}

func fields() []list.Field[instance] {
	return list.Fields(kinds.Instances, func(i instance) kinds.Row { return i.Instance })
}

func actions(h list.Here[instance]) []action.Action {
	about := ""
	var id placement.ConsumerID
	if h.Nothing == "" {
		id = h.Row.UUID
		about = "instance:" + id.String()
	}
	return slices.Concat([]action.Action{
		h.About(action.Action{ID: "instances.open", Keys: []string{"enter"}, Title: "open", Help: "open the page of the instance", Priority: 90}, func(i instance) tea.Msg {
			return screen.Goto{Kind: screen.Instance, Arg: i.UUID.String()}
		}),
		{ID: "instances.boot", Keys: []string{"n"}, Title: "boot", Help: "boot a new instance, step by step", Priority: 60, Writes: true, Run: func() tea.Cmd {
			return screen.Send(screen.Goto{Kind: screen.Boot})
		}},
		h.About(action.Action{ID: "instances.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid"}, func(i instance) tea.Msg {
			return screen.CopyMsg{What: "uuid of " + i.Name, Text: i.UUID.String()}
		}),
	}, panel.Moving("instances", h.Snap, id, h.Nothing), panel.Ending("instances", h.Snap, id, h.Nothing), panel.Asking("instances", about, h.Nothing))
}
