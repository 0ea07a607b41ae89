package cyborg

import (
	"fmt"
	"iter"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Change is what to write: records, each guarded by the record that it replaces.
type Change = ledger.Change

// Snapshot is Cyborg's whole ledger as an immutable value.
type Snapshot struct {
	rows *ledger.Ledger
}

// The names of the indexes.
const (
	byHost       = "host"
	byDevice     = "device"
	byDeployable = "deployable"
	byProvider   = "provider"
	byInstance   = "instance"
	byName       = "name"
)

// layout is what Cyborg's ledger is made of. Records refer to kinds before theirs.
//
//nolint:gochecknoglobals // a table that nothing writes
var layout = ledger.NewLayout("Cyborg",
	kind(KindDevice, func() versioned.Record { return new(Device) }, "which cards there are",
		ledger.Index{Name: byHost, Keys: func(r ledger.Row) []string { return text(r.(*Device).Hostname) }}),
	kind(KindControlPath, func() versioned.Record { return new(ControlPath) }, "how a host reaches a card",
		ledger.Index{Name: byDevice, Keys: func(r ledger.Row) []string { return id(r.(*ControlPath).Device) }}),
	kind(KindDeployable, func() versioned.Record { return new(Deployable) }, "what of a card is a provider",
		ledger.Index{Name: byDevice, Keys: func(r ledger.Row) []string { return id(r.(*Deployable).Device) }},
		ledger.Index{Name: byProvider, Keys: func(r ledger.Row) []string { return id(uuid.UUID(r.(*Deployable).Provider)) }}),
	kind(KindAttribute, func() versioned.Record { return new(Attribute) }, "class and traits of a deployable",
		ledger.Index{Name: byDeployable, Keys: func(r ledger.Row) []string { return id(r.(*Attribute).Deployable) }}),
	kind(KindAttachHandle, func() versioned.Record { return new(AttachHandle) }, "what is handed to a guest",
		ledger.Index{Name: byDeployable, Keys: func(r ledger.Row) []string { return id(r.(*AttachHandle).Deployable) }}),
	kind(KindDeviceProfile, func() versioned.Record { return new(DeviceProfile) }, "what a flavor asks of Cyborg",
		ledger.Index{Name: byName, Keys: func(r ledger.Row) []string { return text(r.(*DeviceProfile).Name) }}),
	kind(KindARQ, func() versioned.Record { return new(ARQ) }, "who has which attach handle",
		ledger.Index{Name: byInstance, Keys: func(r ledger.Row) []string { return id(uuid.UUID(r.(*ARQ).Instance)) }},
		ledger.Index{Name: byProvider, Keys: func(r ledger.Row) []string { return id(uuid.UUID(r.(*ARQ).Provider)) }}),
)

func kind(name versioned.Kind, empty func() versioned.Record, why string, indexes ...ledger.Index) ledger.Kind {
	v1 := versioned.Version{Major: 1}
	return ledger.Kind{
		Schema:  versioned.Schema{Kind: name, Version: v1, New: empty, History: []versioned.Note{{Version: v1, Date: "2026-11-21", Why: why}}},
		Indexes: indexes,
	}
}

// text returns what a row is found by: s, or nothing where it is empty.
func text(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// id is text for uuids.
func id(u uuid.UUID) []string {
	if u == uuid.Nil {
		return nil
	}
	return []string{u.String()}
}

// Schemas returns how Cyborg's records are written and read.
func Schemas() []versioned.Schema { return layout.Schemas() }

// Empty returns a ledger without records.
func Empty() *Snapshot { return &Snapshot{rows: layout.Empty()} }

// Load returns the ledger that consists of records, which may come in any order;
// it is fastest in the order of Snapshot.Records. Errors match
// placement.ErrInvalid or, where two records have the same key,
// placement.ErrConflict.
func Load(records []versioned.Record) (*Snapshot, error) {
	rows, err := layout.Load(records)
	if err != nil {
		return nil, err
	}
	return &Snapshot{rows: rows}, nil
}

// Apply returns the Snapshot after c and the records that it changes, sorted by
// kind and key. A change that alters nothing returns s itself. Errors match
// placement.ErrConflict where a record is not as c found it, or where a name is
// taken, or placement.ErrInvalid.
func (s *Snapshot) Apply(c Change) (*Snapshot, []versioned.Change, error) {
	rows, done, err := s.rows.Apply(c)
	if err != nil {
		return nil, nil, err
	}
	if len(done) == 0 {
		return s, nil, nil
	}
	next := &Snapshot{rows: rows}
	for _, ch := range done {
		if err := next.admit(ch); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", ch.Title(), err)
		}
	}
	return next, done, nil
}

// admit checks the rules between records for one that was changed, on the outcome.
func (s *Snapshot) admit(c versioned.Change) error {
	p, ok := c.After.(*DeviceProfile)
	if !ok {
		return nil
	}
	for other := range ledger.By[*DeviceProfile](s.rows, KindDeviceProfile, byName, p.Name) {
		if other.UUID != p.UUID {
			return fmt.Errorf("there is another device profile %q: %w", p.Name, placement.ErrConflict)
		}
	}
	return nil
}

// Held implements ledger.Holder.
func (s *Snapshot) Held(r versioned.Record) versioned.Record { return s.rows.Held(r) }

// Records yields the whole ledger as records, in the order of Schemas, by key.
func (s *Snapshot) Records() iter.Seq[versioned.Record] { return s.rows.Records() }

// Devices yields the devices by uuid.
func (s *Snapshot) Devices() iter.Seq[*Device] { return ledger.All[*Device](s.rows, KindDevice) }

// DeviceCount returns how many devices there are.
func (s *Snapshot) DeviceCount() int { return s.rows.Len(KindDevice) }

// Device returns the device with the given uuid. It must not be changed.
func (s *Snapshot) Device(id uuid.UUID) (*Device, bool) {
	return ledger.Get[*Device](s.rows, KindDevice, string(id[:]))
}

// DevicesOn yields the devices of a host by uuid.
func (s *Snapshot) DevicesOn(host string) iter.Seq[*Device] {
	return ledger.By[*Device](s.rows, KindDevice, byHost, host)
}

// AddressOf returns the PCI address by which a device is controlled, "" where it
// has none.
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
