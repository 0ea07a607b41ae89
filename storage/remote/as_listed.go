package remote

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// asListed returns an error unless Nova has the servers for which an event claims something
// as it listed them: a list grows old while people look at what is planned, and while much
// is written. One that is gone may lose what it holds; blindly, so may one about which Nova
// does not answer.
//
// Errors: *placement.StaleError; *cloud.ClaimantError for one that is listed more than once, or
// of which Nova says nothing; that of ctx.
func (s *Store) asListed(ctx context.Context, now *cloud.Snapshot, ev cloud.Event, force cloud.Force) error {
	q := &questions{call: s.reader.call, now: now}
	listed, _ := s.reader.m.servers()
	return each(ctx, q.call.inFlight, api.Claimants(now, ev, force != cloud.ForceNone), func(ctx context.Context, i api.Claimant) error {
		var answer serverAnswer
		err := q.get(ctx, api.Compute, api.ServerPath(i.UUID), &answer)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil && !i.Gains && (absent(err) || force == cloud.ForceUnchecked):
			return nil
		case err != nil && !absent(err):
			return &cloud.ClaimantError{Consumer: i.UUID, Name: i.Name, Err: fmt.Errorf("it is not known whether it is still where it was: %w", err)}
		case err == nil && answer.Server.Host == i.Host && slices.ContainsFunc(listed, answer.Server.isAs):
			if slices.ContainsFunc(listed, func(s novaServer) bool { return s.ID == i.UUID && !answer.Server.isAs(s) }) {
				return &cloud.ClaimantError{Consumer: i.UUID, Name: i.Name, Err: placement.StateErrorf("Nova lists it more than once and not alike, as two cells may have it")}
			}
			return nil
		}
		return &placement.StaleError{Change: versioned.Change{Before: i.Instance}}
	})
}

// statusAsListed returns an error unless Nova says of each compute service whose trait an
// event changes what it said when it was listed: the trait decides whether servers land there.
//
// Errors: *placement.StaleError; *cloud.StatusError where Nova does not say; that of ctx.
func (s *Store) statusAsListed(ctx context.Context, now *cloud.Snapshot, ev cloud.Event) error {
	listed := api.StatusServices(now, ev)
	if len(listed) == 0 {
		return nil
	}
	q := &questions{call: s.reader.call, now: now}
	var services []novaService
	err := q.get(ctx, api.Compute, api.ServicesPath, listOf("services", &services))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, host := range slices.Sorted(maps.Keys(listed)) {
		was, told := listed[host], false
		for _, is := range services {
			if is.Host != host || is.Binary != nova.Compute || is.ID.String() != was.UUID.String() && was.Told == nova.ServiceUp {
				continue
			}
			if told = is.Status == "enabled" || is.Status == "disabled"; told && (is.Status == "disabled") != was.Disabled {
				return &placement.StaleError{Change: versioned.Change{Before: was}}
			}
			if !told { // as of a cell that is down
				break
			}
		}
		if err == nil && !told {
			err = placement.StateErrorf("Nova does not say any more")
		}
		if err != nil {
			return &cloud.StatusError{Host: host, Err: err}
		}
	}
	return nil
}
