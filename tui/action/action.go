// Package action holds what a person can do, as data: key, title, help, and the
// reason why it cannot be done just now.
//
// Screens return their actions afresh whenever they are asked, so that footer,
// help and command prompt always show the same thing that a key press would do,
// and cannot disagree. The package knows nothing of Placement and draws nothing.
package action

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// ID names an action for ever: "provider.open". Key bindings in a
// configuration refer to it.
type ID string

// Group is where help lists an action.
type Group uint8

// The groups, in the order of help's columns.
const (
	Here       Group = iota // about what the screen shows
	Move                    // moving about in it
	Everywhere              // the same on every screen
)

// Action is one thing that can be done now.
type Action struct {
	ID    ID
	Keys  []string // as tea.KeyMsg.String gives them; the first is the one to show
	Title string   // two words for the footer: "open", "release..."
	Help  string   // a line for help; Title where it is empty
	Group Group
	// Priority orders the footer: the highest first. Actions with 0 are in help
	// only.
	Priority int
	// Writes is set for what changes the cloud. Such actions are not offered
	// where nothing can be written.
	Writes bool
	// Disabled is the reason why the action cannot be done now, "" where it
	// can. A disabled action keeps its key and says the reason.
	Disabled string
	// Run does it. It may be nil for keys that a screen handles itself, such as
	// moving the cursor, which are listed for footer and help only.
	Run func() tea.Cmd
}

// HelpText returns Help, or Title where there is none.
func (a Action) HelpText() string {
	if a.Help != "" {
		return a.Help
	}
	return a.Title
}

// Find returns the action that key stands for in lists, asked in order.
func Find(key string, lists ...[]Action) (Action, bool) {
	for _, list := range lists {
		for _, a := range list {
			if slices.Contains(a.Keys, key) {
				return a, true
			}
		}
	}
	return Action{}, false
}

// Footer returns the actions that the footer shows, the most important first.
func Footer(lists ...[]Action) []Action {
	var out []Action
	for _, list := range lists {
		for _, a := range list {
			if a.Priority > 0 && len(a.Keys) > 0 {
				out = append(out, a)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Action) int { return b.Priority - a.Priority })
	return out
}

// Writable returns list without the actions that write, where readOnly is set.
func Writable(list []Action, readOnly bool) []Action {
	if !readOnly {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(a Action) bool { return a.Writes })
}

// forbidden are keys that belong to somebody else: to screen and tmux (ctrl+a),
// to flow control (ctrl+q), or to a reflex that must never destroy (ctrl+k).
func forbidden(key string) bool {
	switch key {
	case "ctrl+a", "ctrl+k", "ctrl+q", "ctrl+i", "ctrl+m", "ctrl+[":
		return true
	default:
		return false
	}
}

// Check returns what is wrong with the actions that are offered together: a key
// twice, a key that is not ours, an action without key, title or id. Tests ask
// it about every screen.
func Check(lists ...[]Action) []error {
	var errs []error
	by := map[string]ID{}
	for _, list := range lists {
		for _, a := range list {
			if a.ID == "" || a.Title == "" || len(a.Keys) == 0 {
				errs = append(errs, fmt.Errorf("action %q (%q): needs id, title and a key", a.ID, a.Title))
			}
			for _, k := range a.Keys {
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
