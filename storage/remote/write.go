package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
)

// Apply implements cloud.Writer: it decides c on what was read, and sends the calls
// for it, guarded by the generations that were read. A provider that is renamed, moved or
// deleted, for which the calls have none, is read again before, and so is what a consumer
// holds, all of which a call replaces. The services have the last
// word. Before a claim is released its owner is asked, and before a provider is given up who
// may use it, unless c.Force: see ownersGone and unused.
// Before something is claimed for a server, or the trait of a compute service is changed, Nova
// is asked whether that is as it was listed. The result is read back before it returns, even
// if the answer was lost.
//
// Calls are sent one after the other: if one is refused, those before it remain in
// effect, and the error says so.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if err := s.Capabilities().Can(c.Ops...); err != nil {
		return cloud.Refused(err)
	}
	select {
	case s.feeds[0].turn <- struct{}{}:
		defer func() { <-s.feeds[0].turn }()
	case <-ctx.Done():
		return cloud.Refused(ctx.Err())
	}
	if s.ctx.Err() != nil {
		return cloud.Refused(storage.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return cloud.Refused(err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.ctx, stop)() //nolint:contextcheck // of the store, whose end is one of both: Close waits for the turn
	now := s.kept.Snapshot()
	c = storage.Stamp(c, s.clock)
	next, ev, err := now.Apply(c)
	if err != nil {
		s.lost.Note(now, c, err)
		return cloud.Refused(err)
	}
	asked := api.Sent(now, c.Ops)
	calls, _ := api.Of(now, asked)
	switch {
	case len(ev.Changes) == 0:
		return cloud.Kept(next, ev)
	case slices.ContainsFunc(asked, func(op cloud.Op) bool { return needsNoCall(now, op) }), len(calls) < len(asked):
		return cloud.Refused(&cloud.UnsupportedError{Why: "the API has no call for part of this"})
	}
	for _, call := range calls {
		if why := s.reader.call.tooOld(call.Minor); call.Service == api.Placement && why != "" {
			return cloud.Refused(&cloud.UnsupportedError{Why: why})
		}
	}
	if err := s.asSeen(ctx, now, asked); err != nil {
		return cloud.Refused(s.unseen(now, c, err, api.Placement, nil))
	}
	if err := s.mayBeDone(ctx, now, c, ev, nil); err != nil {
		return cloud.Refused(err)
	}
	return s.carryOut(c, now, next, ev, calls)
}

// mayBeDone returns an error unless what the changes of an event rest on is as it was read, the
// owner of what they release is gone, and nobody uses what they give up. Sent are the calls of c that were sent before.
//
// Errors: those of claimsAsSeen, ownersGone, unused, asListed and statusAsListed.
func (s *Store) mayBeDone(ctx context.Context, now *cloud.Snapshot, c cloud.Change, ev cloud.Event, sent []api.Call) error {
	if err := s.claimsAsSeen(ctx, now, ev); err != nil {
		return s.unseen(now, c, err, api.Placement, sent)
	}
	if c.Force == cloud.ForceNone {
		if err := s.ownersGone(ctx, now, ev); err != nil {
			return err
		}
		if err := s.unused(ctx, now, ev); err != nil {
			return err
		}
	}
	err := s.asListed(ctx, now, ev, c.Force)
	if err == nil {
		err = s.statusAsListed(ctx, now, ev)
	}
	return s.unseen(now, c, err, api.Compute, sent)
}

// onlyOf returns an event with only those of its changes that are to be looked at again before
// a call: to the provider, the traits and the consumers that it is about. Consumers that
// a call before it was about are left out: that call itself has changed them.
func onlyOf(ev cloud.Event, call api.Call, before []api.Call) cloud.Event {
	names := func(call api.Call, id string) bool {
		return call.Service == api.Placement && strings.Contains(call.Path+call.Body, id)
	}
	ev.Changes = slices.DeleteFunc(slices.Clone(ev.Changes), func(c versioned.Change) bool {
		switch r := c.Record().(type) {
		case *placement.ConsumerRecord:
			id := r.UUID.String()
			return !names(call, id) || slices.ContainsFunc(before, func(call api.Call) bool { return names(call, id) })
		case *placement.ProviderTraitsRecord:
			return !names(call, r.Provider.String())
		case *placement.ProviderRecord:
			return !names(call, r.UUID.String())
		case *cyborg.ARQ:
			return true
		}
		return false
	})
	return ev
}

// unseen returns err, of claimsAsSeen, asSeen, asListed or statusAsListed. If others have changed
// what a service keeps, it is read again, so that the Change can be decided again; what calls
// that were sent before did there is found then, and is not by others.
func (s *Store) unseen(now *cloud.Snapshot, c cloud.Change, err error, of api.Service, sent []api.Call) error {
	if errors.Is(err, placement.ErrConflict) {
		by := asRead()
		if slices.ContainsFunc(sent, func(call api.Call) bool { return call.Service == of }) {
			by = c
		}
		for _, f := range s.feeds {
			switch { // if that fails, the next try finds the conflict again
			case f.of != of:
			case of == api.Placement: // whose turn a write has
				_ = s.readAs(s.ctx, f, by)
			default:
				_ = s.refresh(s.ctx, f, by)
			}
		}
		s.lost.Note(now, c, err)
	}
	return err
}

// asSeen returns an error unless the providers that operations rename, move or delete are
// as they were read. These calls carry no generation, so that Placement would do them on
// whatever others have made of the provider since. What others do between this and the
// call is still overwritten.
//
// Errors: *placement.StaleError for a provider that is another or gone; that of reading it.
func (s *Store) asSeen(ctx context.Context, now *cloud.Snapshot, asked []cloud.Op) error {
	return each(ctx, s.reader.call.inFlight, asked, func(ctx context.Context, op cloud.Op) error {
		var id placement.ProviderID
		whole := false // nothing about the provider may have changed
		switch op := op.(type) {
		case placement.UpdateProvider:
			id = op.ID
		case placement.DeleteProvider:
			id, whole = op.ID, true
		}
		p, err := now.Placement().FindProvider(id)
		if err != nil {
			return nil //nolint:nilerr // it is not about one provider, or about one that the Change itself creates
		}
		was := now.Placement().ProviderRecord(p)
		var is listed
		err = s.reader.placement(ctx, "/resource_providers/"+id.String(), &is)
		if err != nil && !gone(err) {
			return err
		}
		if err != nil || is.Name != was.Name || !reflect.DeepEqual(is.Parent, was.Parent) || whole && is.Generation != was.Generation {
			return &placement.StaleError{Change: versioned.Change{Before: was}}
		}
		return nil
	})
}

// claimsAsSeen returns an error unless each consumer that an event changes holds what was
// read of it, and nothing else. Its generation does not tell: a provider may be missing from the
// list, or newer than it, and what a consumer holds of it would be released unseen; and it
// begins anew with a consumer that was made again, whoever did that.
//
// Errors: placement.ErrConflict for a consumer that holds something else, and
// placement.ErrInvalid where that cannot be shown, so that no other try helps; that of reading it.
func (s *Store) claimsAsSeen(ctx context.Context, now *cloud.Snapshot, ev cloud.Event) error {
	return each(ctx, s.reader.call.inFlight, ev.Changes, func(ctx context.Context, c versioned.Change) error {
		was, ok := c.Before.(*placement.ConsumerRecord)
		if !ok {
			return nil
		}
		var is struct {
			Project     string                           `json:"project_id"`
			User        string                           `json:"user_id"`
			Generation  *int64                           `json:"consumer_generation"`
			Type        placement.ConsumerType           `json:"consumer_type"`
			Allocations map[placement.ProviderID]holding `json:"allocations"`
		}
		if err := s.reader.placement(ctx, "/allocations/"+was.UUID.String(), &is); err != nil {
			return err
		}
		same := func(h holding, of map[placement.ResourceClass]int64) bool { return maps.Equal(h.Resources, of) }
		held := maps.EqualFunc(is.Allocations, was.Allocations, same)
		generation := was.Generation
		if is.Generation != nil {
			generation = *is.Generation
		}
		again := generation != was.Generation || is.Project != "" && is.Project != was.Project || is.User != "" && is.User != was.User
		if held && !again {
			return nil
		}
		name := ops.ConsumerName(now, was.UUID)
		if again && held {
			s.reader.mu.Lock()
			// Its generation may not show that it is another one, and Nova may name another owner.
			s.reader.m.consumers[was.UUID] = &consumer{
				consumerOwner: consumerOwner{is.Project, is.User}, typ: typed(is.Type), generation: generation, known: is.Project != "" && is.User != "",
			}
			s.reader.mu.Unlock()
			return fmt.Errorf("%s was made again since it was read: %w", name, placement.ErrConflict)
		}
		s.reader.m.mu.Lock()
		hidden := s.reader.m.halfShown()
		s.reader.m.mu.Unlock()
		if slices.Contains(hidden, was.UUID) {
			return fmt.Errorf("%s holds something that this placetop cannot show, and would release: use the openstack client: %w", name, placement.ErrInvalid)
		}
		return fmt.Errorf("%s holds something else than was read of it: %w", name, placement.ErrConflict)
	})
}

// needsNoCall reports whether an operation needs no call.
func needsNoCall(s *cloud.Snapshot, op cloud.Op) bool {
	calls, _ := api.Of(s, []cloud.Op{op})
	return len(calls) == 0
}

// carryOut sends calls, and reads back their effect.
func (s *Store) carryOut(c cloud.Change, now, next *cloud.Snapshot, ev cloud.Event, calls []api.Call) cloud.Outcome {
	sent := 0
	var err, late error // late is why a call was not sent after others were
	var made aggregateAnswer
	for _, call := range calls {
		if sent > 0 { // what was asked at first grows old meanwhile
			if late = s.mayBeDone(s.ctx, now, c, onlyOf(ev, call, calls[:sent]), calls[:sent]); late != nil {
				err = late
				break
			}
		}
		call.Path = strings.Replace(call.Path, api.NewAggregate, strconv.FormatInt(made.Aggregate.Number, 10), 1)
		if err = s.send(call, &made); err != nil {
			break
		}
		sent++
	}
	by := c
	if err != nil && sent == 0 && !unanswered(err) {
		by = asRead() // all changes are by others
	}
	unread := s.readBack(by, calls)
	came := unknown
	if unread == nil {
		came = s.cameOf(ev, calls)
	}
	if f := withStatus(err, http.StatusConflict); f != nil && f.Code == "" && came != done && s.kept.Snapshot() != now {
		f.Code = api.ConcurrentUpdate // refusals have codes from microversion 1.23 on
	}
	switch {
	case err == nil && unread != nil:
		return s.show(c, next, ev) // it is done: the next reading shows what there is
	case err == nil && came == notDone && s.isMissing(by, ev, calls):
		first := calls[0]
		return cloud.InDoubt(&inDoubtError{fmt.Errorf("%s: %s %s was answered as done, but nothing of it was there when read afterwards: check it, and what answers at that address", first.Service, first.Method, first.Path)})
	case err == nil:
		return s.commit(ev)
	case late == nil && unanswered(err):
		said := err
		if sent > 0 {
			said = fmt.Errorf("%d of %d calls were done, and then: %w", sent, len(calls), err)
		}
		switch {
		case unread != nil:
			return cloud.InDoubt(&inDoubtError{fmt.Errorf("%w; it may or may not have been done, and the cloud cannot be read: check it", said)})
		case came == done && sent == len(calls)-1:
			return s.commit(ev)
		case came == notDone && answered(err) && sent == 0:
			return cloud.Refused(fmt.Errorf("%w; it was not done", said))
		case came == notDone:
			return cloud.InDoubt(&inDoubtError{fmt.Errorf("%w; it had not been done when checked, but still may be: check again", said)})
		}
		return cloud.InDoubt(&inDoubtError{fmt.Errorf("%w; it may or may not have been done: check it", said)})
	case sent > 0:
		return cloud.InDoubt(fmt.Errorf("%d of %d calls were done and are not undone: %w", sent, len(calls), &halfwayError{err}))
	case came == done && !errors.Is(err, placement.ErrConflict) && !errors.Is(err, placement.ErrNotFound):
		return cloud.InDoubt(&inDoubtError{fmt.Errorf("%w; yet the cloud is as it was to become: it may have been done, or others did the same: check it", err)})
	}
	s.lost.Note(now, c, err)
	return cloud.Refused(err)
}

// later is after what time a write must be there that was answered as done: a service may
// read from another copy of its database than it writes to.
const later = time.Second

// isMissing reports whether nothing of calls that were answered as done is there a moment
// later either.
func (s *Store) isMissing(by cloud.Change, ev cloud.Event, calls []api.Call) bool {
	return s.reader.call.pause(s.ctx, later) != nil || s.readBack(by, calls) != nil || s.cameOf(ev, calls) == notDone
}

// show shows what was done and could not be read back: next, unless another service was
// read meanwhile.
func (s *Store) show(c cloud.Change, next *cloud.Snapshot, ev cloud.Event) cloud.Outcome {
	s.publishes.Lock()
	defer s.publishes.Unlock()
	if is := s.kept.Snapshot(); is.Revision() >= next.Revision() {
		var err error
		if next, ev, err = is.Apply(c); err != nil {
			return cloud.Kept(is, cloud.Event{Revision: is.Revision(), At: is.At()})
		}
	}
	s.goTo(next, ev)
	return cloud.Kept(next, ev)
}

// halfwayError is why the rest of a Change was not done. It is not a conflict, because
// then the whole Change would be tried again.
type halfwayError struct{ err error }

func (e *halfwayError) Error() string { return e.err.Error() }

// Is reports whether target is placement.ErrUnavailable or cloud.ErrInDoubt, or
// cloud.ErrOvertaken after a conflict.
func (e *halfwayError) Is(target error) bool {
	return target == placement.ErrUnavailable || target == cloud.ErrInDoubt ||
		target == cloud.ErrOvertaken && errors.Is(e.err, placement.ErrConflict)
}

// inDoubtError is why it is not known whether a Change was done.
type inDoubtError struct{ error }

// Is reports whether target is cloud.ErrInDoubt.
func (e *inDoubtError) Is(target error) bool { return target == cloud.ErrInDoubt }

// Unwrap returns the failure of the call.
func (e *inDoubtError) Unwrap() error { return e.error }

// commit is the result of a Change that was done.
func (s *Store) commit(ev cloud.Event) cloud.Outcome {
	is := s.kept.Snapshot()
	ev.Revision = is.Revision()
	return cloud.Kept(is, ev)
}

// aggregateAnswer is Nova's answer to the creation of a host aggregate.
type aggregateAnswer struct {
	Aggregate novaAggregate `json:"aggregate"`
}

// send sends a call once: nothing that changes a cloud is sent again unasked, but what a
// limit of requests kept from Placement, whose generations guard it. Made gets the answer to
// the creation of a host aggregate.
func (s *Store) send(call api.Call, made *aggregateAnswer) error {
	var into any
	if call.Method == http.MethodPost && call.Path == "/os-aggregates" {
		into = made
	}
	do := func() error {
		return s.reader.call.once(s.ctx, call.Service, call.Method, call.Path, call.Body, call.Minor, into)
	}
	const most = 4
	err := s.reader.call.again(s.ctx, nil, most, func(err error) bool {
		f, ok := errors.AsType[*FaultError](err)
		return ok && f.limits() && call.Service == api.Placement
	}, do)
	if f := withStatus(err, http.StatusForbidden); f != nil {
		s.mayNot(call, f)
	}
	return err
}

// mayNot remembers that the user may not write to a service. Without Placement there is
// nothing left to write to.
func (s *Store) mayNot(call api.Call, f *FaultError) {
	why := call.Version() + " " + call.Method + " was refused: " + f.Why
	s.mu.Lock()
	defer s.mu.Unlock()
	can := *s.can.Load()
	switch call.Service {
	case api.Compute:
		can.Cannot = unless(nova.Owns, why, can.Cannot)
	case api.Accelerator:
		can.Cannot = unless(cyborg.Owns, why, can.Cannot)
	default:
		can.ReadOnly = why
	}
	s.can.Store(&can)
}

// unanswered reports whether err leaves the outcome of a call open: the service did not
// answer, or something in between did.
func unanswered(err error) bool {
	var f *FaultError
	if notConnected(err) {
		return false
	}
	if !errors.As(err, &f) {
		return errors.Is(err, context.Canceled)
	}
	if f.Service == "identity" { // the service itself refused the token
		return false
	}
	return f.Status < http.StatusBadRequest || f.Status >= http.StatusInternalServerError || f.Status == http.StatusNotFound && !f.missing || errors.Is(err, context.Canceled)
}

// answered reports whether err is a failure that the service itself reported and after
// which it does nothing more. Other failures may come from something in between, or
// from no answer at all, while the service is still working.
func answered(err error) bool { return withStatus(err, http.StatusInternalServerError) != nil }

// outcome is the outcome of a Change whose answer was lost.
type outcome int

const (
	unknown outcome = iota
	done
	notDone // when it was read back
)

// cameOf compares what was read back with what was there before, and with what calls
// should have led to. What is not there counts for nothing where a part was not read whole.
func (s *Store) cameOf(ev cloud.Event, calls []api.Call) outcome {
	asked := slices.ContainsFunc(calls, func(c api.Call) bool { return c.Service == api.Placement })
	now := s.kept.Snapshot()
	all, none := true, true
	for _, c := range ev.Changes {
		if !asked && (ofPlacement(c.Before) || ofPlacement(c.After)) {
			continue // the called service writes it later
		}
		if a, ok := c.After.(*nova.HostAggregate); ok && c.Before == nil { // Nova assigns its uuid
			is, made := aggregateNamed(now, a.Name)
			if !made && now.Gap(cloud.HostAggregates) != "" {
				return unknown
			}
			all = all && made && slices.Equal(is.Hosts, a.Hosts) && maps.Equal(is.Metadata, a.Metadata)
			none = none && !made
			continue
		}
		is := now.Held(c.Record())
		if is == nil && slices.ContainsFunc(cloud.PartsOf(c.Kind()), func(p cloud.Part) bool { return now.Gap(p) != "" }) {
			return unknown
		}
		all = all && reflect.DeepEqual(withoutUnreported(is), withoutUnreported(c.After))
		none = none && reflect.DeepEqual(withoutUnreported(is), withoutUnreported(c.Before))
	}
	switch {
	case all && !none:
		return done
	case none && !all:
		return notDone
	}
	return unknown
}

// aggregateNamed returns the host aggregate with a name.
func aggregateNamed(s *cloud.Snapshot, name string) (*nova.HostAggregate, bool) {
	for a := range s.Nova().Aggregates() {
		if a.Name == name {
			return a, true
		}
	}
	return nil, false
}

// ofPlacement reports whether a record belongs to Placement.
func ofPlacement(r versioned.Record) bool {
	switch r.(type) {
	case *placement.ProviderRecord, *placement.ProviderTraitsRecord, *placement.ConsumerRecord, *placement.ClassRecord, *placement.TraitRecord:
		return true
	}
	return false
}

// withoutUnreported returns a record without what the API does not report, and without its generation,
// which others change too.
func withoutUnreported(r versioned.Record) versioned.Record {
	switch r := r.(type) {
	case *placement.ProviderRecord:
		own := *r
		own.Created, own.Updated, own.Generation = 0, 0, 0
		return &own
	case *placement.ConsumerRecord:
		own := *r
		own.Created, own.Updated, own.Generation = 0, 0, 0
		return &own
	case *nova.Service:
		return &nova.Service{Host: r.Host, Binary: r.Binary, Disabled: r.Disabled, DisabledReason: r.DisabledReason, ForcedDown: r.ForcedDown}
	case *nova.Flavor:
		return &nova.Flavor{Name: r.Name, FlavorID: r.FlavorID, ExtraSpecs: orNil(r.ExtraSpecs)}
	}
	return r
}

// tooOld returns why a call at a microversion of Placement cannot be sent, "" if it can.
func (c *caller) tooOld(minor int) string {
	if newest := c.services[api.Placement].newest(); newest > 0 && minor > newest {
		why := fmt.Sprintf("it needs microversion 1.%d of Placement, and this one speaks 1.%d at most", minor, newest)
		if minor == int(microversion.ConsumerType) {
			why += ": a consumer has no type there"
		}
		return why
	}
	return ""
}

// cannot returns why an operation cannot be carried out over the APIs, "" if it can.
func (c *caller) cannot(op cloud.Op) string {
	if why := cmp.Or(c.lacks.Load().why(op), c.hidden.Load().why(op)); why != "" {
		return why
	}
	switch op.(type) {
	case nova.CreateInstance:
		return "use \"openstack server create\": to boot, Nova needs an image and networks, which are not known here"
	case nova.DisableFlavor:
		return "Nova has no API to disable a flavor"
	case nova.Configure:
		if c.config != nil {
			return "no API changes nova.conf: say what it has in [nova." + strconv.Quote(c.config.Live) + "] of placetop's configuration file"
		}
	case cyborg.CreateARQs, cyborg.StartBind, cyborg.Unbind:
		return "only Cyborg can write that" // Nova asks it to
	}
	switch of, minor := api.Needs(op); {
	case of == api.Placement:
		return c.tooOld(minor)
	case of == api.Compute && c.services[of] == nil:
		return "the cloud was opened without Nova" + c.elsewhere[of]
	case of == api.Accelerator && c.services[of] == nil:
		return "the cloud was opened without Cyborg" + c.elsewhere[of]
	case of != "":
		return ""
	case nova.Owns(op):
		return "only Nova can write that"
	case cyborg.Owns(op):
		return "only Cyborg can write that"
	case operator.Owns(op):
		return "a live cloud has no place for operators' notes"
	}
	return "whole records cannot be written over the API"
}
