package cyborg

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// BindTimeout is how long Cyborg waits for a device to be made for an accelerator
// request: one that is not Bound by then is BindFailed.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.job_monitor, with [DEFAULT]bind_timeout.
const BindTimeout = 60 * time.Second

// StartBind begins to bind all requests of an instance: each is BindStarted with an
// attach handle that is now reserved, or BindFailed with the reason as its Fault if
// none is free. FinishBind or FailBind come next, when the device has answered.
//
// Errors: placement.ErrInvalid if the instance, the host or the provider of a
// group is missing; placement.ErrNotFound for a request that does not exist;
// placement.ErrExists if the instance has other requests; a *TransitionError.
//
// Source: cyborg/api/controllers/v2/arqs.py, ARQsController.patch;
// cyborg/objects/ext_arq.py, ExtARQ.bind and _allocate_attach_handle.
type StartBind struct {
	verb
	ARQs []uuid.UUID // all that the instance shall have
	// Instance is the instance, or the migration under whose uuid a move keeps the
	// new ones as long as the instance has its old ones; see Rekey.
	Instance placement.ConsumerID
	Host     string
	// Mappings are those of the claim: which providers serve a request group, by
	// its suffix. Those of GroupSuffix have one provider each.
	Mappings map[string][]placement.ProviderID
}

// FinishBind makes the BindStarted requests of an instance Bound: the device is ready.
// If there are none, it changes nothing.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.bind.
type FinishBind struct {
	verb
	Instance placement.ConsumerID
}

// FailBind makes requests BindFailed because of Why, and frees their attach handles.
//
// Errors: placement.ErrNotFound; a *TransitionError.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.bind and update_check_state.
type FailBind struct {
	verb
	ARQs []uuid.UUID
	Why  string
}

// Unbind detaches requests from their instance and device, and frees their attach
// handles. Those already Unbound stay so.
//
// Errors: placement.ErrNotFound; a *TransitionError.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.unbind.
type Unbind struct {
	verb
	ARQs []uuid.UUID
}

// FailUnbind makes requests UnbindFailed because of Why: the device was not freed. Their
// attach handles stay in use, so that no other request gets them.
//
// Errors: placement.ErrNotFound; a *TransitionError.
//
// Source: cyborg/common/constants.py, ARQ_UNBIND_FAILED.
type FailUnbind struct {
	verb
	ARQs []uuid.UUID
	Why  string
}

// ForceUnbind makes requests Unbound whose unbind failed, on the word of an operator
// who has freed the device by hand. No API has it.
//
// Errors: placement.ErrNotFound; a *TransitionError for one in another state.
type ForceUnbind struct {
	verb
	ARQs []uuid.UUID
}

// Rekey gives requests another owner uuid: at the end of a move those kept under the
// migration become the instance's. No API has it: upstream moves no instance with
// accelerators.
//
// Errors: placement.ErrInvalid without a uuid to hand them to; placement.ErrNotFound.
type Rekey struct {
	verb
	ARQs []uuid.UUID
	To   placement.ConsumerID
}

func (op StartBind) String() string {
	return "bind " + requests(op.ARQs) + " on " + op.Host + " to " + op.Instance.String()
}

func (op FinishBind) String() string {
	return "the accelerator requests of " + op.Instance.String() + " are bound"
}

func (op FailBind) String() string    { return requests(op.ARQs) + " could not be bound: " + op.Why }
func (op Unbind) String() string      { return "unbind " + requests(op.ARQs) }
func (op FailUnbind) String() string  { return requests(op.ARQs) + " could not be unbound: " + op.Why }
func (op ForceUnbind) String() string { return "unbind " + requests(op.ARQs) + " by force" }
func (op Rekey) String() string       { return "hand " + requests(op.ARQs) + " to " + op.To.String() }

