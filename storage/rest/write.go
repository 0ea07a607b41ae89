package rest

import (
	"errors"
	"io/fs"
	"net/http"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// mostTries is how often a write is tried before the client gets the conflict.
//
// Source: placement/conf/placement.py, allocation_conflict_retry_count.
const mostTries = 10

// write is a write request: the checks and texts of the service that the ledger lacks.
type write struct {
	// decide returns the operation for the request on a ledger; nil if there is nothing
	// to do.
	decide func(s *placement.Snapshot) (placement.Op, *fault)
	// words returns the service's answer to an error of the ledger; nil if the general answer
	// will do.
	words func(error) *fault
}

// apply carries out w: it decides on the newest Snapshot and, if that was refused because
// another writer was faster, decides everything again on the next one. It returns the
// ledger after w.
//
// The service re-reads only generations, and so gives out more than there is when two
// clients race for the last unit.
func (r *request) apply(w write) (*placement.Snapshot, *fault) {
	for {
		r.tries++
		on := r.h.store.Snapshot()
		op, f := w.decide(on.Placement())
		switch {
		case f != nil:
			return nil, f
		case op == nil:
			return on.Placement(), nil
		}
		// Who calls this API is an owner of claims, such as Nova, which releases that of a
		// server before the server is gone.
		done, err := r.h.store.Apply(r.Context(), cloud.Change{Actor: r.caller.User, Note: op.String(), Force: cloud.ForceUnchecked, Ops: []cloud.Op{op}}).Result()
		if err == nil {
			return done.Snapshot.Placement(), nil
		}
		newest := r.h.store.Snapshot()
		moved := newest != on && !errors.Is(err, placement.ErrUnavailable) && !errors.Is(err, placement.ErrUnsupported) && !errors.Is(err, cloud.ErrInDoubt)
		if w.words != nil {
			if f := w.words(err); f != nil {
				return nil, f
			}
		}
		if !moved || r.tries == mostTries {
			return nil, r.refusal(on.Placement(), op, err)
		}
	}
}

// applyAndDone carries out w, and answers without a body.
func (r *request) applyAndDone(w write) *fault {
	_, f := r.apply(w)
	if f == nil {
		r.done(http.StatusNoContent)
	}
	return f
}

// applyTo carries out w, and returns the provider in the path after it.
func (r *request) applyTo(w write) (*placement.Snapshot, *placement.ResourceProvider, *fault) {
	s, f := r.apply(w)
	if f != nil {
		return nil, nil, f
	}
	p, ok := r.provider(s)
	if !ok {
		return nil, nil, noProvider(r.args[0])
	}
	return s, p, nil
}

// when returns words for one kind of refusal.
func when(kind error, code api.Code, format string, args ...any) func(error) *fault {
	return func(err error) *fault {
		if errors.Is(err, kind) {
			return conflict(code, format, args...)
		}
		return nil
	}
}

// notFitting answers claims that do not fit.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded.
func notFitting(err error) *fault {
	e, ok := errors.AsType[*placement.CapacityError](err)
	if !ok {
		return nil
	}
	const text = "Unable to allocate inventory: Unable to create allocation for '%s' on resource provider '%s'. The requested amount would %s. %s"
	switch e.Rule {
	case placement.NoInventory:
		return conflict(api.Undefined, "Unable to allocate inventory: Inventory for '%s' on resource provider '%s' invalid.", e.Class, e.Provider)
	case placement.NoRoom:
		return conflict(api.Undefined, text, e.Class, e.Provider, "exceed the capacity", e)
	default:
		return conflict(api.Undefined, text, e.Class, e.Provider, "violate inventory constraints", e)
	}
}

// inUse answers the removal of inventories of the provider in the path that are in use.
func (r *request) inUse(err error) *fault {
	e, ok := errors.AsType[*placement.InUseError](err)
	if !ok {
		return nil
	}
	names := make([]string, len(e.Classes))
	for i, class := range e.Classes {
		names[i] = string(class)
	}
	return conflict(api.InventoryInUse, "update conflict: Inventory for '%s' on resource provider '%s' in use.", strings.Join(names, ", "), r.args[0])
}

// refusal returns the answer for a refused operation if the service's words are not
// needed.
func (r *request) refusal(on *placement.Snapshot, op placement.Op, err error) *fault {
	if ctx := r.Context().Err(); ctx != nil { // the client has left
		return &fault{status: statusUnavailable, detail: "the request was cancelled: " + ctx.Error()}
	}
	if errors.Is(err, cloud.ErrInDoubt) { // whatever the reason: clients repeat what was refused
		return &fault{status: statusUnavailable, detail: clientText(err)}
	}
	if far, is := engine.Far(r.h.store); is && errors.Is(err, placement.ErrUnsupported) && far.Link().Why(r.h.o.Clock()) != "" { // it is for now
		return &fault{status: statusUnavailable, detail: clientText(err)}
	}
	a := api.AnswerTo(on, op, err)
	return &fault{status: a.Status, code: a.Code, detail: clientText(err)}
}

// clientText returns what a client is told of an error: not where the cloud is kept, and what
// to do about that.
func clientText(err error) string {
	var notKept *storage.NotKeptError
	var readOnly *storage.ReadOnlyError
	var at *fs.PathError
	switch {
	case errors.Is(err, cloud.ErrInDoubt) && errors.As(err, &notKept):
		return "The change could not be saved; " + cloud.ErrInDoubt.Error() + "."
	case errors.As(err, &notKept), errors.Is(err, storage.ErrDamaged), errors.As(err, &at):
		return "The change could not be saved; nothing was changed."
	case errors.As(err, &readOnly):
		return "The cloud can only be read here."
	}
	return err.Error()
}

// statusUnavailable is for what the store cannot do at the moment.
const statusUnavailable = 503
