package vocabulary_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/vocabulary"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestTraits(t *testing.T) {
	t.Parallel()
	tuitest.List(vocabulary.NewTraits).Check(t, tuitest.Demo12)
}

func TestClasses(t *testing.T) {
	t.Parallel()
	tuitest.List(vocabulary.NewClasses).Check(t, tuitest.Demo12)
}

// TestWords goes from a word to what has it, what requests it, and what it gives.
func TestWords(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	for _, test := range []struct {
		list      tuitest.List
		filter    string
		key, want any
	}{
		{vocabulary.NewTraits, "name=OWNER_CYBORG", "enter", place.Providers{Filter: "trait=OWNER_CYBORG"}},
		{vocabulary.NewTraits, "name=OWNER_CYBORG", "w", place.WhatIf{Query: "required=OWNER_CYBORG"}},
		{vocabulary.NewTraits, "name=OWNER_CYBORG", "i", place.Flavors{Filter: "trait=OWNER_CYBORG"}},
		{vocabulary.NewClasses, "name=VGPU", "enter", place.Providers{Filter: "class=VGPU"}},
		{vocabulary.NewClasses, "name=VGPU", "w", place.WhatIf{Query: "resources=VGPU:1"}},
		{vocabulary.NewClasses, "name=VGPU", "i", place.Flavors{Filter: "class=VGPU"}},
	} {
		h := test.list.On(t, c, test.filter)
		h.Press(test.key.(string))
		if h.Last() != (screen.Goto{To: test.want.(place.Place)}) {
			t.Errorf("%s on %s asks for %v", test.key, test.filter, h.Last())
		}
	}
}

// TestUsedOrAll shows the words that something has or requests until all are wanted.
func TestUsedOrAll(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	must.Succeed(t, c.Do(placement.CreateTrait{Name: "CUSTOM_OLD_RACK"}))
	for name, l := range map[string]tuitest.List{"traits": vocabulary.NewTraits, "classes": vocabulary.NewClasses} {
		h := l.On(t, c, "")
		used := h.Status()
		h.Press(".")
		if all := h.Status(); !strings.Contains(used, "show:used") || !strings.Contains(all, "show:all") || strings.Fields(used)[1] == strings.Fields(all)[1] {
			t.Errorf("%s: %q, then %q", name, used, all)
		}
	}
	h := tuitest.List(vocabulary.NewTraits).On(t, c, "CUSTOM_OLD")
	h.At(120, 30).Wants("i CUSTOM_OLD_RACK", "unused, safe to delete")
	h = tuitest.List(vocabulary.NewTraits).On(t, c, "")
	h.Send(screen.MadeMsg{ID: "CUSTOM_OLD_RACK"})
	h.At(80, 24).Wants("> i CUSTOM_OLD_RACK")
	h.Lacks("unused, s…", "unused, sa…", "unused, saf…", "unused, safe…")
}
