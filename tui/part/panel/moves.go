package panel

import (
	"slices"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
)

// GridMoves returns the keys of a grid for help; the grid itself handles them. The
// list must not be changed.
func GridMoves() []action.Action { return slices.Clip(gridMoves) }

//nolint:gochecknoglobals // never changed
var gridMoves = []action.Action{
	gridMove("down", "down", "j down"), gridMove("up", "up", "k up"),
	gridMove("first", "first", "g home"), gridMove("last", "last", "G end"),
	gridMove("half", "half a page down", "ctrl+d"), gridMove("halfup", "half a page up", "ctrl+u"),
	gridMove("page", "a page down", "pgdown"), gridMove("pageup", "a page up", "pgup"),
	gridMove("left", "fold, or pan left", "h left"), gridMove("right", "unfold, or pan right", "l right"),
	gridMove("mark", "mark", "space"), gridMove("all", "mark all shown, or none", "a"),
}

func gridMove(id, title string, keys action.Keys) action.Action {
	return action.Action{ID: action.ID("grid." + id), Keys: keys, Title: title, Group: action.Move}
}

// Asking returns the keys that ask about one thing: w who else could take it, W
// what became of it in words. Nothing is why there is none, "" if there is one.
func Asking(scope string, about place.WhatIf, nothing string) []action.Action {
	why := about
	why.Words = true
	return []action.Action{
		{ID: action.ID(scope + ".whatif"), Keys: "w", Title: "what-if", Help: "search allocation candidates, starting from here", Priority: 58, Disabled: nothing, To: about},
		{ID: action.ID(scope + ".why"), Keys: "W", Title: "why", Help: "why it fits here or not, in words", Priority: 20, Disabled: nothing, To: why},
	}
}
