package instances

import (
	"context"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// instance is a row: an instance, and its problems.
type instance struct {
	*nova.Instance
	found []audit.Finding
}

// instances returns the instances of a Snapshot.
func instances(ctx context.Context, env screen.Env, snap *cloud.Snapshot) []*instance {
	pass := env.Inspect(snap)
	var all []*instance
	for row := range kinds.Of(kinds.Instances).Rows(list.At{Snap: snap}, false) {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			break
		}
		i := row.(*nova.Instance) // the rows of a kind have one type
		all = append(all, &instance{i, pass.OfConsumer(i.UUID)})
	}
	return all
}

// moveOf returns the migration of an instance that is under way, nil if none.
func moveOf(at list.At, i *instance) *nova.Migration {
	for m := range at.Snap.Nova().MigrationsOf(i.UUID) {
		if m.Status.UnderWay() {
			return m
		}
	}
	return nil
}

// more shows where an instance moves, and what it holds.
func more(i *instance, a list.Area) []string {
	var lines []string
	if m := moveOf(a.At, i); m != nil {
		lines = append(lines, moveLine(m, a))
	}
	if c, ok := a.Snap.Placement().Consumer(i.UUID); ok {
		lines = append(lines, panel.Holdings(a.Styles, a.Snap.Placement(), c, a.Width, max(a.Height-len(lines), 0))...)
	}
	return lines
}

// moveLine says where an instance moves, and what the move waits for.
func moveLine(m *nova.Migration, a list.Area) string {
	l := a.Line().Space(1).Add(themes.Text, string(m.Type)).Space(1)
	l.Add(panel.MigrationToken(m), panel.MigrationStatus(m, a.Now)).Space(3).Add(themes.Text, m.Way())
	return l.Space(3).Add(themes.Text, m.FlavorWay()).String()
}
