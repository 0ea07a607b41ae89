package cyborg

import (
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// KindARQ is the kind of ARQ.
const KindARQ versioned.Kind = "arq"

// ARQ is an accelerator request: one unit wanted by an instance, and, once bound,
// the attach handle that it got.
//
// Source: cyborg/objects/arq.py and cyborg/objects/ext_arq.py.
type ARQ struct {
	UUID         uuid.UUID            `json:"uuid" cbor:"1,keyasint"`
	State        ARQState             `json:"state" cbor:"2,keyasint"`
	Profile      string               `json:"device_profile_name" cbor:"3,keyasint"`
	Group        int64                `json:"device_profile_group_id" cbor:"4,keyasint"`
	Hostname     string               `json:"hostname,omitempty" cbor:"5,keyasint,omitempty"`
	Provider     placement.ProviderID `json:"device_rp_uuid,omitzero" cbor:"6,keyasint"`
	Instance     placement.ConsumerID `json:"instance_uuid,omitzero" cbor:"7,keyasint"` // or the migration that holds it for one
	AttachHandle uuid.UUID            `json:"attach_handle_uuid,omitzero" cbor:"8,keyasint"`
	Project      string               `json:"project_id,omitempty" cbor:"9,keyasint,omitempty"`
	Created      int64                `json:"created_at_ms,omitempty" cbor:"10,keyasint,omitempty"`
	Fault        string               `json:"fault,omitempty" cbor:"11,keyasint,omitempty"` // why it could not be bound
	// BindStart is when Cyborg was asked to bind it, as long as the answer is out; 0
	// when unknown. Upstream it is updated_at of a request that is BindStarted.
	BindStart int64 `json:"bind_started_at_ms,omitempty" cbor:"12,keyasint,omitempty"`
}

// ARQState is the state of an accelerator request.
//
// Source: cyborg/common/constants.py, ARQ_STATES_TRANSFORM_MATRIX.
type ARQState string

// The states.
const (
	ARQInitial      ARQState = "Initial"
	ARQBindStarted  ARQState = "BindStarted"
	ARQBound        ARQState = "Bound"
	ARQBindFailed   ARQState = "BindFailed"
	ARQUnbound      ARQState = "Unbound"
	ARQUnbindFailed ARQState = "UnbindFailed"
	ARQDeleting     ARQState = "Deleting"
)

// RecordKind implements versioned.Record.
func (*ARQ) RecordKind() versioned.Kind { return KindARQ }

// RecordKey implements versioned.Record.
func (a *ARQ) RecordKey() []byte { return slices.Clone(a.UUID[:]) }

// Validate implements ledger.Row: an ARQ has a uuid and a state.
func (a *ARQ) Validate() error { return needs("accelerator request", a.UUID, string(a.State), "state") }

// BindStartedAt returns when Cyborg began to bind the request; the zero time if it is
// not binding, or that is unknown.
func (a *ARQ) BindStartedAt() time.Time { return versioned.Time(a.BindStart) }

// Edit returns a copy of a as edit leaves it.
func (a *ARQ) Edit(edit func(*ARQ)) *ARQ { return versioned.Edited(a, edit) }

// Asks names the group of a device profile that a is for: "t4-1", or "t4-pair 1" for a
// group other than the first.
func (a *ARQ) Asks() string {
	if a.Group == 0 {
		return a.Profile
	}
	return a.Profile + " " + strconv.FormatInt(a.Group, 10)
}

// UnitOf names the unit that a request got, "-" for none.
func (s *Snapshot) UnitOf(a *ARQ) string {
	if a.AttachHandle == uuid.Nil {
		return "-"
	}
	if h, ok := s.AttachHandle(a.AttachHandle); ok && h.Unit() != "" {
		return h.Unit()
	}
	return a.AttachHandle.String()
}
