package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// How many keys a screen may have, those of the dashboard included, and how many commands
// the prompt may list, of which some are screens: nobody keeps more in mind.
const (
	mostKeys     = 55
	mostScreens  = 20
	mostCommands = 40
)

// TestKeysAndCommands counts on each screen the keys that :keys lists, each by itself,
// without those by which any program moves, and the commands that :alias lists, in a session
// with other clouds, other people and a memory.
func TestKeysAndCommands(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, d := range screens() {
		for _, name := range d.Names {
			names[name] = true
		}
	}
	eachPage(t, func(t *testing.T, c *tuitest.Cloud, _ string, at place.Place) {
		env := tuitest.Env(c, tuitest.Plain())
		env.Keeper, env.Context, env.Memory = keeper.New(c, keeper.Options{Now: env.Clock}), t.Context(), &screen.Memory{}
		app := tui.New(tui.Config{
			Env:     env,
			OpenMsg: tui.OpenMsg{Keeper: env.Keeper, Files: env.Files, Probe: env.Probe, Cloud: c, Who: func() []tui.ConnectedUser { return nil }}, Screens: screens(), Local: true,
			Clouds: (&program{openings: new(openings)}).newContexts(env, "demo", tui.OpenMsg{}),
		})
		t.Cleanup(app.Close)
		d := tuitest.Start(t, app, 160, 200)
		d.Send(screen.Goto{To: at})
		d.Advance(2 * time.Second)
		if d.Press(":"); !strings.Contains(d.Text(), "enter run  tab complete") {
			return // a form takes what is typed
		}
		d.Press("esc")
		row := regexp.MustCompile(`^(?:> | {2}) ((?:\S+ )+) `) // the first column of a menu
		listed := func(command string) []string {
			d.Press(":")
			d.Type(command)
			d.Press("enter")
			var out []string
			for _, line := range d.Lines() {
				if m := row.FindStringSubmatch(line); m != nil {
					out = append(out, strings.Fields(m[1])...)
				}
			}
			slices.Sort(out)
			d.Press("esc")
			return slices.Compact(out)
		}
		keys := slices.DeleteFunc(listed("keys"), func(k string) bool {
			return slices.Contains([]string{"up", "down", "left", "right", "home", "end", "PgUp", "PgDn", "(none)"}, k)
		})
		commands := listed("alias")
		shown := slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return !names[strings.TrimPrefix(c, ":")] })
		if len(keys) == 0 || len(shown) == 0 {
			t.Fatal("nothing is listed:\n" + d.Text())
		}
		for what, n := range map[string][2]int{"keys": {len(keys), mostKeys}, "screens": {len(shown), mostScreens}, "commands": {len(commands), mostCommands}} {
			if n[0] > n[1] {
				t.Errorf("%d %s, more than %d:\n%q\n%q", n[0], what, n[1], keys, commands)
			}
		}
	})
}
