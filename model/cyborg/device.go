package cyborg

import (
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The kinds of records of a card.
const (
	KindDevice       versioned.Kind = "device"
	KindControlPath  versioned.Kind = "controlpath_id"
	KindDeployable   versioned.Kind = "deployable"
	KindAttribute    versioned.Kind = "attribute"
	KindAttachHandle versioned.Kind = "attach_handle"
)

// Device is one card of a host.
//
// Source: cyborg/objects/device.py.
type Device struct {
	UUID            uuid.UUID    `json:"uuid" cbor:"1,keyasint"`
	Type            DeviceType   `json:"type" cbor:"2,keyasint"`
	Vendor          string       `json:"vendor" cbor:"3,keyasint"` // PCI vendor id, such as 10de
	Model           string       `json:"model" cbor:"4,keyasint"`
	Hostname        string       `json:"hostname" cbor:"5,keyasint"`
	Status          DeviceStatus `json:"status" cbor:"6,keyasint"`
	StdBoardInfo    string       `json:"std_board_info,omitempty" cbor:"7,keyasint,omitempty"`    // JSON
	VendorBoardInfo string       `json:"vendor_board_info,omitempty" cbor:"8,keyasint,omitempty"` // JSON
	Created         int64        `json:"created_at_ms,omitempty" cbor:"9,keyasint,omitempty"`
}

// DeviceType is what a card is for.
type DeviceType string

// The types.
const (
	GPU    DeviceType = "GPU"
	FPGA   DeviceType = "FPGA"
	AIChip DeviceType = "AICHIP"
	QAT    DeviceType = "QAT"
	NIC    DeviceType = "NIC"
	SSD    DeviceType = "SSD"
)

// DeviceStatus says whether a card may be used.
type DeviceStatus string

// The statuses.
const (
	Enabled     DeviceStatus = "enabled"
	Maintaining DeviceStatus = "maintaining" // all of its inventory is reserved
)

// ControlPath is how the host controls a card, and how the card is recognised.
//
// Source: cyborg/objects/control_path.py, ControlpathID.
type ControlPath struct {
	UUID   uuid.UUID `json:"uuid" cbor:"1,keyasint"`
	Device uuid.UUID `json:"device_uuid" cbor:"2,keyasint"`
	Type   string    `json:"cpid_type" cbor:"3,keyasint"` // PCI
	Info   string    `json:"cpid_info" cbor:"4,keyasint"` // JSON with sorted keys: bus, device, domain, function
}

// Deployable is the part of a card that can be handed out: one resource provider.
//
// Source: cyborg/objects/deployable.py.
type Deployable struct {
	UUID         uuid.UUID            `json:"uuid" cbor:"1,keyasint"`
	Device       uuid.UUID            `json:"device_uuid" cbor:"2,keyasint"`
	Parent       uuid.UUID            `json:"parent_uuid,omitzero" cbor:"3,keyasint"`
	Root         uuid.UUID            `json:"root_uuid,omitzero" cbor:"4,keyasint"`
	Name         string               `json:"name" cbor:"5,keyasint"` // HOST_0000:af:00.0
	Accelerators int64                `json:"num_accelerators" cbor:"6,keyasint"`
	Driver       string               `json:"driver_name" cbor:"7,keyasint"`
	Provider     placement.ProviderID `json:"rp_uuid,omitzero" cbor:"8,keyasint"` // zero until it is reported
	Bitstream    string               `json:"bitstream_id,omitempty" cbor:"9,keyasint,omitempty"`
}

// Attribute is a property of a deployable: its resource class under the key "rc", its
// traits under "trait0", "trait1" and so on.
//
// Source: cyborg/objects/attribute.py.
type Attribute struct {
	UUID       uuid.UUID `json:"uuid" cbor:"1,keyasint"`
	Deployable uuid.UUID `json:"deployable_uuid" cbor:"2,keyasint"`
	Key        string    `json:"key" cbor:"3,keyasint"`
	Value      string    `json:"value" cbor:"4,keyasint"`
}

// AttachHandle is one unit that can be attached to a guest.
//
// Source: cyborg/objects/attach_handle.py.
type AttachHandle struct {
	UUID        uuid.UUID  `json:"uuid" cbor:"1,keyasint"` // of the mdev too
	Deployable  uuid.UUID  `json:"deployable_uuid" cbor:"2,keyasint"`
	ControlPath uuid.UUID  `json:"cpid_uuid" cbor:"3,keyasint"`
	Type        AttachType `json:"attach_type" cbor:"4,keyasint"`
	Info        string     `json:"attach_info" cbor:"5,keyasint"` // JSON with sorted keys
	InUse       bool       `json:"in_use" cbor:"6,keyasint"`
}

// AttachType is how a unit is attached.
type AttachType string

// The types.
const (
	AttachPCI     AttachType = "PCI"
	AttachMdev    AttachType = "MDEV"
	AttachTestPCI AttachType = "TEST_PCI"
)

// RecordKind implements versioned.Record.
func (*Device) RecordKind() versioned.Kind { return KindDevice }

// RecordKey implements versioned.Record.
func (d *Device) RecordKey() []byte { return slices.Clone(d.UUID[:]) }

// Validate implements ledger.Row: a device has a uuid and a host.
func (d *Device) Validate() error { return needs("device", d.UUID, d.Hostname, "hostname") }

// Edit returns a copy of d as edit leaves it.
func (d *Device) Edit(edit func(*Device)) *Device { return versioned.Edited(d, edit) }

// RecordKind implements versioned.Record.
func (*ControlPath) RecordKind() versioned.Kind { return KindControlPath }

// RecordKey implements versioned.Record.
func (c *ControlPath) RecordKey() []byte { return slices.Clone(c.UUID[:]) }

// Validate implements ledger.Row: a control path has a uuid and a content.
func (c *ControlPath) Validate() error { return needs("control path", c.UUID, c.Info, "cpid_info") }

// Address returns the PCI address of the card, "" if the path has none.
func (c *ControlPath) Address() string { return addressIn(describe(c.Info).fields) }

// addressIn returns the PCI address in the info of a control path or an attach
// handle, or "" if there is none.
func addressIn(info map[string]string) string {
	if info["bus"] == "" {
		return ""
	}
	return info["domain"] + ":" + info["bus"] + ":" + info["device"] + "." + info["function"]
}

// RecordKind implements versioned.Record.
func (*Deployable) RecordKind() versioned.Kind { return KindDeployable }

// RecordKey implements versioned.Record.
func (d *Deployable) RecordKey() []byte { return slices.Clone(d.UUID[:]) }

// RecordName implements versioned.Named.
func (d *Deployable) RecordName() string { return d.Name }

// Validate implements ledger.Row: a deployable has a uuid and a name.
func (d *Deployable) Validate() error { return needs("deployable", d.UUID, d.Name, "name") }

// Edit returns a copy of d as edit leaves it.
func (d *Deployable) Edit(edit func(*Deployable)) *Deployable { return versioned.Edited(d, edit) }

// RecordKind implements versioned.Record.
func (*Attribute) RecordKind() versioned.Kind { return KindAttribute }

// RecordKey implements versioned.Record.
func (a *Attribute) RecordKey() []byte { return slices.Clone(a.UUID[:]) }

// Validate implements ledger.Row: an attribute has a uuid and a key.
func (a *Attribute) Validate() error { return needs("attribute", a.UUID, a.Key, "key") }

// RecordKind implements versioned.Record.
func (*AttachHandle) RecordKind() versioned.Kind { return KindAttachHandle }

// RecordKey implements versioned.Record.
func (h *AttachHandle) RecordKey() []byte { return slices.Clone(h.UUID[:]) }

// Validate implements ledger.Row: an attach handle has a uuid and a type.
func (h *AttachHandle) Validate() error {
	return needs("attach handle", h.UUID, string(h.Type), "attach_type")
}

// Unit returns the display name of the handle's unit: an mdev by type and number, such
// as "nvidia-222_0", anything else by its PCI address; "" if the info has neither.
func (h *AttachHandle) Unit() string {
	info := describe(h.Info)
	if info.mark >= 0 {
		return info.fields[askedType] + "_" + strconv.Itoa(info.mark)
	}
	return addressIn(info.fields)
}

// Edit returns a copy of h as edit leaves it.
func (h *AttachHandle) Edit(edit func(*AttachHandle)) *AttachHandle { return versioned.Edited(h, edit) }

// needs returns an error unless a record has a uuid and a text.
func needs(what string, id uuid.UUID, value, field string) error {
	if id == uuid.Nil || value == "" {
		return placement.Invalid(what, id.String(), "needs a uuid and "+field)
	}
	return nil
}
