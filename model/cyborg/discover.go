package cyborg

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Discovery is the outcome of one report of an agent, in Cyborg's ledger and in
// Placement. The two belong in one write.
type Discovery struct {
	Cyborg    []Op
	Placement []placement.Op
	Troubles  []Trouble
}

// Empty reports whether there is nothing to write.
func (d Discovery) Empty() bool { return len(d.Cyborg)+len(d.Placement) == 0 }

// Trouble is something that a report could not do, or that needs attention.
type Trouble struct {
	Kind TroubleKind
	Name string // of the deployable, or of the host
	Why  string
}

// TroubleKind is the kind of a Trouble.
type TroubleKind string

// The kinds.
const (
	NoRoot       TroubleKind = "no root provider" // nothing of the host can be reported
	NameTaken    TroubleKind = "name taken"       // another provider is in the way
	CountedTwice TroubleKind = "counted twice"    // there is another provider for the same PCI function
	StillUsed    TroubleKind = "still used"       // it is not reported any more, and cannot be removed
	ClassUsed    TroubleKind = "class still used" // the card has another class now, and the old one cannot be removed
	NoSuchTrait  TroubleKind = "unknown trait"    // a standard trait that this Placement does not know
)

// Discover returns the outcome of a report of all cards of a host. Cards are
// recognised by their control path, parts by their name; what has not changed is not
// written, so that a second report is empty.
//
// A part has as many attach handles as it has units, and never loses one that is in use.
// What is no longer there is removed with its provider; while attach handles of it are in
// use, or allocations exist, it shrinks to that, so that nothing new lands there.
//
// Each part is a provider below the one that has the name of the host, with its units as
// total and max_unit. Other fields of an inventory, other inventories and traits that are
// not the driver's stay as they are: operators make them. If no provider has the name of
// the host nothing is reported, and the Troubles say so.
//
// Errors match placement.ErrInvalid: a type that there is not, a PCI function that
// is given twice, units without end.
//
// Source: cyborg/agent/resource_tracker.py; cyborg/conductor/manager.py,
// report_data, drv_device_make_diff and provider_report.
func Discover(s *Snapshot, p *placement.Snapshot, host string, cards []Card) (Discovery, error) {
	if host == "" {
		return Discovery{}, invalid("host", "", "a report needs its host")
	}
	r := &report{s: s, host: host, placementWriter: newPlacementWriter(p, host), wanted: map[uuid.UUID]bool{}}
	if err := r.cards(cards); err != nil {
		return Discovery{}, err
	}
	r.vanished()
	verbs, err := s.altering(r.verbs)
	if err != nil {
		return Discovery{}, err
	}
	return Discovery{Cyborg: verbs, Placement: r.operations(), Troubles: r.troubles}, nil
}

// altering returns those verbs that change something when all are applied in order.
func (s *Snapshot) altering(verbs []Op) (out []Op, err error) {
	for _, op := range verbs {
		var done []versioned.Change
		if s, done, err = s.Apply(Change{Ops: []Op{op}}); err != nil {
			return nil, err
		}
		if len(done) > 0 {
			out = append(out, op)
		}
	}
	return out, nil
}

// report works out one Discovery.
type report struct {
	placementWriter

	s      *Snapshot
	host   string
	verbs  []Op
	wanted map[uuid.UUID]bool // reported devices and deployables
}

// cards records the reported cards and their parts.
func (r *report) cards(cards []Card) error {
	known := r.devices()
	names := map[string]bool{}
	for _, card := range cards {
		units, err := card.units(r.host)
		if err != nil {
			return err
		}
		info := controlPathInfo(card.Address)
		path, ok := known[info]
		switch {
		case !ok:
			path = &ControlPath{UUID: named("controlpath_id", r.host, info), Device: named("device", r.host, info), Type: "PCI", Info: info}
			known[info] = path
		case r.wanted[path.Device]:
			return invalid("PCI address", card.Address.String(), "is given to two cards")
		}
		r.wanted[path.Device] = true
		r.device(path, card)
		for _, u := range units {
			if names[u.name] {
				return invalid("PCI address", u.address.String(), "is given twice: one function has one type")
			}
			names[u.name] = true
			if u.part.Units > 0 {
				r.part(path, u)
			}
		}
	}
	return nil
}

