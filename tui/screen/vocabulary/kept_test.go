package vocabulary_test

import (
	"testing"

	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
	"github.com/placetop/placetop/tui/screen/vocabulary"
)

// TestWhatIsKeptMayBeAnything opens a list that was left in a way in which none can be, as
// somebody who edits the file of the dashboard has it.
func TestWhatIsKeptMayBeAnything(t *testing.T) {
	t.Parallel()
	for _, v := range []screen.View{
		{Narrowing: screen.Narrowing{Also: -1}}, {Narrowing: screen.Narrowing{Also: 99}}, {Share: 900}, {Share: -9, Room: -9}, {Room: 900}, {Share: 1, Room: 1}, {Columns: []string{"", "none"}, Sort: "none", Narrowing: screen.Narrowing{Filter: "("}},
	} {
		c := screentest.Demo(t, 4)
		env := screentest.Env(c, screentest.Plain())
		env.Memory, env.Returning = &screen.Memory{}, true
		env.Memory.KeepView("", "traits", v)
		h := screentest.Open(c, vocabulary.NewTraits(env, c.Snapshot(), ""), false)
		for _, size := range [][2]int{{200, 50}, {136, 20}, {80, 24}, {40, 8}} {
			h.Text(t, size[0], size[1])
		}
	}
}
