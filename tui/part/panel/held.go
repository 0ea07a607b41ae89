package panel

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// holding is how much of one class a consumer holds.
type holding struct {
	class placement.ResourceClass
	used  int64
}

// Held returns what c holds on p, or everywhere where p is nil, in short:
// "VGPU 2  8C 64G  80G disk". c must be a consumer of s.
func Held(s *placement.Snapshot, c *placement.Consumer, p *placement.ResourceProvider) string {
	return string(AppendHeld(nil, s, c, p))
}

// AppendHeld appends what Held returns.
func AppendHeld(b []byte, s *placement.Snapshot, c *placement.Consumer, p *placement.ResourceProvider) []byte {
	var room [8]holding
	held := room[:0]
	for a := range s.Allocations(c) {
		if p != nil && a.Provider.ID() != p.ID() {
			continue
		}
		class := s.ClassName(a.Class)
		i := slices.IndexFunc(held, func(h holding) bool { return h.class == class })
		if i < 0 {
			i = len(held)
			held = append(held, holding{class: class})
		}
		held[i].used += a.Used
	}
	return appendHoldings(b, held)
}

// AddHeld draws what Held returns. Where there is no room for it, custom classes lose their
// common prefix: the end tells them apart.
func AddHeld(l *component.Line, t themes.Token, s *placement.Snapshot, c *placement.Consumer, p *placement.ResourceProvider) {
	var room [96]byte
	addAmounts(l, t, AppendHeld(room[:0], s, c, p))
}

// AddAmounts draws amounts as Amounts returns them, as AddHeld does in less room than they
// need.
func AddAmounts(l *component.Line, t themes.Token, amounts string) {
	if component.Width(l.Styles(), amounts) <= l.Left() {
		l.Add(t, amounts)
		return
	}
	addAmounts(l, t, []byte(amounts))
}

func addAmounts(l *component.Line, t themes.Token, b []byte) {
	const custom = "CUSTOM_"
	if l.Left() < heldWidth {
		b = withoutDisk(b)
	}
	if len(b) > l.Left() && bytes.Contains(b, []byte(custom)) {
		b = bytes.ReplaceAll(b, []byte(custom), []byte(l.Styles().Glyphs.Ellipsis))
	}
	if len(b) > l.Left() {
		if short := bytes.ReplaceAll(b, []byte("  "), []byte(" ")); len(short) <= l.Left() {
			l.AddFitting(t, string(b), string(short))
			return
		}
	}
	if len(b) > l.Left() { // no amount is cut
		if end := bytes.LastIndexByte(b[:max(l.Left()-1, 0)], ' '); end > 0 {
			l.AddFitting(t, string(b), string(b[:end+1])+l.Styles().Glyphs.Ellipsis)
			return
		}
	}
	l.AddBytes(t, b)
}

// heldWidth is the width of what most instances with a GPU hold, in cells.
const heldWidth = 24

// withoutDisk leaves out the word disk behind an amount of memory: cores, memory and disk
// follow each other as in any list of flavors.
func withoutDisk(b []byte) []byte {
	rest, ok := bytes.CutSuffix(b, []byte(" disk"))
	i := bytes.LastIndex(rest, []byte("  "))
	if !ok || i < 1 || !bytes.ContainsAny(rest[i-1:i], "MGT") {
		return b
	}
	return append(rest[:i], rest[i+1:]...)
}

// Amounts returns amounts by class as Held does.
func Amounts(amounts map[placement.ResourceClass]int64) string {
	held := make([]holding, 0, len(amounts))
	for _, class := range slices.Sorted(maps.Keys(amounts)) {
		held = append(held, holding{class, amounts[class]})
	}
	return string(appendHoldings(nil, held))
}

// appendHoldings appends holdings in order of rank.
func appendHoldings(b []byte, held []holding) []byte {
	slices.SortStableFunc(held, func(x, y holding) int { return Rank(x.class) - Rank(y.class) })
	for i, h := range held {
		if i > 0 {
			b = append(b, "  "...)
			if h.class == placement.MemoryMB && held[i-1].class == placement.VCPU {
				b = b[:len(b)-1]
			}
		}
		switch h.class {
		case placement.VCPU:
			b = append(component.AppendCount(b, h.used), 'C')
		case placement.MemoryMB:
			b = component.AppendAmount(b, h.used, component.UnitMB)
		case placement.DiskGB:
			b = append(component.AppendAmount(b, h.used, component.UnitGB), " disk"...)
		case "NET_BW_EGR_KILOBIT_PER_SEC":
			b = append(appendKilobits(b, h.used), " egress"...)
		case "NET_BW_IGR_KILOBIT_PER_SEC":
			b = append(appendKilobits(b, h.used), " ingress"...)
		default:
			b = append(append(b, h.class...), ' ')
			b = component.AppendAmount(b, h.used, Unit(h.class))
		}
	}
	return b
}

// Rank orders classes by how much they tell about a consumer: what is scarce,
// accelerators and custom classes, before what everybody has, bandwidth last.
func Rank(c placement.ResourceClass) int { return kinds.Rank(c) }

// appendKilobits appends a bandwidth: 200M, or 1500k.
func appendKilobits(b []byte, n int64) []byte {
	if n%1000 == 0 && n != 0 {
		return append(strconv.AppendInt(b, n/1000, 10), 'M')
	}
	return append(strconv.AppendInt(b, n, 10), 'k')
}
