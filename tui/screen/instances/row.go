package instances

import (
	"context"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
)

// instance is a row: an instance, and the move that it is on.
type instance struct {
	*nova.Instance
	move *nova.Migration // under way; nil for none
}

// instances returns the instances that are not deleted, by uuid.
func instances(ctx context.Context, snap *cloud.Snapshot) []instance {
	moves := map[placement.ConsumerID]*nova.Migration{}
	for m := range snap.Nova().Migrations() {
		if m.Status.UnderWay() {
			moves[m.Instance] = m
		}
	}
	all := make([]instance, 0, snap.Nova().InstanceCount())
	for i := range snap.Nova().Instances() {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			return all
		}
		if i.Live() && !i.Hidden {
			all = append(all, instance{i, moves[i.UUID]})
		}
	}
	return all
}

func (i instance) name(list.At) string    { return i.Name }
func (i instance) state(list.At) string   { return panel.InstanceState(i.Instance) }
func (i instance) flavor(list.At) string  { return nova.FlavorName(i.Flavor) }
func (i instance) host(list.At) string    { return i.Host }
func (i instance) project(list.At) string { return i.Project }
func (i instance) user(list.At) string    { return i.User }
func (i instance) zone(list.At) string    { return i.Zone }
func (i instance) uuid(list.At) string    { return i.UUID.String() }

// owned returns how many devices the instance holds of whom.
func (i instance) owned(at list.At) panel.Owned {
	return panel.OwnedBy(at.Snap.Placement(), i.UUID)
}

// badge says in a word how far the move of the instance is; "" for none.
func (i instance) badge(at list.At) string {
	if i.move == nil {
		return ""
	}
	return strings.TrimPrefix(panel.ShortStatus(i.move, at.Now), string(nova.Finished)+", ")
}

// detail is what is being done to an instance, what went wrong, and what it holds.
func detail(i instance, a list.Area) []string {
	facts := a.Line().Space(1).Add(themes.Dim, "flavor ").Add(themes.Text, nova.FlavorName(i.Flavor))
	facts.Add(themes.Dim, "   project ").Add(themes.Text, i.Project).Add(themes.Dim, "   user ").Add(themes.Text, i.User)
	if i.Zone != "" {
		facts.Add(themes.Dim, "   zone ").Add(themes.Text, i.Zone)
	}
	lines := []string{facts.String()}
	if i.Fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, i.Fault))
	}
	if i.move != nil {
		lines = append(lines, moveLine(i.move, a))
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
	l.Add(panel.MigrationToken(m), panel.MigrationStatus(m, a.Now)).Space(3).Add(themes.Text, panel.MigrationWay(m))
	return l.Space(3).Add(themes.Text, panel.FlavorWay(m)).String()
}