func (op StartBind) apply(e edit) error {
	switch {
	case op.Instance.IsZero():
		return &placement.InvalidError{Field: "instance_uuid", Why: "binding needs an instance"}
	case op.Host == "":
		return &placement.InvalidError{Field: "hostname", Why: "binding needs a host"}
	}
	for a := range e.Now.ARQsOf(op.Instance) {
		if !slices.Contains(op.ARQs, a.UUID) {
			return fmt.Errorf("%s already has accelerator request %s for device profile %s: %w; unbind it first, or bind the new ones to the uuid of the migration",
				op.Instance, a.UUID, a.Profile, placement.ErrExists)
		}
	}
	return eachARQ(e, op.ARQs, func(a *ARQ) error {
		suffix := GroupSuffix(a.Group)
		if len(op.Mappings[suffix]) == 0 || op.Mappings[suffix][0].IsZero() {
			return placement.Invalid("mappings", suffix, fmt.Sprintf("the claim names no provider for group %d of device profile %s", a.Group, a.Profile))
		}
		started, err := a.to(ARQBindStarted, func(a *ARQ) {
			a.Hostname, a.Provider, a.Instance, a.Fault = op.Host, op.Mappings[suffix][0], op.Instance, ""
			a.BindStart = versioned.Millis(e.At)
		})
		if err != nil {
			return err
		}
		handle, why := e.Now.freeHandle(started)
		if handle == nil {
			failed, err := started.to(ARQBindFailed, func(a *ARQ) { a.Fault = why })
			if err != nil {
				return err
			}
			return e.Put(failed)
		}
		started.AttachHandle = handle.UUID
		if err := e.Put(handle.Edit(func(h *AttachHandle) { h.InUse = true })); err != nil {
			return err
		}
		return e.Put(started)
	})
}

func (op FinishBind) apply(e edit) error {
	return eachARQ(e, e.Now.arqIDsOf(op.Instance), func(a *ARQ) error {
		if a.State != ARQBindStarted {
			return nil
		}
		return become(e, a, ARQBound, func(*ARQ) {})
	})
}

func (op FailBind) apply(e edit) error {
	return eachARQ(e, op.ARQs, func(a *ARQ) error {
		err := become(e, a, ARQBindFailed, func(a *ARQ) { a.AttachHandle, a.Fault = uuid.Nil, op.Why })
		if err != nil {
			return err
		}
		return free(e, a)
	})
}

func (op Unbind) apply(e edit) error {
	return eachARQ(e, op.ARQs, func(a *ARQ) error {
		if a.State == ARQUnbound {
			return nil
		}
		if err := become(e, a, ARQUnbound, (*ARQ).leave); err != nil {
			return err
		}
		return free(e, a)
	})
}

func (op FailUnbind) apply(e edit) error {
	return eachARQ(e, op.ARQs, func(a *ARQ) error {
		return become(e, a, ARQUnbindFailed, func(a *ARQ) { a.Fault = op.Why })
	})
}

func (op ForceUnbind) apply(e edit) error {
	return eachARQ(e, op.ARQs, func(a *ARQ) error {
		if a.State != ARQUnbindFailed {
			return &TransitionError{ARQ: a.UUID, From: a.State, To: ARQUnbound}
		}
		if err := free(e, a); err != nil {
			return err
		}
		return e.Put(a.Edit(func(a *ARQ) {
			a.State = ARQUnbound
			a.leave()
		}))
	})
}

func (op Rekey) apply(e edit) error {
	if op.To.IsZero() {
		return &placement.InvalidError{Field: "instance_uuid", Why: "the accelerator requests need a new owner"}
	}
	return eachARQ(e, op.ARQs, func(a *ARQ) error { return e.Put(a.Edit(func(a *ARQ) { a.Instance = op.To })) })
}

// become moves a request into a state, with the changes that change makes.
func become(e edit, a *ARQ, state ARQState, change func(*ARQ)) error {
	is, err := a.to(state, change)
	if err != nil {
		return err
	}
	return e.Put(is)
}

// free marks the attach handle of a, if it has one, as not in use.
func free(e edit, a *ARQ) error {
	h, ok := e.Now.AttachHandle(a.AttachHandle)
	if !ok || !a.State.HoldsHandle() {
		return nil
	}
	return e.Put(h.Edit(func(h *AttachHandle) { h.InUse = false }))
}

// freeHandle returns the first free attach handle of the deployable that a asks for, or
// why there is none.
func (s *Snapshot) freeHandle(a *ARQ) (handle *AttachHandle, why string) {
	d, ok := s.DeployableAt(a.Provider)
	if !ok {
		return nil, fmt.Sprintf("resource provider %s is not a device of Cyborg", a.Provider)
	}
	if card, ok := s.Device(d.Device); ok && card.Hostname != a.Hostname {
		return nil, fmt.Sprintf("%s is a device of host %s, not of %s", d.Name, card.Hostname, a.Hostname)
	}
	all := 0
	for h := range s.AttachHandlesOf(d.UUID) {
		all++
		if !h.InUse {
			return h, ""
		}
	}
	return nil, fmt.Sprintf("none of the %d attach handles of %s are free", all, d.Name)
}

// leave makes a belong to no instance and no device.
func (a *ARQ) leave() {
	a.Hostname, a.Provider, a.Instance, a.AttachHandle, a.Fault = "", placement.ProviderID{}, placement.ConsumerID{}, uuid.Nil, ""
}
