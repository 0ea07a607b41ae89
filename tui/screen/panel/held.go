package panel

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/component"
)

// holding is how much of one class a consumer has.
type holding struct {
	class placement.ClassID
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
		i := slices.IndexFunc(held, func(h holding) bool { return h.class == a.Class })
		if i < 0 {
			i = len(held)
			held = append(held, holding{class: a.Class})
		}
		held[i].used += a.Used
	}
	slices.SortStableFunc(held, func(x, y holding) int { return Rank(s.ClassName(x.class)) - Rank(s.ClassName(y.class)) })
	for i, h := range held {
		class := s.ClassName(h.class)
		if i > 0 {
			b = append(b, "  "...)
			if class == placement.MemoryMB && s.ClassName(held[i-1].class) == placement.VCPU {
				b = b[:len(b)-1]
			}
		}
		switch class {
		case placement.VCPU:
			b = append(component.AppendCount(b, h.used), 'C')
		case placement.MemoryMB:
			b = component.AppendAmount(b, h.used, component.UnitMB)
		case placement.DiskGB:
			b = append(component.AppendAmount(b, h.used, component.UnitGB), " disk"...)
		default:
			b = append(append(b, class...), ' ')
			b = component.AppendAmount(b, h.used, Unit(class))
		}
	}
	return b
}

// Rank orders classes by how much they tell about a consumer: what is scarce,
// accelerators and custom classes, before what everybody has, bandwidth last.
func Rank(c placement.ResourceClass) int {
	if strings.HasPrefix(string(c), "NET_") {
		return 4
	}
	switch c {
	case placement.VCPU:
		return 1
	case placement.MemoryMB:
		return 2
	case placement.DiskGB:
		return 3
	default:
		return 0
	}
}
