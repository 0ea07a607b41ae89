package panel

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// GridMoves returns the keys of a grid for help; the grid itself handles them.
func GridMoves() []action.Action {
	move := func(id, title string, keys ...string) action.Action {
		return action.Action{ID: action.ID("grid." + id), Keys: keys, Title: title, Group: action.Move}
	}
	return []action.Action{
		move("down", "down", "j", "down"), move("up", "up", "k", "up"),
		move("first", "first", "g", "home"), move("last", "last", "G", "end"),
		move("half", "half a page down", "ctrl+d"), move("halfup", "half a page up", "ctrl+u"),
		move("page", "a page down", "ctrl+f", "pgdown"), move("pageup", "a page up", "ctrl+b", "pgup"),
		move("left", "fold, or pan left", "h", "left"), move("right", "unfold, or pan right", "l", "right"),
		move("mark", "mark", " "), move("range", "mark a range", "v", "shift+down", "shift+up"),
		move("rangefrom", "mark from the last mark", "ctrl+@"), move("all", "mark all shown", "a"),
		move("unmark", "clear marks", "ctrl+\\"),
	}
}

// ColumnMoves returns the keys of a grid with columns to sort by, for help.
func ColumnMoves() []action.Action {
	return []action.Action{
		{ID: "grid.column", Keys: []string{"shift+left", "shift+right"}, Title: "column cursor", Group: action.Move},
		{ID: "grid.sort", Keys: []string{"O"}, Title: "sort by that column", Group: action.Move},
	}
}

// Asking returns the keys that ask about one thing: w who else could take it, W
// what became of it in words. Nothing is why there is none, "" where there is one.
func Asking(scope string, about place.WhatIf, nothing string) []action.Action {
	why := about
	why.Words = true
	ask := func(to place.WhatIf) func() tea.Cmd {
		return func() tea.Cmd { return screen.Send(screen.Goto{To: to}) }
	}
	return []action.Action{
		{ID: action.ID(scope + ".whatif"), Keys: []string{"w"}, Title: "what-if", Help: "ask for allocation candidates, starting from here", Priority: 58, Disabled: nothing, Run: ask(about)},
		{ID: action.ID(scope + ".why"), Keys: []string{"W"}, Title: "why", Help: "why it fits here, or does not, in words", Priority: 20, Disabled: nothing, Run: ask(why)},
	}
}
