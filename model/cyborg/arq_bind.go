package cyborg

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Binding says for whom accelerator requests are, and where.
type Binding struct {
	ARQs []uuid.UUID // all that the instance shall have
	// Instance is the instance, or the migration under whose uuid a move keeps the
	// new ones as long as the instance has its old ones; see Rekey.
	Instance placement.ConsumerID
	Host     string
	// Mappings are those of the claim: which providers serve a request group, by
	// its suffix. Those of GroupSuffix have one provider each.
	Mappings map[string][]placement.ProviderID
	At       time.Time // the zero time leaves it unknown
}

// BindTimeout is how long Cyborg waits for a device to be made for an accelerator
// request: one that is not Bound by then is BindFailed.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.job_monitor, with [DEFAULT]bind_timeout.
const BindTimeout = 60 * time.Second

// StartBind returns the change that begins to bind all requests of an instance:
// each is BindStarted with an attach handle that nobody else can get any more,
// or BindFailed at once, with the reason as its Fault, where none is free.
// FinishBind or FailBind come next, when the device has answered.
//
// Errors: placement.ErrInvalid where the instance, the host or the provider of a
// group is missing; placement.ErrNotFound for a request that does not exist;
// placement.ErrExists where the instance has other requests; a *TransitionError.
//
// Source: cyborg/api/controllers/v2/arqs.py, ARQsController.patch;
// cyborg/objects/ext_arq.py, ExtARQ.bind and _allocate_attach_handle.
func StartBind(s *Snapshot, b Binding) (PutRecords, error) {
	switch {
	case b.Instance.IsZero():
		return PutRecords{}, &placement.InvalidError{Field: "instance_uuid", Why: "binding needs an instance"}
	case b.Host == "":
		return PutRecords{}, &placement.InvalidError{Field: "hostname", Why: "binding needs a host"}
	}
	for a := range s.ARQsOf(b.Instance) {
		if !slices.Contains(b.ARQs, a.UUID) {
			return PutRecords{}, fmt.Errorf("%s has accelerator request %s for device profile %s: %w; unbind it first, or keep the new ones under the uuid of the migration",
				b.Instance, a.UUID, a.Profile, placement.ErrExists)
		}
	}
	taken := map[uuid.UUID]bool{}
	return s.eachARQ(b.ARQs, func(c *PutRecords, a *ARQ) error {
		suffix := GroupSuffix(a.Group)
		if len(b.Mappings[suffix]) == 0 || b.Mappings[suffix][0].IsZero() {
			return &placement.InvalidError{Field: "mappings", Value: suffix, Why: fmt.Sprintf("the claim names no provider for group %d of device profile %s", a.Group, a.Profile)}
		}
		started, err := a.to(ARQBindStarted, func(a *ARQ) {
			a.Hostname, a.Provider, a.Instance, a.Fault = b.Host, b.Mappings[suffix][0], b.Instance, ""
			a.BindStart = versioned.Millis(b.At)
		})
		if err != nil {
			return err
		}
		handle, why := s.freeHandle(started, taken)
		if handle == nil {
			c.Put(s, started)
			failed, err := started.to(ARQBindFailed, func(a *ARQ) { a.Fault = why })
			if err != nil {
				return err
			}
			c.Put(s, failed)
			return nil
		}
		taken[handle.UUID] = true
		started.AttachHandle = handle.UUID
		c.Put(s, handle.Edit(func(h *AttachHandle) { h.InUse = true }))
		c.Put(s, started)
		return nil
	})
}

// freeHandle returns the first free attach handle of the deployable that a asks
// for, those taken left aside, or why there is none.
func (s *Snapshot) freeHandle(a *ARQ, taken map[uuid.UUID]bool) (handle *AttachHandle, why string) {
	d, ok := s.DeployableAt(a.Provider)
	if !ok {
		return nil, fmt.Sprintf("no device of Cyborg is resource provider %s", a.Provider)
	}
	if card, ok := s.Device(d.Device); ok && card.Hostname != a.Hostname {
		return nil, fmt.Sprintf("%s is a device of host %s, not of %s", d.Name, card.Hostname, a.Hostname)
	}
	all := 0
	for h := range s.AttachHandlesOf(d.UUID) {
		all++
		if !h.InUse && !taken[h.UUID] {
			return h, ""
		}
	}
	return nil, fmt.Sprintf("none of the %d attach handles of %s is free", all, d.Name)
}

// FinishBind returns the change that makes the requests of an instance Bound that
// are BindStarted: the device has done its part. Where none are, it changes
// nothing.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.bind.
func FinishBind(s *Snapshot, instance placement.ConsumerID) (PutRecords, error) {
	return s.eachARQ(s.arqIDsOf(instance), func(c *PutRecords, a *ARQ) error {
		if a.State != ARQBindStarted {
			return nil
		}
		bound, err := a.to(ARQBound, func(*ARQ) {})
		if err != nil {
			return err
		}
		c.Put(s, bound)
		return nil
	})
}

