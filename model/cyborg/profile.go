package cyborg

import (
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned"
)

// KindDeviceProfile is the kind of DeviceProfile.
const KindDeviceProfile versioned.Kind = "device_profile"

// DeviceProfile is what a flavor asks Cyborg for; the flavor's accel:device_profile names
// it.
//
// Source: cyborg/objects/device_profile.py.
type DeviceProfile struct {
	UUID        uuid.UUID           `json:"uuid" cbor:"1,keyasint"`
	Name        string              `json:"name" cbor:"2,keyasint"`
	Groups      []map[string]string `json:"groups" cbor:"3,keyasint"` // resources:CLASS, trait:NAME, accel:KEY
	Description string              `json:"description,omitempty" cbor:"4,keyasint,omitempty"`
	Created     int64               `json:"created_at_ms,omitempty" cbor:"5,keyasint,omitempty"`
}

// RecordKind implements versioned.Record.
func (*DeviceProfile) RecordKind() versioned.Kind { return KindDeviceProfile }

// RecordKey implements versioned.Record.
func (p *DeviceProfile) RecordKey() []byte { return slices.Clone(p.UUID[:]) }

// RecordName implements versioned.Named.
func (p *DeviceProfile) RecordName() string { return p.Name }

// Validate implements ledger.Row: a profile has a uuid and a name.
func (p *DeviceProfile) Validate() error { return needs("device profile", p.UUID, p.Name, "name") }
