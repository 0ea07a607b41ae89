package tui

import (
	"regexp"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
)

// other is a screen that need not be shown, with its keys as the user bound them.
type other struct {
	names          []string
	actions, bound []action.Action // all, and those that the user bound
}

// nowhere is the cloud without anything in it: there a screen can be asked for its keys
// without work.
type nowhere struct{ screen.Cloud }

func (nowhere) Snapshot() *cloud.Snapshot { return cloud.Empty() }

// others returns the screens that a key or a name leads to, in the order in which the
// footer and :alias list them. They are made once.
func (a *App) others() []other {
	if a.otherKeys != nil || a.cfg.Cloud == nil {
		return a.otherKeys
	}
	env := a.sighted()
	env.Cloud, env.Memory, env.Keeper = nowhere{env.Cloud}, nil, nil
	for _, d := range slices.Concat(a.keyed, a.named) {
		_ = try(func() {
			s, err := d.Open(env, d.Of)
			if err != nil {
				return
			}
			all := a.cfg.Bindings.Apply(s.Actions())
			bound := slices.DeleteFunc(slices.Clone(all), func(act action.Action) bool { return act.Default == nil })
			a.otherKeys = append(a.otherKeys, other{d.Names, all, bound})
		})
	}
	return a.otherKeys
}

// elsewhereInText matches the name of another screen, after which a text goes on with a key
// of that screen: "in :services, X marks it".
var elsewhereInText = regexp.MustCompile(`in :([a-z]+), `)

// reworded returns running text with the user's keys: those of the screen that is shown
// and of the dashboard, and where they have none of that name, those that the user bound on
// any other screen.
func (a *App) reworded(text string) string {
	lists := [][]action.Action{a.able().here, a.able().everywhere}
	for _, o := range a.others() {
		lists = append(lists, o.bound)
	}
	if at := elsewhereInText.FindStringSubmatchIndex(text); at != nil {
		name := text[at[2]:at[3]]
		for _, o := range a.others() {
			if slices.Contains(o.names, name) {
				return action.Reworded(text[:at[1]], lists...) + action.Reworded(text[at[1]:], slices.Insert(lists, 0, o.actions)...)
			}
		}
	}
	return action.Reworded(text, lists...)
}
