package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/wire"
	"github.com/placetop/placetop/storage"
)

// Apply implements cloud.Writer: it decides c on what was read, and sends the calls that
// it stands for, guarded by the generations that were read. The services decide in the
// end. What came of it is read back before it returns, also where the answer was lost.
//
// Calls are sent one after the other: where one is refused, those before it stay, and the
// error says so.
func (s *Store) Apply(ctx context.Context, c cloud.Change) (cloud.Commit, error) {
	if err := s.Capabilities().Can(c.Ops...); err != nil {
		return cloud.Commit{}, err
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return cloud.Commit{}, ctx.Err()
	}
	if s.ctx.Err() != nil {
		return cloud.Commit{}, storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return cloud.Commit{}, err
	}
	now := s.kept.Snapshot()
	c = storage.Stamp(c, s.clock)
	next, ev, err := now.Apply(c)
	if err != nil {
		s.lost.Note(now, c, err)
		return cloud.Commit{}, err
	}
	calls, _ := wire.Of(now, c.Ops)
	switch {
	case len(ev.Changes) == 0:
		return cloud.Commit{Snapshot: next, Event: ev}, nil
	case len(calls) < len(c.Ops):
		return cloud.Commit{}, &cloud.UnsupportedError{Why: "not all of it can be said over the API"}
	}
	return s.carryOut(c, next, ev, calls)
}

// carryOut sends calls, and reads back what came of them.
func (s *Store) carryOut(c cloud.Change, next *cloud.Snapshot, ev cloud.Event, calls []wire.Call) (cloud.Commit, error) {
	now := s.kept.Snapshot()
	sent := 0
	var err error
	for _, call := range calls {
		if err = s.send(call); err != nil {
			break
		}
		sent++
	}
	unread := s.readAs(s.ctx, c)
	var f *FaultError
	if errors.As(err, &f) && f.Status == http.StatusConflict && f.Code == "" && s.kept.Snapshot() != now {
		f.Code = wire.ConcurrentUpdate // refusals have codes from microversion 1.23 on
	}
	switch {
	case err == nil && unread != nil:
		s.kept.Follow(next, ev)
		return cloud.Commit{Snapshot: next, Event: ev}, nil //nolint:nilerr // it is done: the next reading shows what there is
	case err == nil:
		return s.commit(ev), nil
	case unanswered(err) && unread != nil:
		return cloud.Commit{}, fmt.Errorf("%w; whether it was done cannot be told, as the cloud cannot be read: look at it", err)
	case unanswered(err):
		switch s.cameOf(ev) {
		case done:
			return s.commit(ev), nil
		case notDone:
			return cloud.Commit{}, fmt.Errorf("%w; it was not done", err)
		case unknown:
		}
		return cloud.Commit{}, fmt.Errorf("%w; whether it was done cannot be told: look at it", err)
	case sent > 0:
		return cloud.Commit{}, fmt.Errorf("%d of %d calls were done, and stay: %w", sent, len(calls), &halfwayError{err})
	}
	s.lost.Note(now, c, err)
	return cloud.Commit{}, err
}

// halfwayError is why the rest of a Change was not done. It is no conflict, which would be
// tried again as a whole.
type halfwayError struct{ err error }

// Error implements error.
func (e *halfwayError) Error() string { return e.err.Error() }

// Is reports whether target is placement.ErrUnavailable.
func (e *halfwayError) Is(target error) bool { return target == placement.ErrUnavailable }

// commit is the outcome of a Change that was done.
func (s *Store) commit(ev cloud.Event) cloud.Commit {
	is := s.kept.Snapshot()
	ev.Revision = is.Revision()
	return cloud.Commit{Snapshot: is, Event: ev}
}

// send sends a call once: nothing that changes a cloud is sent again unasked.
func (s *Store) send(call wire.Call) error {
	var major, minor int
	if _, err := fmt.Sscanf(call.Microversion, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("microversion %q: %w", call.Microversion, err)
	}
	err := s.reader.call.once(s.ctx, call.Service, call.Method, call.Path, call.Body, minor, nil)
	var f *FaultError
	if errors.As(err, &f) && f.Status == http.StatusForbidden {
		can := *s.can.Load()
		can.ReadOnly = call.Version() + " " + call.Method + " was refused: " + f.Why
		s.can.Store(&can)
	}
	return err
}

// unanswered reports whether nobody knows from err what became of a call.
func unanswered(err error) bool {
	var f *FaultError
	return errors.As(err, &f) && (f.Status == 0 || f.Status >= http.StatusInternalServerError) || errors.Is(err, context.Canceled)
}

// outcome is what came of a Change whose answer was lost.
type outcome int

const (
	unknown outcome = iota
	done
	notDone
)

// cameOf compares what was read back with what was there before, and what should be.
func (s *Store) cameOf(ev cloud.Event) outcome {
	is := map[string]versioned.Record{}
	for r := range s.kept.Snapshot().Records() {
		is[recordKey(r)] = r
	}
	all, none := true, true
	for _, c := range ev.Changes {
		key := string(c.Kind()) + "\x00" + string(c.Key())
		all = all && reflect.DeepEqual(bare(is[key]), bare(c.After))
		none = none && reflect.DeepEqual(bare(is[key]), bare(c.Before))
	}
	switch {
	case all && !none:
		return done
	case none && !all:
		return notDone
	}
	return unknown
}

// bare returns a record without what the API does not tell, and without its generation,
// which others move too.
func bare(r versioned.Record) versioned.Record {
	switch r := r.(type) {
	case *placement.ProviderRecord:
		own := *r
		own.Created, own.Updated, own.Generation = 0, 0, 0
		return &own
	case *placement.ConsumerRecord:
		own := *r
		own.Created, own.Updated, own.Generation = 0, 0, 0
		return &own
	}
	return r
}

// cannot says why an operation cannot be carried out over the APIs that there are, "" where
// it can.
func (c *caller) cannot(op cloud.Op) string {
	switch op.(type) {
	case placement.CreateProvider, placement.UpdateProvider, placement.DeleteProvider,
		placement.SetInventories, placement.SetInventory, placement.AddInventory, placement.DeleteInventory,
		placement.SetTraits, placement.SetAggregates, placement.ReplaceAllocations, placement.DeleteAllocations, placement.Reshape,
		placement.CreateClass, placement.RenameClass, placement.DeleteClass, placement.CreateTrait, placement.DeleteTrait:
		return ""
	case nova.DisableService, nova.EnableService, nova.ForceDownService, nova.CreateFlavor, nova.SetExtraSpecs, nova.DeleteFlavor:
		if c.services[wire.Compute] == nil {
			return "the cloud was opened without a Nova"
		}
		return ""
	}
	switch op.Ledger() {
	case nova.Ledger:
		return "only Nova itself writes that, and it is not asked to yet"
	case cyborg.Ledger:
		return "the Cyborg of a cloud elsewhere is not written yet"
	case placement.Ledger:
		return "whole records cannot be written over the API"
	}
	return "a cloud elsewhere keeps no notes of operators: " + strings.TrimSpace(string(op.Ledger()))
}
