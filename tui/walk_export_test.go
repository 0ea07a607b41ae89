package tui

import (
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/tui/place"
)

// Walk is a script that is being presented, and WalkBeganMsg brings one.
type (
	Walk         = walk
	WalkBeganMsg = walkBeganMsg
)

// PlaceOf returns where the dashboard shows something of a demonstration.
func PlaceOf(w demo.Where) place.Place { return placeOf(w) }
