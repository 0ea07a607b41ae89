package panel

import (
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// OwnerBadge draws shape and letter of an owner in three cells.
func OwnerBadge(l *component.Line, o placement.Owner) *component.Line {
	return l.Owner(Owner(o))
}

// Owner returns how an owner is drawn.
func Owner(o placement.Owner) style.Owner {
	switch o {
	case placement.OwnedByNova:
		return style.OwnerNova
	case placement.OwnedByCyborg:
		return style.OwnerCyborg
	case placement.OwnedByBoth:
		return style.OwnerBoth
	default:
		return style.OwnerNone
	}
}

// Severity returns how a severity is drawn.
func Severity(s audit.Severity) style.Severity {
	switch s {
	case audit.Critical:
		return style.SeverityCritical
	case audit.Warning:
		return style.SeverityWarn
	default:
		return style.SeverityInfo
	}
}

// Grade returns how a field that is this bad is drawn.
func Grade(g kinds.Grade) style.Severity {
	return [...]style.Severity{kinds.Notice: style.SeverityInfo, kinds.Warn: style.SeverityWarn, kinds.Critical: style.SeverityCritical}[g]
}

// Worst returns how the worst of findings is drawn.
func Worst(found []audit.Finding) style.Severity {
	worst := style.SeverityNone
	for _, f := range found {
		worst = max(worst, Severity(f.Severity))
	}
	return worst
}

// Unit returns what amounts of a class count.
func Unit(c placement.ResourceClass) component.Unit { return kinds.UnitOf(c) }

// noClass is the number of a class that no provider has.
const noClass placement.ClassID = -1

// ClassID returns the number of a class, or one that no provider has where the
// cloud does not know the class: it may be deleted while it is shown.
func ClassID(s *placement.Snapshot, c placement.ResourceClass) placement.ClassID {
	if id, ok := s.ClassID(c); ok {
		return id
	}
	return noClass
}

// MainClass returns the class that says most about a list of providers: that of
// accelerators if there is one, else VCPU, else the first one in use.
func MainClass(s *placement.Snapshot) placement.ResourceClass {
	for _, c := range []placement.ResourceClass{placement.VGPU, placement.VCPU} {
		if id, ok := s.ClassID(c); ok && s.WithClass(id).Len() > 0 {
			return c
		}
	}
	for id, c := range s.Classes() {
		if s.WithClass(id).Len() > 0 {
			return c
		}
	}
	return placement.VCPU
}

// ClassesInUse returns the classes that some provider has, by number.
func ClassesInUse(s *placement.Snapshot) []placement.ResourceClass {
	var out []placement.ResourceClass
	for id, c := range s.Classes() {
		if s.WithClass(id).Len() > 0 {
			out = append(out, c)
		}
	}
	return out
}

// ShortName returns the name of p without the name of its parent or root in
// front, which is how services name what they put below a compute node:
// cmp-1_pci_0000_41_00_0, cmp-1:Open vSwitch agent:br-ex.
func ShortName(s *placement.Snapshot, p *placement.ResourceProvider) string {
	return kinds.ShortName(s, p)
}

// WithoutDomain returns the short name of a card without the domain 0000 of its PCI address,
// which lspci leaves out, too.
func WithoutDomain(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "pci_0000_"), "0000:")
}

// Path returns the names from the root down to p, short below the root.
func Path(s *placement.Snapshot, p *placement.ResourceProvider) []string {
	var path []string
	for {
		path = append(path, ShortName(s, p))
		up, ok := s.Parent(p)
		if !ok {
			slices.Reverse(path)
			return path
		}
		p = up
	}
}

// ConsumerName returns what people call a consumer: the name of its instance, or
// what its migration moves, or its uuid.
func ConsumerName(s *cloud.Snapshot, id placement.ConsumerID) string { return ops.ConsumerName(s, id) }

// Age returns how long ago t was, "-" if unknown. A time to come is told as one: it comes
// from another clock, which is wrong if it is more than a little ahead.
func Age(now, t time.Time) string {
	switch ahead := t.Sub(now); {
	case t.IsZero():
		return "-"
	case ahead >= time.Minute:
		return "in " + component.Age(ahead)
	}
	return component.Age(max(now.Sub(t), 0))
}

// Since is Age for a time in milliseconds since 1970, 0 if unknown.
func Since(now time.Time, ms int64) string {
	if ms == 0 {
		return Age(now, time.Time{})
	}
	return Age(now, time.UnixMilli(ms))
}
