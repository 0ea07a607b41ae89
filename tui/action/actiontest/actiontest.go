// Package actiontest checks in tests what screens offer to do.
package actiontest

import (
	"fmt"

	"github.com/placetop/placetop/tui/action"
)

// forbidden reports whether a key must not be bound: it belongs to screen and tmux
// (ctrl+a), to flow control (ctrl+q), or is pressed by reflex and must never destroy
// anything (ctrl+k).
func forbidden(key string) bool {
	switch key {
	case "ctrl+a", "ctrl+k", "ctrl+q", "ctrl+i", "ctrl+m", "ctrl+[":
		return true
	default:
		return false
	}
}

// Check returns what is wrong with the actions that are offered together: a key
// twice, a key that is not ours to bind, an action without title or id.
func Check(lists ...[]action.Action) []error {
	var errs []error
	by := map[string]action.ID{}
	for _, list := range lists {
		for _, a := range list {
			if a.ID == "" || a.Title == "" {
				errs = append(errs, fmt.Errorf("action %q (%q): needs id and title", a.ID, a.Title))
			}
			for k := range a.Keys.All() {
				if forbidden(k) {
					errs = append(errs, fmt.Errorf("action %s: key %s is not ours to bind", a.ID, k))
				}
				if other, taken := by[k]; taken && other != a.ID {
					errs = append(errs, fmt.Errorf("key %s stands for %s and for %s", k, other, a.ID))
				}
				by[k] = a.ID
			}
		}
	}
	return errs
}
