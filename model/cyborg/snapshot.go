package cyborg

import (
	"fmt"
	"iter"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Snapshot is Cyborg's whole ledger as an immutable value.
type Snapshot struct {
	rows
}

// rows are the records of the ledger, which other packages see only through Held and
// Records.
type rows = *ledger.Ledger

// The names of the indexes.
const (
	byHost       = "host"
	byDevice     = "device"
	byDeployable = "deployable"
	byProvider   = "provider"
	byInstance   = "instance"
	byName       = "name"
)

// layout describes the records of Cyborg's ledger. Records refer to earlier kinds.
//
//nolint:gochecknoglobals // a table that nothing writes
var layout = ledger.NewLayout("Cyborg",
	ledger.First[Device](KindDevice, since, "the cards",
		ledger.ByText(byHost, func(d *Device) string { return d.Hostname })),
	ledger.First[ControlPath](KindControlPath, since, "how a host reaches a card",
		ledger.ByID(byDevice, func(p *ControlPath) uuid.UUID { return p.Device })),
	ledger.First[Deployable](KindDeployable, since, "which parts of a card are providers",
		ledger.ByID(byDevice, func(d *Deployable) uuid.UUID { return d.Device }),
		ledger.ByID(byProvider, func(d *Deployable) placement.ProviderID { return d.Provider })),
	ledger.First[Attribute](KindAttribute, since, "class and traits of a deployable",
		ledger.ByID(byDeployable, func(a *Attribute) uuid.UUID { return a.Deployable })),
	ledger.First[AttachHandle](KindAttachHandle, since, "what is attached to a guest",
		ledger.ByID(byDeployable, func(h *AttachHandle) uuid.UUID { return h.Deployable })),
	ledger.First[DeviceProfile](KindDeviceProfile, since, "what a flavor asks of Cyborg",
		ledger.ByText(byName, func(p *DeviceProfile) string { return p.Name })),
	ledger.First[ARQ](KindARQ, since, "which request has which attach handle",
		ledger.ByID(byInstance, func(a *ARQ) placement.ConsumerID { return a.Instance }),
		ledger.ByID(byProvider, func(a *ARQ) placement.ProviderID { return a.Provider })),
)

// since is the date of the kinds' first version.
const since = "2026-11-21"

// Schemas returns how Cyborg's records are written and read.
func Schemas() []versioned.Schema { return layout.Schemas() }

// Empty returns a ledger without records.
func Empty() *Snapshot { return &Snapshot{rows: layout.Empty()} }

// Load returns the ledger that consists of records, as ledger.Rules has it.
func Load(records []versioned.Record) (*Snapshot, error) { return rules().Load(records) }

// Apply returns the Snapshot after c and the records that it changes, sorted by kind and
// key. A change that alters nothing returns s itself. Errors match placement.ErrConflict
// if a record is not as c found it, or a name is taken, or placement.ErrInvalid.
func (s *Snapshot) Apply(c Change) (*Snapshot, []versioned.Change, error) {
	return rules().Apply(s, s.rows, c)
}

// Back returns the Snapshot before the given changes, which led to s, with their
// records turned around already. The rules between records are not asked. Errors: those
// of PutRecords.
func (s *Snapshot) Back(turned []versioned.Change) (*Snapshot, error) {
	return rules().Back(s.rows, turned)
}

func rules() ledger.Rules[*Snapshot] {
	return ledger.Rules[*Snapshot]{
		Layout: layout,
		Wrap:   func(rows *ledger.Ledger) *Snapshot { return &Snapshot{rows: rows} },
		Do:     ledger.Verbs(applier.apply),
		Admit:  admit,
	}
}

// admit checks that a changed record fits the other records of next.
func admit(_, next *Snapshot, c versioned.Change) error {
	p, ok := c.After.(*DeviceProfile)
	if !ok {
		return nil
	}
	for other := range ledger.By[*DeviceProfile](next.rows, KindDeviceProfile, byName, p.Name) {
		if other.UUID != p.UUID {
			return fmt.Errorf("there is already a device profile %q: %w", p.Name, placement.ErrConflict)
		}
	}
	return nil
}

// Devices yields the devices by uuid.
func (s *Snapshot) Devices() iter.Seq[*Device] { return ledger.All[*Device](s.rows, KindDevice) }

// Device returns the device with the given uuid. It must not be changed.
func (s *Snapshot) Device(id uuid.UUID) (*Device, bool) {
	return ledger.Get[*Device](s.rows, KindDevice, string(id[:]))
}

// DevicesOn yields the devices of a host by uuid.
func (s *Snapshot) DevicesOn(host string) iter.Seq[*Device] {
	return ledger.By[*Device](s.rows, KindDevice, byHost, host)
}

// AddressOf returns the PCI address by which a device is controlled, "" if it has
// none.
func (s *Snapshot) AddressOf(device uuid.UUID) string {
	for path := range s.ControlPathsOf(device) {
		if at := path.Address(); at != "" {
			return at
		}
	}
	return ""
}

// ControlPathsOf yields the control paths of a device: one.
func (s *Snapshot) ControlPathsOf(device uuid.UUID) iter.Seq[*ControlPath] {
	return ledger.By[*ControlPath](s.rows, KindControlPath, byDevice, device.String())
}

// Deployables yields the deployables by uuid.
func (s *Snapshot) Deployables() iter.Seq[*Deployable] {
	return ledger.All[*Deployable](s.rows, KindDeployable)
}

// Deployable returns the deployable with the given uuid. It must not be changed.
func (s *Snapshot) Deployable(id uuid.UUID) (*Deployable, bool) {
	return ledger.Get[*Deployable](s.rows, KindDeployable, string(id[:]))
}

// DeployablesOf yields the deployables of a device by uuid.
func (s *Snapshot) DeployablesOf(device uuid.UUID) iter.Seq[*Deployable] {
	return ledger.By[*Deployable](s.rows, KindDeployable, byDevice, device.String())
}

// DeployableAt returns the deployable that is the given resource provider.
func (s *Snapshot) DeployableAt(provider placement.ProviderID) (*Deployable, bool) {
	for d := range ledger.By[*Deployable](s.rows, KindDeployable, byProvider, provider.String()) {
		return d, true
	}
	return nil, false
}

// Disabled reports whether the device of a deployable is out of service: Cyborg reserves
// all of it until it is enabled.
//
// Source: cyborg/conductor/manager.py, device disable.
func (s *Snapshot) Disabled(d *Deployable) bool {
	dev, known := s.Device(d.Device)
	return known && dev.Status == Maintaining
}

// AttributesOf yields the attributes of a deployable by uuid.
func (s *Snapshot) AttributesOf(deployable uuid.UUID) iter.Seq[*Attribute] {
	return ledger.By[*Attribute](s.rows, KindAttribute, byDeployable, deployable.String())
}

// AttachHandle returns the attach handle with the given uuid. It must not be
// changed.
func (s *Snapshot) AttachHandle(id uuid.UUID) (*AttachHandle, bool) {
	return ledger.Get[*AttachHandle](s.rows, KindAttachHandle, string(id[:]))
}

// AttachHandlesOf yields the attach handles of a deployable by uuid.
func (s *Snapshot) AttachHandlesOf(deployable uuid.UUID) iter.Seq[*AttachHandle] {
	return ledger.By[*AttachHandle](s.rows, KindAttachHandle, byDeployable, deployable.String())
}

// DeviceProfiles yields the device profiles by uuid.
func (s *Snapshot) DeviceProfiles() iter.Seq[*DeviceProfile] {
	return ledger.All[*DeviceProfile](s.rows, KindDeviceProfile)
}

// DeviceProfile returns the device profile with the given name. It must not be
// changed.
func (s *Snapshot) DeviceProfile(name string) (*DeviceProfile, bool) {
	for p := range ledger.By[*DeviceProfile](s.rows, KindDeviceProfile, byName, name) {
		return p, true
	}
	return nil, false
}

// ARQs yields the accelerator requests by uuid.
func (s *Snapshot) ARQs() iter.Seq[*ARQ] { return ledger.All[*ARQ](s.rows, KindARQ) }

// ARQ returns the accelerator request with the given uuid. It must not be changed.
func (s *Snapshot) ARQ(id uuid.UUID) (*ARQ, bool) {
	return ledger.Get[*ARQ](s.rows, KindARQ, string(id[:]))
}

// ARQsOf yields the accelerator requests of an instance, or those that a migration
// holds for one, by uuid.
func (s *Snapshot) ARQsOf(instance placement.ConsumerID) iter.Seq[*ARQ] {
	return ledger.By[*ARQ](s.rows, KindARQ, byInstance, instance.String())
}

// ARQsAt yields the accelerator requests that are bound to a resource provider, or
// about to be, by uuid.
func (s *Snapshot) ARQsAt(provider placement.ProviderID) iter.Seq[*ARQ] {
	return ledger.By[*ARQ](s.rows, KindARQ, byProvider, provider.String())
}
