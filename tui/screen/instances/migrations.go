package instances

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// NewMigrations returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func NewMigrations(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[*nova.Migration]{
		Name: "migrations", Thing: "migration", Kind: kinds.Migrations,
		ID: func(m *nova.Migration) string { return string(m.UUID[:]) },
		Columns: list.Show("name=INSTANCE:10-38+2 type:6-14+1 status:18-30 way=FROM_>_TO:17-50+2 flavors:22-60+2 age=SINCE | resources=KEEPS:14-40+1 uuid:36-36", "type age flavors way", list.Cells[*nova.Migration]{
			"resources": list.TextCell(themes.Text, func(m *nova.Migration, at list.At) string {
				if c, ok := at.Snap.Placement().Consumer(m.UUID); ok {
					return panel.Held(at.Snap.Placement(), c, nil)
				}
				return ""
			}),
			"status": func(l *component.Line, m *nova.Migration, at list.At) {
				l.Add(panel.MigrationToken(m), panel.ShortStatus(m, at.Now))
			},
		}),
		Orders:     append([]list.Order[*nova.Migration]{{Name: "urgency", Column: "status", Key: urgency}}, list.By[*nova.Migration]("age name type hosts=way")...),
		FilterHelp: "name, status=finished type=resize host=cmp-001 age<1d",
		Severity:   severity,
		Actions:    func(h list.Here[*nova.Migration]) []action.Action { return migrationActions(env, h) },
		Title: func(m *nova.Migration, at list.At) (string, string) {
			return string(m.Type) + " of " + panel.ConsumerName(at.Snap, m.Instance), m.UUID.String()
		},
		More:  migrationMore,
		Empty: []string{"no migrations: no instance has ever moved here, or nova is not known", "try: `placetop resize INSTANCE FLAVOR` moves one"},
	}, env, snap, filter)
}

// severity marks migrations that wait or failed, and ended ones that still hold
// resources.
func severity(m *nova.Migration, at list.At) style.Severity {
	sev := panel.MigrationSeverity(m)
	if _, ok := at.Snap.Placement().Consumer(m.UUID); ok && sev == style.SeverityNone {
		return style.SeverityWarn
	}
	return sev
}

// urgency puts unfinished migrations first, and of those the ones that wait for a
// decision.
func urgency(m *nova.Migration, _ list.At) list.Key {
	rank := 3e15
	switch {
	case m.Status.Waits():
		rank = 0
	case panel.MigrationSeverity(m) == style.SeverityCritical:
		rank = 1e15
	case m.Status.UnderWay():
		rank = 2e15
	}
	return list.Key{Number: rank - float64(m.Created)} // a time in milliseconds is far below 1e15
}

// migrationMore says what a migration waits for, and what it keeps.
func migrationMore(m *nova.Migration, a list.Area) []string {
	lines := []string{panel.Text(a.Styles, a.Width, panel.MigrationToken(m), " "+panel.MigrationStatus(m, a.Now))}
	c, ok := a.Snap.Placement().Consumer(m.UUID)
	if !ok {
		return lines
	}
	lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " still holds, from before the move"))
	return append(lines, panel.Holdings(a.Styles, a.Snap.Placement(), c, a.Width, max(a.Height-len(lines), 0))...)
}

func migrationActions(env screen.Env, h list.Here[*nova.Migration]) []action.Action {
	open := h.Leads(action.Action{ID: "migrations.open", Keys: "enter", Title: "instance", Help: "open the instance that moves", Priority: 90}, func(m *nova.Migration) place.Place { return place.Instance{ID: m.Instance} })
	var id placement.ConsumerID
	if h.Nothing == "" {
		id = h.Row.Instance
		if _, ok := h.Snap.Nova().Instance(id); !ok {
			open.Disabled = "the instance is gone"
		}
	}
	moving := panel.Moving("migrations", h.Snap, id, h.Nothing)
	if h.List.Several() {
		moving[0] = deciding(env, h, moving[0])
	}
	return append([]action.Action{
		open,
		panel.FixingMigration("migrations", env, h.Snap, h.Row, h.Nothing),
	}, moving...)
}

// deciding returns the key that ends all marked moves.
func deciding(env screen.Env, h list.Here[*nova.Migration], a action.Action) action.Action {
	a.Help, a.Priority, a.Disabled = "confirm or revert the marked moves", 89, ""
	return list.Each(h, a, func(n string) string { return "confirm, revert " + n + "..." }, func(rows []*nova.Migration) tea.Msg {
		var moves []*nova.Migration
		var over []string
		for _, m := range rows {
			if m.Status.UnderWay() {
				moves = append(moves, m)
				continue
			}
			over = append(over, fmt.Sprintf("%s (%s)", panel.ConsumerName(h.Snap, m.Instance), m.Status))
		}
		if len(moves) == 0 {
			return screen.Warning("none of them waits to be confirmed or reverted")
		}
		return screen.PushMsg{Screen: decideAll(env, moves, over)}
	})
}

// decideAll makes the page that asks how to end moves, one after the other. Over are the
// other marked ones.
func decideAll(env screen.Env, moves []*nova.Migration, over []string) screen.Screen {
	intro := []string{"How all of them end; with a preview before anything is written."}
	if n := len(over); n > 0 {
		const most = 3
		text := "Left out, as they are over: " + strings.Join(over[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		intro = append(intro, text)
	}
	what := component.Plural(len(moves), "move")
	end := func(verb, note string, task func(placement.ConsumerID) ops.Task) list.Item {
		return list.Item{Name: verb, Note: note, Request: func() tea.Msg {
			run := make(ops.Each, len(moves))
			for n, m := range moves {
				run[n] = task(m.UUID)
			}
			return screen.PushMsg{Screen: confirm.New(env, env.Cloud.Snapshot(), confirm.Spec{
				Title: verb + " " + what, Verb: verb,
				Some: func(n int) string { return verb + " " + component.Count(n) + " of " + what },
				Make: func() confirm.Courses { return confirm.Courses{Run: run} },
				Word: func(*cloud.Snapshot, ops.Preview) string { return verb },
			})}
		}}
	}
	items := []list.Item{
		end("confirm", "stay where they went; what they hold on the old host is released", func(id placement.ConsumerID) ops.Task { return ops.Confirm{Migration: id} }),
		end("revert", "go back to where they were; what they hold on the new host is released", func(id placement.ConsumerID) ops.Task { return ops.Revert{Migration: id} }),
	}
	return list.NewMenu(env.Styles, list.MenuSpec{
		Name: "decide", Title: "end " + what, Verb: "choose",
		Intro: intro,
		Items: func() []list.Item { return items },
	})
}
