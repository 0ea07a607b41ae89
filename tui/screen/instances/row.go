package instances

import (
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
)

type instance = nova.Instance

// moveOf returns the migration of an instance that is under way, nil for none.
func moveOf(at list.At, i *instance) *nova.Migration {
	for m := range at.Snap.Nova().MigrationsOf(i.UUID) {
		if m.Status.UnderWay() {
			return m
		}
	}
	return nil
}

// detail is what is being done to an instance, what went wrong, and what it holds.
func detail(i *instance, a list.Area) []string {
	facts := a.Line().Space(1).Add(themes.Dim, "flavor ").Add(themes.Text, nova.FlavorName(i.Flavor))
	facts.Add(themes.Dim, "   project ").Add(themes.Text, i.Project).Add(themes.Dim, "   user ").Add(themes.Text, i.User)
	if zone := a.Snap.Nova().InstanceZone(i); zone != "" {
		facts.Add(themes.Dim, "   zone ").Add(themes.Text, zone)
	}
	lines := []string{facts.String()}
	if i.Fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, i.Fault))
	}
	if m := moveOf(a.At, i); m != nil {
		lines = append(lines, moveLine(m, a))
	}
	if c, ok := a.Snap.Placement().Consumer(i.UUID); ok {
		lines = append(lines, panel.Holdings(a.Styles, a.Snap.Placement(), c, a.Width, max(a.Height-len(lines), 0))...)
	} else if i.Host != "" {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Warn, " holds nothing in Placement, though it is on "+i.Host))
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

// moveLine says where an instance moves, and what that waits for.
func moveLine(m *nova.Migration, a list.Area) string {
	l := a.Line().Space(1).Add(themes.Text, string(m.Type)).Space(1)
	l.Add(panel.MigrationToken(m), panel.MigrationStatus(m, a.Now)).Space(3).Add(themes.Text, m.Way())
	return l.Space(3).Add(themes.Text, m.FlavorWay()).String()
}
