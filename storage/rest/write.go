package rest

import (
	"errors"
	"net/http"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
)

// mostTries is how often a write is decided before the client is told of the conflict.
//
// Source: placement/conf/placement.py, allocation_conflict_retry_count.
const mostTries = 10

// write is a write of a request: the checks and words of the service that the ledger
// does not have itself.
type write struct {
	// decide returns the verb that the request comes to on a ledger; nil for nothing to
	// be done.
	decide func(s *placement.Snapshot) (placement.Op, *fault)
	// words returns how the service says that the ledger refused the verb; nil where s,
	// which may be newer, would not refuse it, or where what wire says will do.
	words func(s *placement.Snapshot, err error) *fault
}

// apply does w: it decides on the newest Snapshot and, if that was refused because
// another writer was faster, decides again as a whole on the next one. It returns the
// ledger as w has left it.
//
// The service reads again only the generations, and so gives out more than there is
// where two race for the last unit.
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
		done, err := r.h.store.Apply(r.Context(), cloud.Change{Actor: r.caller.User, Note: op.String(), Ops: []cloud.Op{op}})
		if err == nil {
			return done.Snapshot.Placement(), nil
		}
		newest := r.h.store.Snapshot()
		moved := newest != on && !errors.Is(err, placement.ErrUnavailable) && !errors.Is(err, placement.ErrUnsupported)
		if w.words != nil {
			if f := w.words(newest.Placement(), err); f != nil {
				return nil, f
			}
		}
		if !moved || r.tries == mostTries {
			return nil, r.refusal(on.Placement(), op, err)
		}
	}
}

// applyAndDone does w, and answers that it is done.
func (r *request) applyAndDone(w write) *fault {
	_, f := r.apply(w)
	if f == nil {
		r.done(http.StatusNoContent)
	}
	return f
}

// applyTo does w, and returns the provider that the path names as w has left it.
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
func when(kind error, words func(*placement.Snapshot) *fault) func(*placement.Snapshot, error) *fault {
	return func(s *placement.Snapshot, err error) *fault {
		if errors.Is(err, kind) {
			return words(s)
		}
		return nil
	}
}

// refusal is what there is to say of a refused verb without words of the service.
func (r *request) refusal(on *placement.Snapshot, op placement.Op, err error) *fault {
	if ctx := r.Context().Err(); ctx != nil { // the client has left
		return &fault{status: statusUnavailable, detail: "the request was cancelled: " + ctx.Error()}
	}
	a := wire.AnswerTo(on, op, r.version.String(), err)
	return &fault{status: a.Status, code: a.Code, detail: err.Error()}
}

// statusUnavailable is for what the store cannot do now.
const statusUnavailable = 503

// refusedAs returns the error about a refused verb as one type of error.
func refusedAs[E error](err error) (E, bool) {
	var e E
	ok := errors.As(err, &e)
	return e, ok
}
