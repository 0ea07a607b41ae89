package devices

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// device is a row: a card, and what its parts sum up to.
type device struct {
	*cyborg.Device
	address string
	owner   placement.Owner
	units   component.Load // attach handles
	fault   string         // what does not agree, "" where all does
}

// devices returns all cards, by uuid.
func devices(ctx context.Context, snap *cloud.Snapshot) []device {
	all := make([]device, 0, snap.Cyborg().DeviceCount())
	for d := range snap.Cyborg().Devices() {
		if len(all)%1024 == 0 && ctx.Err() != nil {
			return all
		}
		all = append(all, sum(snap, d))
	}
	return all
}

// sum adds up the parts of a card.
func sum(snap *cloud.Snapshot, d *cyborg.Device) device {
	at := kinds.At{Snap: snap}
	row := device{Device: d, address: snap.Cyborg().AddressOf(d.UUID), owner: kinds.DeviceOwner(at, d), fault: kinds.DeviceFault(at, d)}
	for dep := range snap.Cyborg().DeployablesOf(d.UUID) {
		row.units = row.units.Add(newPart(snap, d, dep).units)
	}
	return row
}

// part is what of a card can be handed out.
type part struct {
	*cyborg.Deployable
	provider string // its name
	class    string // that it says it has
	owner    placement.Owner
	units    component.Load
}

func newPart(snap *cloud.Snapshot, d *cyborg.Device, dep *cyborg.Deployable) part {
	p := part{Deployable: dep, provider: panel.ProviderName(snap.Placement(), dep.Provider)}
	for a := range snap.Cyborg().AttributesOf(dep.UUID) {
		if a.Key == "rc" {
			p.class = a.Value
		}
	}
	var total int64
	for range snap.Cyborg().AttachHandlesOf(dep.UUID) {
		total++
	}
	used, _ := snap.Cyborg().Units(dep)
	p.units = component.Load{Total: total, Capacity: total, Used: used}
	if d.Status == cyborg.Maintaining {
		p.units.Reserved, p.units.Capacity = total-used, used
	}
	if rp, ok := snap.Placement().Provider(dep.Provider); ok {
		p.owner = snap.Placement().Owner(rp)
	}
	return p
}

func (d device) host(list.At) string    { return d.Hostname }
func (d device) where(list.At) string   { return d.address }
func (d device) kind(list.At) string    { return string(d.Type) }
func (d device) model(list.At) string   { return d.Model }
func (d device) status(list.At) string  { return string(d.Status) }
func (d device) ownerOf(list.At) string { return d.owner.String() }

// name returns what people call a card: host and address.
func (d device) name() string { return d.Hostname + ":" + d.address }

// severity marks what does not agree, and cards that are closed.
func (d device) severity(list.At) style.Severity {
	switch {
	case d.fault != "" || d.owner == placement.OwnedByBoth:
		return style.SeverityCritical
	case d.Status == cyborg.Maintaining:
		return style.SeverityInfo
	}
	return style.SeverityNone
}

// statusToken is the colour of a status.
func statusToken(s cyborg.DeviceStatus) themes.Token {
	if s == cyborg.Maintaining {
		return themes.Warn
	}
	return themes.Text
}

// drawUnits draws how many of some units are used as a number.
func drawUnits(l *component.Line, units component.Load) {
	var buf [64]byte
	b := append(component.AppendCount(buf[:0], units.Used), '/')
	l.AddBytes(themes.Text, component.AppendCount(b, units.Total))
}

// detail is what a card is made of, and what is wrong with it.
func detail(d device, a list.Area) []string {
	var lines []string
	if d.fault != "" {
		lines = append(lines, panel.Fault(a.Styles, a.Width, d.fault))
	}
	if d.Status == cyborg.Maintaining {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Warn, " in maintenance: nothing new lands here, what is here stays"))
	}
	for dep := range a.Snap.Cyborg().DeployablesOf(d.UUID) {
		p := newPart(a.Snap, d.Device, dep)
		l := a.Line().Space(1)
		component.OwnerBadge(l, panel.Owner(p.owner)).Space(1).Cell(min(max(a.Width/3, 20), 50)).Add(themes.Text, p.provider).EndCell(component.AlignLeft)
		l.Space(2).Add(themes.Dim, p.class).Space(1)
		drawUnits(l, p.units)
		lines = append(lines, l.String())
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}
