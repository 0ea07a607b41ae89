package devices

import (
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
)

// unitsOf returns the attach handles of a card as a load.
func unitsOf(d *cyborg.Device, at list.At) component.Load {
	return load(kinds.UnitsOf(at.Snap.Cyborg(), d), d, kinds.DeviceOwner(at, d))
}

// load returns units of an owner's as a bar shows them: free ones of a card in maintenance
// count as reserved.
func load(u kinds.Units, d *cyborg.Device, owner placement.Owner) component.Load {
	l := component.Load{Total: u.All, Capacity: u.All, Used: u.Used, Token: panel.Owner(owner).Token()}
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
	return load(kinds.PartUnits(at.Snap.Cyborg(), dep), d, kinds.PartOwner(at, dep))
}

// name returns the usual name of a card: host and address.
func name(d *cyborg.Device, at list.At) string { return kinds.Finder{Snapshot: at.Snap}.DeviceName(d) }

// drawUnits draws how many units are used as a number.
func drawUnits(l *component.Line, units component.Load) {
	l.Add(themes.Text, component.Count(units.Used)+"/"+component.Count(units.Total))
}
