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
	"github.com/placetop/placetop/tui/style"
)

// instance is a row: an instance, and its problems.
type instance struct {
	*nova.Instance
	found []audit.Finding
}

// instances returns the instances of a Snapshot.
func instances(ctx context.Context, env screen.Env, snap *cloud.Snapshot) []*instance {
	found := panel.ConsumerFindings(env.Inspect(snap).Open())
	var all []*instance
	for row := range kinds.Of(kinds.Instances).Rows(list.At{Snap: snap}, false) {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			break
		}
		i := row.(*nova.Instance) // the rows of a kind have one type
		all = append(all, &instance{i, found[i.UUID]})
	}
	return all
}

// severity returns the severity of an instance: by its state, or the rules' findings.
func (i *instance) severity(list.At) style.Severity {
	return max(panel.InstanceSeverity(i.Instance), panel.Worst(i.found))
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

// detail shows what is being done to an instance, what went wrong, and what it holds.
func detail(i *instance, a list.Area) []string {
	facts := a.Line().Space(1).Add(themes.Dim, "flavor ").Add(themes.Text, nova.FlavorName(i.Flavor))
	facts.Add(themes.Dim, "   project ").Add(themes.Text, panel.Project(a.Snap, i.Project)).Add(themes.Dim, "   user ").Add(themes.Text, panel.User(a.Snap, i.User))
	if zone := a.Snap.Nova().InstanceZone(i.Instance); zone != "" {
		facts.Add(themes.Dim, "   zone ").Add(themes.Text, zone)
	}
	lines := []string{facts.String()}
	if i.Fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, i.Fault))
	}
	for _, f := range i.found {
		lines = append(lines, panel.Finding(a.Styles, f, a.Width)...)
	}
	if m := moveOf(a.At, i); m != nil {
		lines = append(lines, moveLine(m, a))
	}
	if c, ok := a.Snap.Placement().Consumer(i.UUID); ok {
		lines = append(lines, panel.Holdings(a.Styles, a.Snap.Placement(), c, a.Width, max(a.Height-len(lines), 0))...)
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

// moveLine says where an instance moves, and what the move waits for.
func moveLine(m *nova.Migration, a list.Area) string {
	l := a.Line().Space(1).Add(themes.Text, string(m.Type)).Space(1)
	l.Add(panel.MigrationToken(m), panel.MigrationStatus(m, a.Now)).Space(3).Add(themes.Text, m.Way())
	return l.Space(3).Add(themes.Text, m.FlavorWay()).String()
}
