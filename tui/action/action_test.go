package action_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestFindAsksListsInOrder(t *testing.T) {
	t.Parallel()
	here := []action.Action{{ID: "here.open", Keys: "enter o"}}
	global := []action.Action{{ID: "app.open", Keys: "o"}, {ID: "app.quit", Keys: "q"}}
	for key, want := range map[string]action.ID{"o": "here.open", "enter": "here.open", "q": "app.quit", "x": ""} {
		got, ok := action.Find(key, here, global)
		if got.ID != want || ok != (want != "") {
			t.Errorf("Find(%q) = %q, %v, want %q", key, got.ID, ok, want)
		}
	}
}

func TestFooterOrdersByPriority(t *testing.T) {
	t.Parallel()
	got := action.Footer(
		[]action.Action{
			{ID: "low", Keys: "a", Priority: 1},
			{ID: "none", Keys: "b"},
			{ID: "high", Keys: "c", Priority: 9},
			{ID: "keyless", Priority: 50},
		},
		[]action.Action{{ID: "equal", Keys: "d", Priority: 9}},
	)
	var ids []action.ID
	for _, a := range got {
		ids = append(ids, a.ID)
	}
	must.Match(t, []action.ID{"high", "equal", "low"}, ids)
}

func TestAble(t *testing.T) {
	t.Parallel()
	list := []action.Action{{ID: "look"}, {ID: "write", Writes: []intent.Op{placement.CreateTrait{}}}, {ID: "put", Writes: []intent.Op{placement.CreateTrait{}, intent.PutRecords{}}}}
	for name, tt := range map[string]struct {
		can  cloud.Capabilities
		want []action.ID
	}{
		"all":        {cloud.Capabilities{}, []action.ID{"look", "write", "put"}},
		"nothing":    {cloud.Capabilities{ReadOnly: "a copy"}, []action.ID{"look"}},
		"verbs only": {cloud.Capabilities{Cannot: func(op cloud.Op) string { return map[bool]string{false: "no API has it"}[placement.Owns(op)] }}, []action.ID{"look", "write"}},
	} {
		var got []action.ID
		for _, a := range action.Able(list, tt.can.Can) {
			got = append(got, a.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: offers %v, want %v", name, got, tt.want)
		}
	}
	if len(list) != 3 || list[1].ID != "write" {
		t.Error("the list itself was changed")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	good := action.Action{ID: "good", Title: "good", Keys: "g"}
	tests := map[string]struct {
		list []action.Action
		want string
	}{
		"sound":          {[]action.Action{good}, ""},
		"same action":    {[]action.Action{good, good}, ""},
		"key twice":      {[]action.Action{good, {ID: "other", Title: "o", Keys: "g"}}, "key g stands for good and for other"},
		"not ours":       {[]action.Action{{ID: "a", Title: "a", Keys: "ctrl+a"}}, "key ctrl+a is not ours"},
		"no title":       {[]action.Action{{ID: "a", Keys: "a"}}, "needs id and title"},
		"only a command": {[]action.Action{{ID: "a", Title: "a"}}, ""},
		"reflex to kill": {[]action.Action{{ID: "a", Title: "a", Keys: "ctrl+k"}}, "not ours"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []string
			for _, err := range tuitest.Unsound(test.list) {
				all = append(all, err.Error())
			}
			got := strings.Join(all, "; ")
			if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("Check = %q, want %q", got, test.want)
			}
		})
	}
}

func TestKeyLabel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"j": "j", "ctrl+d": "^d", " ": "space", "ctrl+@": "^space", "pgdown": "PgDn", "pgup": "PgUp",
		"enter": "enter", "shift+up": "shift+up", "ctrl+left": "ctrl+left", "ctrl+\\": "^\\",
	} {
		if got := action.KeyLabel(name); got != want {
			t.Errorf("KeyLabel(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestBindings(t *testing.T) {
	t.Parallel()
	list := []action.Action{{ID: "a", Keys: "x"}, {ID: "b", Keys: "y"}}
	got := action.Bindings{"a": {"f1", "f2"}, "b": nil}.Apply(list)
	if got[0].Labels() != "f1 f2" || got[0].Label() != "f1" || got[1].Label() != "" {
		t.Errorf("bound %v", got)
	}
	if list[0].Keys != "x" {
		t.Error("the list itself was changed")
	}
}
