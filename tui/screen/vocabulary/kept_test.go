package vocabulary_test

import (
	"testing"

	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/vocabulary"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestWhatIsKeptMayBeAnything opens a list with invalid saved state, as when the
// dashboard's file was edited by hand.
func TestWhatIsKeptMayBeAnything(t *testing.T) {
	t.Parallel()
	for _, v := range []screen.View{
		{Narrowing: screen.Narrowing{Also: -1}}, {Narrowing: screen.Narrowing{Also: 99}}, {Share: 900}, {Share: -9, Room: -9}, {Room: 900}, {Share: 1, Room: 1}, {Columns: []string{"", "none"}, Sort: "none", Narrowing: screen.Narrowing{Filter: "("}},
	} {
		c := tuitest.Demo(t, 4)
		env := tuitest.Env(c, tuitest.Plain())
		env.Memory, env.Returning = &screen.Memory{}, true
		env.Memory.KeepView("", "traits", v)
		h := tuitest.Open(t, c, vocabulary.NewTraits(env, c.Snapshot(), ""))
		for _, size := range [][2]int{{200, 50}, {136, 20}, {80, 24}, {40, 8}} {
			h.At(size[0], size[1]).Text()
		}
	}
}
