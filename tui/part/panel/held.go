package panel

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// Held returns what c holds on p, or everywhere where p is nil, in short:
// "VGPU 2  8C 64G  80G disk". c must be a consumer of s.
func Held(s *placement.Snapshot, c *placement.Consumer, p *placement.ResourceProvider) string {
	held := map[placement.ResourceClass]int64{}
	for a := range s.Allocations(c) {
		if p == nil || a.Provider.ID() == p.ID() {
			held[s.ClassName(a.Class)] += a.Used
		}
	}
	return Amounts(held)
}

// AddHeld draws what Held returns. Where there is no room for it, custom classes lose their
// common prefix: the end tells them apart.
func AddHeld(l *component.Line, t themes.Token, s *placement.Snapshot, c *placement.Consumer, p *placement.ResourceProvider) {
	addAmounts(l, t, Held(s, c, p))
}

// AddAmounts draws amounts as Amounts returns them, as AddHeld does in less room than they
// need.
func AddAmounts(l *component.Line, t themes.Token, amounts string) {
	if component.Width(l.Styles(), amounts) <= l.Left() {
		l.Add(t, amounts)
		return
	}
	addAmounts(l, t, amounts)
}

func addAmounts(l *component.Line, t themes.Token, text string) {
	room := l.Left()
	if room < heldWidth {
		text = withoutDisk(text)
	}
	if len(text) > room {
		text = strings.ReplaceAll(text, "CUSTOM_", l.Styles().Glyphs.Ellipsis)
	}
	short := text
	if len(text) > room {
		short = strings.ReplaceAll(text, "  ", " ")
	}
	if len(short) > room { // no amount is cut
		short = text
		if end := strings.LastIndexByte(text[:max(room-1, 0)], ' '); end > 0 {
			short = text[:end+1] + l.Styles().Glyphs.Ellipsis
		}
	}
	l.AddFitting(t, text, short)
}

// heldWidth is the width of what most instances with a GPU hold, in cells.
const heldWidth = 24

// withoutDisk leaves out the word disk behind an amount of memory: cores, memory and disk
// follow each other as in any list of flavors.
func withoutDisk(text string) string {
	rest, ok := strings.CutSuffix(text, " disk")
	i := strings.LastIndex(rest, "  ")
	if !ok || i < 1 || !strings.ContainsAny(rest[i-1:i], "MGT") {
		return text
	}
	return rest[:i] + rest[i+1:]
}

// Amounts returns amounts by class as Held does.
func Amounts(amounts map[placement.ResourceClass]int64) string {
	var text string
	var last placement.ResourceClass
	for _, class := range Ranked(amounts) {
		switch {
		case text == "":
		case class == placement.MemoryMB && last == placement.VCPU:
			text += " "
		default:
			text += "  "
		}
		text += amount(class, amounts[class])
		last = class
	}
	return text
}

// amount returns an amount of a class, with its name unless its unit says it.
func amount(class placement.ResourceClass, n int64) string {
	short := component.Amount(n, Unit(class))
	switch class {
	case placement.VCPU:
		return component.Count(n) + "C"
	case placement.MemoryMB:
		return short
	case placement.DiskGB:
		return short + " disk"
	case "NET_BW_EGR_KILOBIT_PER_SEC":
		return kilobits(n) + " egress"
	case "NET_BW_IGR_KILOBIT_PER_SEC":
		return kilobits(n) + " ingress"
	default:
		return string(class) + " " + short
	}
}

// Ranked returns the classes of amounts, those first that tell most about a consumer: what is
// scarce, accelerators and custom classes, before what everybody has, bandwidth last.
func Ranked(amounts map[placement.ResourceClass]int64) []placement.ResourceClass {
	return slices.SortedFunc(maps.Keys(amounts), kinds.CompareClasses)
}

// kilobits returns a bandwidth: 200M, or 1500k.
func kilobits(n int64) string {
	if n%1000 == 0 && n != 0 {
		return strconv.FormatInt(n/1000, 10) + "M"
	}
	return strconv.FormatInt(n, 10) + "k"
}
