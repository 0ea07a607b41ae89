// Package action holds what a user can do, as data: key, title, help, and the
// reason why it is not possible at the moment.
//
// Screens return their actions again whenever they are asked, so that footer, help and
// command prompt always agree with what a key press does. The package draws nothing.
package action

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/tui/place"
)

// ID names an action for ever: "provider.open". Key bindings in a
// configuration refer to it.
type ID string

// Keys are keys as tea.KeyMsg.String names them, with spaces between: "j down". The first is
// the one to show. The space bar is "space".
type Keys string

// KeysOf returns the keys with some names.
func KeysOf(names []string) Keys {
	var out []string
	for _, name := range names {
		out = append(out, strings.ReplaceAll(name, " ", "space"))
	}
	return Keys(strings.Join(out, " "))
}

// All yields the names.
func (k Keys) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range strings.FieldsSeq(string(k)) {
			if name == "space" {
				name = " "
			}
			if !yield(name) {
				return
			}
		}
	}
}

// Names returns the names.
func (k Keys) Names() []string { return slices.Collect(k.All()) }

// First returns the first name, "" if there is none.
func (k Keys) First() string {
	for name := range k.All() {
		return name
	}
	return ""
}

// Has reports whether a key is among them.
func (k Keys) Has(key string) bool {
	for name := range k.All() {
		if name == key {
			return true
		}
	}
	return false
}

// Group is where help lists an action.
type Group uint8

// The groups, in the order of the columns of help.
const (
	Here       Group = iota // about what the screen shows
	Move                    // moving about in it
	Everywhere              // the same on every screen
)

// Action is one thing that can be done now.
type Action struct {
	ID   ID
	Keys Keys
	// Default are the keys that it had before the user bound others, "" if none were
	// bound.
	Default Keys
	Title   string // two words for the footer: "open", "release..."
	Help    string // a line for help; Title where it is empty
	Group   Group
	// Priority orders the footer: the highest first. Actions with 0 are in help
	// only.
	Priority int
	// Writes has an operation of each kind that the action writes; only their kinds
	// count. The action is not offered where the cloud cannot carry one of them out.
	Writes []intent.Op
	// Many is set where the action is about all marked rows, if there are any. An action
	// that writes and is about one row is not offered while others are marked.
	Many bool
	// One is set for an action that writes nothing itself, but leads to one that does for the
	// row under the cursor only: it is not offered while others are marked either.
	One bool
	// Disabled is the reason why the action is not possible now, "" if it is. A disabled
	// action keeps its key and says the reason.
	Disabled string
	// To, Request and Run are what the action does: at most one is set. All are nil for
	// keys that a screen handles itself, such as moving the cursor, which are listed for
	// footer and help only.
	//
	// To is the place that the action leads to. Request returns what the root model is to
	// do, such as to open a page that the screen has made. Both are done before the next
	// key is read, so that this is about the new screen. What Run returns is done in the
	// background, and may end after further keys.
	To      place.Place
	Request func() tea.Msg
	Run     func() tea.Cmd
}

// Acts reports whether the action does something: if not, the screen handles its keys.
func (a Action) Acts() bool { return a.To != nil || a.Request != nil || a.Run != nil }

// HelpText returns Help, or Title if there is none.
func (a Action) HelpText() string {
	if a.Help != "" {
		return a.Help
	}
	return a.Title
}

// Find returns the action of a key in lists, searched in order.
func Find(key string, lists ...[]Action) (Action, bool) {
	for _, list := range lists {
		for _, a := range list {
			if a.Keys.Has(key) {
				return a, true
			}
		}
	}
	return Action{}, false
}

// Digits returns the actions of a screen whose lines are numbered from 1 to n: the digits
// that choose one, which the screen handles itself, and the others, which say that there is
// no such line instead of leading elsewhere.
func Digits(scope string, n int) []Action {
	const digits = "1 2 3 4 5 6 7 8 9"
	n = min(n, 9)
	other := Action{ID: ID(scope + ".other"), Keys: Keys(strings.TrimSpace(digits[min(2*n, len(digits)):] + " 0")), Title: "choose", Disabled: fmt.Sprintf("the numbers end at %d", n)}
	if n == 0 {
		other.Disabled = "nothing to choose"
		return []Action{other}
	}
	return []Action{{ID: ID(scope + ".number"), Keys: Keys(digits[:2*n-1]), Title: "choose", Help: "choose the line with the number"}, other}
}

// Originally returns the first action of lists that has a key by default.
func Originally(key string, lists ...[]Action) (Action, bool) {
	for _, list := range lists {
		for _, a := range list {
			if a.Default.Has(key) || a.Default == "" && a.Keys.Has(key) {
				return a, true
			}
		}
	}
	return Action{}, false
}

// Has reports whether an action of list has a key.
func Has(list []Action, key string) bool {
	_, ok := Find(key, list)
	return ok
}

// Footer returns the actions that the footer shows, the most important first.
func Footer(lists ...[]Action) []*Action {
	var out []*Action
	for _, list := range lists {
		for i := range list {
			if a := &list[i]; a.Priority > 0 && a.Keys != "" {
				out = append(out, a)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *Action) int { return b.Priority - a.Priority })
	return out
}

// Able returns list without the actions whose Writes can refuses: it returns why
// operations cannot be carried out.
func Able(list []Action, can func(ops ...intent.Op) error) []Action {
	barred := func(a Action) bool { return len(a.Writes) > 0 && can(a.Writes...) != nil }
	if !slices.ContainsFunc(list, barred) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), barred)
}
