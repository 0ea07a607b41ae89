package component

// Effect says what a key did to a grid.
type Effect uint8

// The effects.
const (
	EffectNone   Effect = iota // the key is not the grid's
	EffectMoved                // cursor or window moved, or were at their end
	EffectMarked               // marks changed
	EffectSorted               // the order to sort by changed: see Sort
)

// panStep is how many cells one key press pans.
const panStep = 8

// Key does what the key named as Bubble Tea names it means to a grid:
//
//	j k up down g G home end   ^d ^u half a page   ^f ^b pgdown pgup a page
//	h l left right pan         shift+left shift+right column cursor   O sort
//	space mark   v range   shift+up shift+down range   ^space from last mark
//	a mark all   ^\ clear marks
func (g *Grid) Key(key string) Effect {
	switch key {
	case "j", "down":
		g.Move(1)
	case "k", "up":
		g.Move(-1)
	case "g", "home":
		g.MoveToRow(0)
	case "G", "end":
		g.MoveToRow(g.Len() - 1)
	case "ctrl+d":
		g.Page(1)
	case "ctrl+u":
		g.Page(-1)
	case "ctrl+f", "pgdown":
		g.Page(2)
	case "ctrl+b", "pgup":
		g.Page(-2)
	case "h", "left":
		g.Pan(-panStep)
	case "l", "right":
		g.Pan(panStep)
	case "shift+left":
		g.MoveColumn(-1)
	case "shift+right":
		g.MoveColumn(1)
	default:
		return g.markKey(key)
	}
	return EffectMoved
}

func (g *Grid) markKey(key string) Effect {
	switch key {
	case "O":
		if g.SortByColumn() {
			return EffectSorted
		}
		return EffectMoved
	case " ", "space":
		g.Mark()
	case "v":
		g.Range()
	case "shift+down", "shift+up":
		if !g.InRange() {
			g.Range()
		}
		if key == "shift+up" {
			g.Move(-1)
		} else {
			g.Move(1)
		}
	case "ctrl+@":
		g.RangeFromLastMark()
	case "a":
		g.MarkAll()
	case "ctrl+\\":
		g.ClearMarks()
	default:
		return EffectNone
	}
	return EffectMarked
}
