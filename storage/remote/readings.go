package remote

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
)

// readings says when each part of the cloud that was requested was last read. Several
// services may be read at the same time.
type readings struct {
	mu sync.Mutex
	of map[cloud.Part]reading
}

// reading is the last reading of a part.
type reading struct {
	at   time.Time // zero for never
	rows int
	err  error // why it could not be read since, or not completely
}

// cutError reports which rows of a list were read, or were not: it has more.
type cutError struct {
	what string
	over bool // those that were not read are over: they rightly hold nothing
}

func (e *cutError) Error() string { return e.what }

// isCut reports whether a part was read, but not all of it.
func (r reading) isCut() bool {
	_, cut := errors.AsType[*cutError](r.err)
	return cut
}

// cut notes which rows parts lack that were read.
func (r *readings) cut(what string, parts ...cloud.Part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range parts {
		is, ok := r.of[p]
		switch {
		case !ok:
			continue
		case is.err == nil:
			is.err = &cutError{what: what}
		case is.isCut() && !strings.Contains(is.err.Error(), what):
			is.err = &cutError{what: is.err.Error() + "; " + what}
		}
		r.of[p] = is
	}
}

// whole reports whether all of a part was read.
func (r *readings) whole(p cloud.Part) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	is, ok := r.of[p]
	return ok && is.err == nil
}

// failed reports whether a part could not be read.
func (r *readings) failed(p cloud.Part) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	is := r.of[p]
	return is.err != nil && !is.isCut()
}

// note notes that a part was read, or why it was not, or not completely: if nothing was,
// what was read before stays.
func (r *readings) note(part cloud.Part, rows int, at time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	is := reading{at, rows, err}
	if err != nil && rows == 0 && !is.isCut() {
		is = r.of[part]
		is.err = err
	}
	if r.of == nil {
		r.of = map[cloud.Part]reading{}
	}
	r.of[part] = is
}

// has reports whether a part was requested.
func (r *readings) has(part cloud.Part) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, is := r.of[part]
	return is
}

// list returns them in the order in which people look for them.
func (r *readings) list() []cloud.Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []cloud.Reading
	for _, part := range append(cloud.Parts(), cloud.Identities) {
		is, ok := r.of[part]
		if !ok {
			continue
		}
		one := cloud.Reading{Part: part, At: is.at, Rows: is.rows}
		cut, isCut := errors.AsType[*cutError](is.err)
		switch {
		case isCut:
			one.Cut, one.Over = cut.what, cut.over
		case is.err != nil:
			one.Why = is.err.Error()
		}
		out = append(out, one)
	}
	return out
}

// readings returns how the parts of the cloud were read. Without a Nova it knows nothing
// of what Nova and Cyborg would report: Placement itself has no instances and devices. With
// a Nova, a Cyborg that the catalogue has nowhere does not exist, and has nothing to read.
func (r *reader) readings() *cloud.Readings {
	out := r.reads.list()
	if why := r.lost.Load(); why != nil {
		for i := range out {
			if slices.Contains(cloud.PlacementParts(), out[i].Part) {
				out[i].Why = *why
			}
		}
	}
	services, elsewhere := r.call.services, r.call.elsewhere
	note := func(of api.Service, name string, parts []cloud.Part) {
		for _, p := range parts {
			switch {
			case r.reads.has(p):
			case !r.wants(p):
				out = append(out, cloud.Reading{Part: p, Why: "not asked for"})
			case services[of] == nil:
				out = append(out, cloud.Reading{Part: p, Why: "opened without " + name + ", and Placement does not know" + elsewhere[of], Without: elsewhere[of] == ""})
			default:
				out = append(out, cloud.Reading{Part: p, Why: "still being read"})
			}
		}
	}
	note(api.Placement, "", cloud.PlacementParts())
	note(api.Compute, "Nova", cloud.NovaParts())
	if services[api.Accelerator] != nil || services[api.Compute] == nil || elsewhere[api.Accelerator] != "" {
		note(api.Accelerator, "Cyborg", cloud.CyborgParts())
	}
	ahead := r.clockAhead()
	return cloud.NewReadings(out, r.m.moving(ahead)).ByClock(ahead)
}

// clockAhead returns how far the clock of Nova is ahead of ours; 0 if that is not known.
func (r *reader) clockAhead() time.Duration {
	if s := r.call.services[api.Compute]; s != nil {
		return time.Duration(s.ahead.Load())
	}
	return 0
}

// lose notes why Placement could not be read, nil if it was: what is shown of it is then
// older than what the other services answer.
func (r *reader) lose(err error) {
	if err == nil {
		r.lost.Store(nil)
		return
	}
	why := err.Error()
	r.lost.Store(&why)
}
