package devices

import (
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// unitsOf returns the attach handles of a card as a load.
func unitsOf(d *cyborg.Device, at list.At) component.Load {
	return load(kinds.UnitsOf(at.Snap.Cyborg(), d), d)
}

// load returns units as a bar shows them: free ones of a card in maintenance count as
// reserved.
func load(u kinds.Units, d *cyborg.Device) component.Load {
	l := component.Load{Total: u.All, Capacity: u.All, Used: u.Used}
	if d.Status == cyborg.Maintaining {
		l.Reserved, l.Capacity = u.All-u.Used, u.Used
	}
	return l
}

// partLoad returns the attach handles of a part of a card as a load.
func partLoad(dep *cyborg.Deployable, at list.At) component.Load {
	d, ok := at.Snap.Cyborg().Device(dep.Device)
	if !ok {
		d = &cyborg.Device{}
	}
	return load(kinds.PartUnits(at.Snap.Cyborg(), dep), d)
}

// name returns the usual name of a card: host and address.
func name(d *cyborg.Device, at list.At) string { return kinds.Finder{Snapshot: at.Snap}.DeviceName(d) }

// severity marks inconsistent cards, and those out of service.
func severity(d *cyborg.Device, at list.At) style.Severity {
	switch {
	case kinds.DeviceFault(at, d) != "" || kinds.DeviceOwner(at, d) == placement.OwnedByBoth:
		return style.SeverityCritical
	case d.Status == cyborg.Maintaining:
		return style.SeverityInfo
	}
	return style.SeverityNone
}

// drawUnits draws how many units are used as a number.
func drawUnits(l *component.Line, units component.Load) {
	var buf [64]byte
	b := append(component.AppendCount(buf[:0], units.Used), '/')
	l.AddBytes(themes.Text, component.AppendCount(b, units.Total))
}

// detail shows the parts of a card, and its problems.
func detail(d *cyborg.Device, a list.Area) []string {
	var lines []string
	if fault := kinds.DeviceFault(a.At, d); fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, fault))
	}
	if d.Status == cyborg.Maintaining {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Warn, " in maintenance: nothing new lands here, what is here stays"))
	}
	parts := kinds.Of(kinds.Devices).Parts[0].Kind
	for dep := range a.Snap.Cyborg().DeployablesOf(d.UUID) {
		fact, l := list.Facts(parts, a.At, dep), a.Line().Space(1)
		component.OwnerBadge(l, panel.Owner(kinds.PartOwner(a.At, dep))).Space(1).Cell(min(max(a.Width/3, 20), 50)).Add(themes.Text, fact("provider")).EndCell(component.AlignLeft)
		l.Space(2).Add(themes.Dim, fact("class")).Space(1)
		drawUnits(l, partLoad(dep, a.At))
		lines = append(lines, l.String())
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}
