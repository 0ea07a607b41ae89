// Package consumers is the screens of who holds what, where and since when: consumers,
// projects and users, and the forms that allocate and release.
package consumers

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.List[place.Consumers](New).On("3").Called("consumers", "con", "allocations").FoundBy("allocation claims claim release vm vms uses biggest largest top heaviest").
			For("Who holds what, where, and since when."),
		// One consumer is the list of consumers with its uuid as the filter.
		screen.Declare(func(env screen.Env, at place.Consumer) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot(), at.ID.String()), nil
		}),
		screen.Declare(OpenAllocate),
		screen.Declare(OpenRelease),
		screen.List[place.Projects](NewProjects).Called("projects", "project", "proj").FoundBy("quota quotas tenant tenants customer limits usage most billing accounting chargeback").
			For("What each project uses of each class, of each owner's cards, and of its quota."),
		screen.List[place.Users](NewUsers).Called("users", "user").AsDetail().
			For("What each user uses of each class."),
	}
}

// New returns the screen over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[*consumer]{
		Name: "consumers", Thing: "consumer", Kind: kinds.Consumers,
		Of:     func(list.At) func(*consumer) kinds.Row { return func(c *consumer) kinds.Row { return c.Consumer } },
		Rows:   func(ctx context.Context, snap *cloud.Snapshot) []*consumer { return consumers(ctx, env, snap) },
		Common: true,
		Count:  func(snap *cloud.Snapshot) int { return snap.Placement().ConsumerCount() },
		ID:     func(c *consumer) string { id := c.ID(); return string(id[:]) },
		Text:   func(c *consumer) string { return c.name },
		Columns: list.Show("name=CONSUMER:17-38+2~ type:9 project:11-20+1 resources=HOLDS:17-56+3 owner=OWN where:15-36+3~ gen age:5", "gen type age project where owner", list.Cells[*consumer]{
			"resources": func(l *component.Line, c *consumer, at list.At) {
				panel.AddHeld(l, themes.Text, at.Snap.Placement(), c.Consumer, nil)
			},
			"where": func(l *component.Line, c *consumer, at list.At) {
				where := c.where(at)
				root, card, _ := strings.Cut(where, "/")
				l.AddFitting(themes.Text, where, strings.TrimSuffix(root+"/"+panel.WithoutDomain(card), "/"))
			},
		}).In(themes.Strong, "name").In(themes.Dim, "type"),
		Orders:     list.By[*consumer]("age name project type"),
		Fields:     []*kinds.Field{kinds.TextField("name", (*consumer).called)},
		Found:      func(c *consumer) []audit.Finding { return c.found },
		Also:       list.Owners(true),
		FilterHelp: "name, project=ml-* type=INSTANCE class=VGPU where:cmp-001",
		Actions: func(h list.Here[*consumer]) []action.Action {
			var id placement.ConsumerID
			if h.Nothing == "" {
				id = h.Row.ID()
			}
			return append(actions(h), panel.FixingConsumer("consumers", env, h.Snap, id, h.Nothing))
		},
		Sum: sum,
		More: func(c *consumer, a list.Area) []string {
			return panel.Holdings(a.Styles, a.Snap.Placement(), c.Consumer, a.Width, a.Height)
		},
		Empty: []string{"nothing holds anything", "try: n makes the first allocation"},
	}, env, snap, filter)
}

func actions(h list.Here[*consumer]) []action.Action {
	var id placement.ConsumerID
	if h.Nothing == "" {
		id = h.Row.ID()
	}
	return slices.Concat([]action.Action{
		h.Leads(action.Action{ID: "consumers.open", Keys: "enter", Title: "provider", Help: "go to the consumer's provider: its card, or its host", Priority: 90}, func(c *consumer) place.Place { return place.Provider{ID: c.home(h.At)} }),
		list.Each(h, action.Action{ID: "consumers.release", Keys: "D", Title: "release...", Help: "release all that the consumer holds, or all marked ones, with a preview", Priority: 80, Writes: []intent.Op{placement.ReplaceAllocations{}}},
			func(n string) string { return "release " + n + " marked..." }, func(all []*consumer) tea.Msg {
				var others []placement.ConsumerID
				for _, c := range all[1:] {
					others = append(others, c.ID())
				}
				return screen.Goto{To: place.Release{Consumer: all[0].ID(), Others: place.JoinIDs(others...)}}
			}),
		{ID: "consumers.allocate", Keys: "n", Title: "new allocation", Help: "make an allocation", Priority: 70, Writes: []intent.Op{placement.ReplaceAllocations{}}, To: place.Allocate{}},
	}, panel.Moving("consumers", h.Snap, id, h.Nothing), panel.Asking("consumers", place.WhatIf{Consumer: id}, h.Nothing))
}

// sum returns the totals of what consumers hold.
func sum(all []*consumer, at list.At) string {
	total := map[placement.ResourceClass]int64{}
	for _, c := range all {
		if now, ok := at.Snap.Placement().Consumer(c.ID()); ok {
			for a := range at.Snap.Placement().Allocations(now) {
				total[at.Snap.Placement().ClassName(a.Class)] += a.Used
			}
		}
	}
	return panel.Amounts(total)
}
