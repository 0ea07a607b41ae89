package panel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// inventoryColumn is a number to the right of the bar of an inventory.
type inventoryColumn struct {
	title string
	width int // in cells, including one before the number
	drop  int // the columns with the highest are dropped first if there is no room
}

// barLeast is how many cells the class and bar of an inventory need.
const barLeast = 26

// inventoryColumns returns the columns that fit into w cells, with the one of what moves hold
// if they hold something.
func inventoryColumns(w int, held bool) []inventoryColumn {
	all := []inventoryColumn{
		{"total", 8, 1}, {"res", 6, 2}, {"ratio", 6, 3}, {"min", 5, 6}, {"max", 7, 4}, {"step", 5, 5}, {"used", 8, 0}, {"held", 7, 2}, {"free", 8, 0},
	}
	if !held {
		all = slices.DeleteFunc(all, func(c inventoryColumn) bool { return c.title == "held" })
	}
	sum := 0
	for _, c := range all {
		sum += c.width
	}
	most := 6
	for ; most > 0 && w-sum < barLeast; most-- {
		for _, c := range all {
			if c.drop == most {
				sum -= c.width
			}
		}
	}
	var cols []inventoryColumn
	for _, c := range all {
		if c.drop <= most {
			cols = append(cols, c)
		}
	}
	return cols
}

func columnsWidth(cols []inventoryColumn) int {
	sum := 0
	for _, c := range cols {
		sum += c.width
	}
	return sum
}

// value returns the text of the column for an inventory with its load.
func (c inventoryColumn) value(iu placement.InventoryUsage, l component.Load) string {
	room := c.width - 1
	switch c.title {
	case "total":
		return Brief(iu.Total, room)
	case "res":
		return Brief(iu.Reserved, room)
	case "ratio":
		return Ratio(iu.AllocationRatio, room)
	case "min":
		return Brief(iu.MinUnit, room)
	case "max":
		return most(iu.MaxUnit, room)
	case "step":
		return Brief(iu.StepSize, room)
	case "used":
		return Brief(iu.Used, room)
	case "held":
		return Brief(l.Held, room)
	default:
		return Brief(l.Free(), room)
	}
}

// most formats a max_unit: the largest possible one is no limit.
func most(n int64, room int) string {
	if n == placement.MaxInt {
		return "any"
	}
	return Brief(n, room)
}

// Brief writes a number in at most room cells where that is possible: digit by
// digit, or rounded down to thousands, millions and so on: 2147483647 is 2147M.
func Brief(n int64, room int) string {
	s := strconv.FormatInt(n, 10)
	const prefixes = "kMGTPE"
	for i := 0; len(s) > room && i < len(prefixes); i++ {
		n /= 1000
		s = strconv.FormatInt(n, 10) + prefixes[i:i+1]
	}
	return s
}

// Ratio writes an allocation ratio with at least one decimal, in at most room
// cells where that is possible.
func Ratio(r float64, room int) string {
	s := ""
	for digits := 4; digits > 0; digits-- {
		s = strings.Replace(strconv.FormatFloat(r, 'g', digits, 64), "e+", "e", 1)
		if !strings.ContainsAny(s, ".eIN") && len(s)+2 <= room {
			s += ".0"
		}
		if len(s) <= room {
			break
		}
	}
	return s
}

// Inventories returns the inventories of p as lines of w cells, with heads beside a title:
//
//	INVENTORY                   total  res ratio  min   max step   used   free
//	✗ VGPU         ███████████████»   8    0   1.0    1     8    1      9     -1
func Inventories(st *style.Styles, s *placement.Snapshot, p *placement.ResourceProvider, w int, title string) []string {
	if len(p.Inventories()) == 0 {
		return []string{Text(st, w, themes.Faint, "  no inventory: this provider only groups its children")}
	}
	name, held := 9, false
	loads := make([]component.Load, 0, 8)
	for _, iu := range p.Inventories() {
		name = max(name, component.Width(st, string(s.ClassName(iu.Class))))
		load := WithHeld(s, p, iu.Class, Load(s, p, iu))
		loads, held = append(loads, load), held || load.Held > 0
	}
	cols := inventoryColumns(w, held)
	sum := columnsWidth(cols)
	name = min(name, max(9, (w-sum)*3/5-2))
	l := component.NewLine(st, w).Column(w-sum, themes.Title, title)
	for _, c := range cols {
		l.Number(c.width, themes.Header, c.title)
	}
	lines := []string{l.String()}
	for i, iu := range p.Inventories() {
		l.Reset(w)
		sev, load := style.SeverityNone, loads[i]
		if Over(s, p, iu) {
			sev = style.SeverityCritical
		}
		l.Mark(sev).Space(1)
		l.Column(name, themes.Text, string(s.ClassName(iu.Class))).Space(1)
		component.Bar(l, max(w-sum-l.Pos(), 4), load)
		for _, c := range cols {
			t := themes.Text
			switch {
			case c.title == "held":
				t = themes.Info
			case c.drop > 1:
				t = themes.Dim
			case c.title == "free" && load.Free() < 0:
				t = themes.Critical
			}
			l.Number(c.width, t, c.value(iu, load))
		}
		lines = append(lines, l.String())
	}
	return lines
}