// devices returns the control paths of the cards that the host had before, by info.
func (r *report) devices() map[string]*ControlPath {
	out := map[string]*ControlPath{}
	for d := range r.s.DevicesOn(r.host) {
		for path := range r.s.ControlPathsOf(d.UUID) {
			out[path.Info] = path
		}
	}
	return out
}

// device records one card.
func (r *report) device(path *ControlPath, card Card) {
	d := &Device{UUID: path.Device, Hostname: r.host}
	if was, ok := r.s.Device(path.Device); ok {
		d = was
	}
	r.verbs = append(r.verbs, ReportDevice{ControlPath: path, Device: d.Edit(func(d *Device) {
		d.Type, d.Vendor, d.Model = card.Type, card.Vendor, card.Model
		d.StdBoardInfo = infoText(map[string]string{"product_id": card.Product})
	})})
}

// part records one part of a card, in Placement too.
func (r *report) part(path *ControlPath, u unit) {
	was := r.deployableNamed(path.Device, u.name)
	d := &Deployable{UUID: named("deployable", path.Device.String(), u.name), Device: path.Device, Name: u.name}
	if was != nil {
		d = was
	}
	r.wanted[d.UUID] = true
	count, come, gone := r.handles(d.UUID, path.UUID, u)
	status := Enabled
	if card, ok := r.s.Device(path.Device); ok {
		status = card.Status
	}
	id := r.write(d, providerContent{
		class: u.class, traits: u.traits, before: r.s.reported(d.UUID).traits, total: count, drained: status == Maintaining,
	})
	r.verbs = append(r.verbs, ReportDeployable{
		Deployable: d.Edit(func(d *Deployable) { d.Accelerators, d.Driver, d.Provider = count, u.driver, id }),
		Attributes: u.attributes(), Handles: come, Gone: gone,
	})
}

// deployableNamed returns the deployable of a device with the given name, nil if there is
// none.
func (r *report) deployableNamed(device uuid.UUID, name string) *Deployable {
	for d := range r.s.DeployablesOf(device) {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// attributes returns the class and the traits of a unit as attributes.
func (u unit) attributes() map[string]string {
	out := map[string]string{classKey: string(u.class)}
	for n, t := range u.traits {
		out[fmt.Sprint(traitPrefix, n)] = string(t)
	}
	return out
}

// vanished removes what the host no longer has, unless it is in use.
func (r *report) vanished() {
	for device := range r.s.DevicesOn(r.host) {
		left := 0
		for d := range r.s.DeployablesOf(device.UUID) {
			if r.wanted[d.UUID] || !r.remove(d, device.Status) {
				left++
			}
		}
		if left > 0 || r.wanted[device.UUID] {
			continue
		}
		r.verbs = append(r.verbs, RemoveDevice{Device: device.UUID})
	}
}

// remove removes a deployable with its provider. If that is still in use it shrinks the
// deployable to what is used, and returns false.
func (r *report) remove(d *Deployable, status DeviceStatus) bool {
	var used int64
	var free []uuid.UUID
	for h := range r.s.AttachHandlesOf(d.UUID) {
		if h.InUse {
			used++
		} else {
			free = append(free, h.UUID)
		}
	}
	if !r.drop(d, used, r.s.reported(d.UUID).class, status == Maintaining) {
		r.verbs = append(r.verbs, ReportDeployable{Deployable: d.Edit(func(d *Deployable) { d.Accelerators = used }), Gone: free})
		return false
	}
	r.verbs = append(r.verbs, RemoveDeployable{Deployable: d.UUID})
	return true
}

// The keys of attributes.
//
// Source: cyborg/conductor/manager.py, drv_device_make_diff.
const (
	classKey    = "rc"
	traitPrefix = "trait"
)

// discoveryReport is the class and the traits that a deployable was reported with.
type discoveryReport struct {
	class  placement.ResourceClass // "" if it was not reported
	traits []placement.Trait
}

// reported returns what the attributes of a deployable say it was reported with.
func (s *Snapshot) reported(deployable uuid.UUID) discoveryReport {
	var out discoveryReport
	for a := range s.AttributesOf(deployable) {
		switch {
		case a.Key == classKey:
			out.class = placement.ResourceClass(a.Value)
		case strings.HasPrefix(a.Key, traitPrefix):
			out.traits = append(out.traits, placement.Trait(a.Value))
		}
	}
	return out
}
