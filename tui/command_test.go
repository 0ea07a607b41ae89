package tui_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestEveryKeyCanBeBound(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 120, 30, func(cfg *tui.Config) {
			cfg.Bindings = action.Bindings{
				"test.move":         {"f3", "f4"}, // keys that the screen handles itself
				"test.delete":       {"x"},        // instead of D
				"app.help":          {"f1"},
				"app.go.migrations": {"enter"}, // the screen has it
				"nowhere.sort":      {"f9"},
			}
		})
		s := r.screens["pulses"]
		r.Press("f4", "f3", "x")
		if got := strings.Join(s.log, " "); got != "k j did-delete" {
			t.Errorf("the screen saw %q, want k j did-delete", got)
		}
		r.Press("D")
		r.wants(t, "no such key: D", "/ filters  f1 lists the keys")
		r.Press("j")
		if got := len(s.log); got != 3 {
			t.Errorf("keys that were taken away still reach the screen: %v", s.log)
		}
		r.Press(":")
		r.Type("keys")
		r.Press("enter")
		r.wants(t, "keys of pulses", "conflict: enter is test.open", "f3 f4", "by default j k", "nowhere.sort   bound in config.toml")
		if frame := r.Text(); strings.Index(frame, "conflict") > strings.Index(frame, "f3 f4") {
			t.Errorf("conflicts are not first:\n%s", frame)
		}
		r.Press("j", "j", "enter")
		r.wants(t, "copied the line of test.open")
	})
}

func TestUnknownKeySaysSo(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Press("w") // the screen handles it without listing it
		r.lacks(t, "no such key")
		r.Press("2", ":")
		r.Type("alias")
		r.Press("enter", "Q")
		r.wants(t, "no such key: Q   / finds  ? lists the keys") // it may be the start of a name
		// lazygit 773, tuicr 585: a Cyrillic layout.
		r.Press("о")
		r.wants(t, "no such key: о   keys are Latin letters: switch the keyboard's layout")
		r.Press("esc") // goes back whatever toast is shown, because the next key is meant for the screen below
		r.lacks(t, "no such key", "> alias")
	})
}

// A hint names the key that a filter is bound to.
func TestUnknownKeyNamesTheBoundFilter(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		for key, want := range map[string]string{"f2": "no such key: D   f2 filters  ? lists the keys", "": "no such key: D   ? lists them"} {
			r := open(t, 100, 24, func(cfg *tui.Config) {
				cfg.Bindings = action.Bindings{"test.filter": strings.Fields(key), "test.delete": {}}
			})
			r.Press("D")
			r.wants(t, want)
		}
	})
}

// A key that does something on other screens says what there is none of here.
func TestKeysOfOtherScreensSayWhatIsMissing(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Press("2")
		r.screens["providers"].idle = true
		for key, says := range map[string]string{
			"tab": "tab: no other panel to go to here", "o": "o: rows here have no owner", ".": ".: no rows to hide here",
		} {
			r.Press(key)
			r.wants(t, says, "? lists the keys")
		}
	})
}

// A toast about a key that does nothing must not hide the hints for the result of the
// next key.
func TestRefusedKeyIsForgottenAtTheNext(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 24, nil)
		r.Press("e", "e")
		r.wants(t, "edit: nothing is marked  ×2")
		r.Press(":")
		r.lacks(t, "nothing is marked")
		r.Type("alias")
		r.Press("enter", "Q", "Q")
		r.wants(t, "no such key: Q  ×2   / finds  ? lists the keys")
		r.Press("j")
		r.lacks(t, "no such key")
	})
}

func TestListings(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 100, 40, nil)
		r.Press("e", ":")
		r.Type("messages")
		r.Press("enter")
		r.wants(t, "pulses > messages", "edit: nothing is marked")
		r.Press("esc", "esc", ":")
		r.Type("alias")
		r.Press("enter", "/")
		r.Type("go to prov")
		r.Press("enter")
		r.wants(t, "pulses > commands", ":providers", "go to providers   :rp")
		r.Press("enter")
		r.wants(t, "pulses > providers", "providers rev=0")
		r.lacks(t, "commands")
		r.Press(":")
		r.Type("alias")
		r.Press("enter", "/")
		r.Type(":now")
		r.Press("enter", "enter") // it can do nothing now
		r.wants(t, "pulses > providers  ", ":now: the cloud is shown as it is now")
	})
}
