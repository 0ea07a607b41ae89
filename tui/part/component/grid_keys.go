package component

import tea "github.com/charmbracelet/bubbletea"

// panStep is how many cells one key press pans.
const panStep = 8

// ListKey returns the key of a grid for one that moves the cursor of a list while text is typed
// above or below it, "" for one that is typed.
func ListKey(msg tea.KeyMsg) string {
	switch key := msg.String(); key {
	case "ctrl+j", "ctrl+n":
		return "down"
	case "ctrl+k", "ctrl+p":
		return "up"
	case "down", "up", "pgdown", "pgup":
		return key
	}
	return ""
}

// Key does what the key named as Bubble Tea names it means to a grid, and reports whether
// it means anything:
//
//	j k up down g G home end   ^d ^u half a page   pgdown pgup a page
//	h l left right pan   space mark   a mark all
func (g *Grid) Key(key string) bool {
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
	case "pgdown":
		g.Page(2)
	case "pgup":
		g.Page(-2)
	case "h", "left":
		g.Pan(-panStep)
	case "l", "right":
		g.Pan(panStep)
	case " ", "space":
		g.Mark()
	case "a":
		g.MarkAll()
	default:
		return false
	}
	return true
}
