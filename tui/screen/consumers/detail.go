package consumers

import (
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
)

// title returns the name and the uuid of a consumer; without a name, its uuid.
func title(c *consumer, _ list.At) (name, uuid string) {
	if uuid = c.ID().String(); uuid == c.name {
		uuid = ""
	}
	return c.name, uuid
}

// detail shows what a consumer is and what it holds, provider by provider.
func detail(c *consumer, a list.Area) []string {
	pl := a.Snap.Placement()
	who := a.Line().Space(1).Add(themes.Dim, "project ").Add(themes.Text, panel.Project(a.Snap, c.Project())).Add(themes.Dim, "   user ").Add(themes.Text, panel.User(a.Snap, c.User()))
	who.Add(themes.Dim, "   gen ").Add(themes.Text, component.Count(c.Generation()))
	if i, ok := a.Snap.Nova().Instance(c.ID()); ok {
		who.Add(themes.Dim, "   flavor ").Add(themes.Text, nova.FlavorName(i.Flavor)).Add(themes.Dim, "   ").Add(themes.Text, string(i.VMState))
	}
	lines := []string{who.String()}
	for _, f := range c.found {
		lines = append(lines, panel.Finding(a.Styles, f, a.Width)...)
	}
	return append(lines, panel.Holdings(a.Styles, pl, c.Consumer, a.Width, max(a.Height-len(lines), 0))...)
}
