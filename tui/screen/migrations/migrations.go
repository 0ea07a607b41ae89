// Package migrations is the screen of instances on the move: what is under way,
// what waits for a person, and what came of the others.
package migrations

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// migration is a row: a migration, and the instance that it moves.
type migration struct {
	*nova.Migration
	instance *nova.Instance // nil where it is not there any more
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[migration]{
		Name: "migrations", Thing: "migration",
		Rows: migrations,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Nova() == now.Nova() && old.Placement() == now.Placement()
		},
		ID:         func(m migration) string { return string(m.UUID[:]) },
		Text:       func(m migration) string { return m.name(list.At{}) },
		Columns:    columns(),
		Orders:     orders(),
		Fields:     fields(),
		FilterHelp: "name, status=finished type=resize host=cmp-001 age<1d",
		Severity:   migration.severity,
		Actions:    actions,
		Title: func(m migration, _ list.At) (string, string) {
			return string(m.Type) + " of " + m.name(list.At{}), m.UUID.String()
		},
		Detail: detail,
		Empty:  []string{"no migrations: no instance has ever moved here, or nova is not known", "try: `placetop resize INSTANCE FLAVOR` moves one"},
	}, env, snap, filter)
}

// migrations returns all migrations, by uuid.
func migrations(ctx context.Context, snap *cloud.Snapshot) []migration {
	var all []migration
	for m := range snap.Nova().Migrations() {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			return all
		}
		one := migration{Migration: m}
		if i, ok := snap.Nova().Instance(m.Instance); ok {
			one.instance = i
		}
		all = append(all, one)
	}
	return all
}

// severity marks, beside what waits or failed, what is over and keeps resources.
func (m migration) severity(at list.At) style.Severity {
	if sev := panel.MigrationSeverity(m.Migration); sev != style.SeverityNone || m.held(at) == "" {
		return sev
	}
	return style.SeverityWarn
}

func (m migration) kind(list.At) string { return string(m.Type) }
func (m migration) way(list.At) string  { return panel.MigrationWay(m.Migration) }

// name returns the name of the instance, the uuid where there is none.
func (m migration) name(list.At) string {
	if m.instance == nil {
		return m.Instance.String()
	}
	return m.instance.Name
}

func (m migration) flavors(list.At) string { return panel.FlavorWay(m.Migration) }

// held returns what the migration keeps of the old claim, "" for nothing.
func (m migration) held(at list.At) string {
	if c, ok := at.Snap.Placement().Consumer(m.UUID); ok {
		return panel.Held(at.Snap.Placement(), c, nil)
	}
	return ""
}

func columns() []list.Column[migration] {
	text := list.TextColumn[migration]
	holds := text("holds", "KEEPS", 14, 40, 1, 7, themes.Text, migration.held)
	id := text("uuid", "UUID", 36, 36, 0, 8, themes.Dim, func(m migration, _ list.At) string { return m.UUID.String() })
	holds.Wide, id.Wide = true, true
	return []list.Column[migration]{
		text("name", "INSTANCE", 10, 38, 2, 0, themes.Strong, migration.name),
		text("type", "TYPE", 6, 14, 1, 4, themes.Text, migration.kind),
		{Column: component.Column{Key: "status", Title: "STATUS", Min: 18, Max: 30}, Cell: func(l *component.Line, m migration, at list.At) {
			l.Add(panel.MigrationToken(m.Migration), panel.ShortStatus(m.Migration, at.Now))
		}},
		text("way", "FROM > TO", 17, 50, 2, 1, themes.Text, migration.way),
		text("flavors", "FLAVORS", 22, 60, 2, 2, themes.Text, migration.flavors),
		{Column: component.Column{Key: "age", Title: "SINCE", Min: 5, Align: component.AlignRight, Priority: 3}, Cell: list.TextCell(themes.Faint, func(m migration, at list.At) string {
			return panel.Age(at.Now, m.CreatedAt())
		})},
		holds, id,
	}
}

func orders() []list.Order[migration] {
	return []list.Order[migration]{
		// What is not over comes first, and of that what a person must decide.
		{Name: "urgency", Column: "status", Key: func(m migration, _ list.At) list.Key {
			rank := 3e15
			switch {
			case m.Status.Waits():
				rank = 0
			case panel.MigrationSeverity(m.Migration) == style.SeverityCritical:
				rank = 1e15
			case m.Status.UnderWay():
				rank = 2e15
			}
			return list.Key{Number: rank - float64(m.Created)} // a time in milliseconds is far below 1e15
		}},
		{Name: "age", Column: "age", Key: func(m migration, _ list.At) list.Key {
			return list.Key{Number: -float64(m.Created), None: m.Created == 0} // the newest first
		}},
		{Name: "name", Column: "name", Key: func(m migration, at list.At) list.Key { return list.Key{Text: m.name(at)} }},
		{Name: "type", Column: "type", Key: func(m migration, at list.At) list.Key { return list.Key{Text: m.kind(at)} }},
		{Name: "hosts", Column: "way", Key: func(m migration, at list.At) list.Key { return list.Key{Text: m.way(at)} }},
	}
}

func fields() []list.Field[migration] {
	return list.Fields(kinds.Migrations, func(m migration) kinds.Row { return m.Migration })
}

// detail is what a migration waits for, why it failed, and what it keeps.
func detail(m migration, a list.Area) []string {
	l := a.Line().Space(1).Add(panel.MigrationToken(m.Migration), panel.MigrationStatus(m.Migration, a.Now)).Space(3).Add(themes.Text, m.way(a.At))
	lines := []string{l.Space(3).Add(themes.Text, m.flavors(a.At)).String()}
	if m.Fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, m.Fault))
	}
	if c, ok := a.Snap.Placement().Consumer(m.UUID); ok {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Dim, " keeps of the old claim"))
		lines = append(lines, panel.Holdings(a.Styles, a.Snap.Placement(), c, a.Width, max(a.Height-len(lines), 0))...)
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

func actions(h list.Here[migration]) []action.Action {
	open := h.About(action.Action{ID: "migrations.open", Keys: []string{"enter"}, Title: "instance", Help: "open the instance that moves", Priority: 90}, func(m migration) tea.Msg {
		return screen.Goto{Kind: screen.Instance, Arg: m.Instance.String()}
	})
	if open.Disabled == "" && h.Row.instance == nil {
		open.Disabled = "the instance is not there any more"
	}
	var id placement.ConsumerID
	if h.Nothing == "" {
		id = h.Row.Instance
	}
	return append([]action.Action{
		open,
		h.About(action.Action{ID: "migrations.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid"}, func(m migration) tea.Msg {
			return screen.CopyMsg{What: "uuid of the " + string(m.Type), Text: m.UUID.String()}
		}),
	}, panel.Moving("migrations", h.Snap, id, h.Nothing)...)
}
