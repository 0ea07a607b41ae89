package instances

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// migrate makes the page that moves instances to other hosts, one after the other; each
// then waits for confirmation.
func migrate(env screen.Env, ids ...placement.ConsumerID) (screen.Screen, error) {
	return move(env, confirm.Spec{Verb: "migrate", Back: decides}, "", ids)
}

// decides says how the move of several instances goes on.
const decides = "decide in :migrations"

func move(env screen.Env, spec confirm.Spec, flavor string, ids []placement.ConsumerID) (screen.Screen, error) {
	return ending(env, spec, false, ids, func(id placement.ConsumerID) confirm.Courses {
		m := placement.ConsumerID(uuid.New())
		return confirm.Courses{Run: ops.Move{Migration: m, Instance: id, Flavor: flavor}, Undo: ops.Revert{Migration: m}}
	})
}

// pickFlavor makes the list of flavors to which instances can be resized.
func pickFlavor(env screen.Env, ids ...placement.ConsumerID) (screen.Screen, error) {
	return list.NewMenu(env.Styles, list.MenuSpec{
		Name: "resize", Title: "resize " + component.Plural(len(ids), "instance"), Verb: "choose",
		Intro: []string{"The flavor for all of them, each on the host that the scheduler picks."},
		Items: func() []list.Item {
			var items []list.Item
			s := env.Cloud.Snapshot()
			for _, name := range form.FlavorNames(s) {
				if f, ok := s.Nova().FlavorNamed(name); ok && !f.Disabled {
					items = append(items, list.Item{Name: name, Note: requestText(s, f), Request: func() tea.Msg {
						page, err := move(env, confirm.Spec{Verb: "resize", Title: "to " + name, Back: decides}, name, ids)
						if err != nil {
							return screen.Warning(err.Error())
						}
						return screen.PushMsg{Screen: page}
					}})
				}
			}
			return items
		},
	}), nil
}