// FailBind returns the change that makes requests BindFailed because of why, and
// frees their attach handles.
//
// Errors: placement.ErrNotFound; a *TransitionError.
func FailBind(s *Snapshot, why string, ids ...uuid.UUID) (PutRecords, error) {
	return s.eachARQ(ids, func(c *PutRecords, a *ARQ) error {
		failed, err := a.to(ARQBindFailed, func(a *ARQ) { a.AttachHandle, a.Fault = uuid.Nil, why })
		if err != nil {
			return err
		}
		s.free(c, a)
		c.Put(s, failed)
		return nil
	})
}

// Unbind returns the change that takes requests off their instance and device,
// and frees their attach handles. Those that are Unbound already stay so.
//
// Errors: placement.ErrNotFound; a *TransitionError.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.unbind.
func Unbind(s *Snapshot, ids ...uuid.UUID) (PutRecords, error) {
	return s.eachARQ(ids, func(c *PutRecords, a *ARQ) error {
		if a.State == ARQUnbound {
			return nil
		}
		unbound, err := a.to(ARQUnbound, (*ARQ).leave)
		if err != nil {
			return err
		}
		s.free(c, a)
		c.Put(s, unbound)
		return nil
	})
}

// FailUnbind returns the change that makes requests UnbindFailed because of why:
// the device does not let go. Their attach handles stay in use, so that nobody
// else gets them.
//
// Errors: placement.ErrNotFound; a *TransitionError.
func FailUnbind(s *Snapshot, why string, ids ...uuid.UUID) (PutRecords, error) {
	return s.eachARQ(ids, func(c *PutRecords, a *ARQ) error {
		failed, err := a.to(ARQUnbindFailed, func(a *ARQ) { a.Fault = why })
		if err != nil {
			return err
		}
		c.Put(s, failed)
		return nil
	})
}

// ForceUnbind returns the change that makes requests Unbound whose unbind failed,
// on the word of an operator who has freed the device by hand.
//
// Errors: placement.ErrNotFound; a *TransitionError for one in another state.
func ForceUnbind(s *Snapshot, ids ...uuid.UUID) (PutRecords, error) {
	return s.eachARQ(ids, func(c *PutRecords, a *ARQ) error {
		if a.State != ARQUnbindFailed {
			return &TransitionError{ARQ: a.UUID, From: a.State, To: ARQUnbound}
		}
		s.free(c, a)
		c.Put(s, a.Edit(func(a *ARQ) {
			a.State = ARQUnbound
			a.leave()
		}))
		return nil
	})
}

// Rekey returns the change that hands all requests under one uuid to another: at
// the end of a move those kept under the migration become the instance's.
//
// Errors: placement.ErrInvalid without a uuid to hand them to; placement.ErrExists
// where it still has requests of its own.
func Rekey(s *Snapshot, from, to placement.ConsumerID) (PutRecords, error) {
	if to.IsZero() {
		return PutRecords{}, &placement.InvalidError{Field: "instance_uuid", Why: "accelerator requests need somebody to be handed to"}
	}
	if from == to {
		return PutRecords{}, nil
	}
	ids := s.arqIDsOf(from)
	if len(ids) > 0 && len(s.arqIDsOf(to)) > 0 {
		return PutRecords{}, fmt.Errorf("%s has accelerator requests of its own: %w; delete them first", to, placement.ErrExists)
	}
	return s.eachARQ(ids, func(c *PutRecords, a *ARQ) error {
		c.Put(s, a.Edit(func(a *ARQ) { a.Instance = to }))
		return nil
	})
}

// Resolved returns the requests of an instance, or of a migration, and whether
// binding is over for all of them, well or not.
//
// Source: cyborg/api/controllers/v2/arqs.py, ARQsController.get_all with
// bind_state=resolved, which answers 423 as long as one is not.
func (s *Snapshot) Resolved(instance placement.ConsumerID) (arqs []*ARQ, over bool) {
	over = true
	for a := range s.ARQsOf(instance) {
		arqs = append(arqs, a)
		over = over && a.State.Resolved()
	}
	return arqs, over
}

// leave makes a belong to no instance and no device.
func (a *ARQ) leave() {
	a.Hostname, a.Provider, a.Instance, a.AttachHandle, a.Fault = "", placement.ProviderID{}, placement.ConsumerID{}, uuid.Nil, ""
}

// free adds to c that the attach handle of a, if it has one, is not in use.
func (s *Snapshot) free(c *PutRecords, a *ARQ) {
	if !a.State.HoldsHandle() {
		return
	}
	if h, ok := s.AttachHandle(a.AttachHandle); ok {
		c.Put(s, h.Edit(func(h *AttachHandle) { h.InUse = false }))
	}
}
