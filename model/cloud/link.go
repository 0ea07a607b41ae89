package cloud

import (
	"time"
)

// ServiceLink describes the connection to one service of a live cloud. Each service is
// read on its own: one that does not answer leaves the others as they are.
type ServiceLink struct {
	Name     string        // as people call it: "Placement", "Nova", "Cyborg"
	At       time.Time     // when what is shown of it was read; zero until all of it was
	Since    time.Time     // when the reading in progress began; zero for none
	Heard    time.Time     // when it last answered a request; zero for never
	Next     time.Time     // when it is next read; zero for never, and while it is being read
	Every    time.Duration // between two readings; 0 for only on request
	Took     time.Duration // how long the last complete reading took
	Requests int64         // sent for the last complete reading
	Lost     string        // why the last reading failed; "" if it did not
}

// Liveness is how current what is shown of a service is.
type Liveness string

// The states of a service. A slow one is still being waited for; what is shown of a stale
// one is out of date, so that nothing may be written that rests on it.
const (
	Live    Liveness = "live"
	Slow    Liveness = "slow"
	Stale   Liveness = "stale"
	Opening Liveness = "reading" // for the first time
)

// A service is slow once a reading takes a third of the time between two, and stale once
// it has not answered at all for four fifths of it, so that both are on the screen within
// two of them. Where that is long, or nothing is read in the background, these are the
// limits. A reading that goes on with answers, as when a proxy hands them out one by one,
// may take three times as long as the last one before it is slow, and six before it is
// stale.
const (
	slowAfter  = 15 * time.Second
	staleAfter = time.Minute
)

// limits returns the times after which the service is slow and stale.
func (l ServiceLink) limits() (slow, stale time.Duration) {
	if l.Every == 0 {
		return slowAfter, staleAfter
	}
	return min(l.Every/3, slowAfter), min(l.Every*4/5, staleAfter)
}

// began returns when the current reading began or should have begun; the zero time for
// never.
func (l ServiceLink) began() time.Time {
	if !l.Since.IsZero() {
		return l.Since
	}
	return l.Next
}

// heard returns since when the current reading has been waiting for an answer.
func (l ServiceLink) heard() time.Time {
	if began := l.began(); l.Heard.Before(began) {
		return began
	}
	return l.Heard
}

// State returns how current what is shown of the service is.
func (l ServiceLink) State(now time.Time) Liveness {
	slow, stale := l.until()
	switch {
	case l.Lost != "", !stale.IsZero() && !now.Before(stale):
		return Stale
	case !slow.IsZero() && !now.Before(slow):
		return Slow
	case l.At.IsZero():
		return Opening
	}
	return Live
}

// until returns when the service is slow and stale, unless it answers before; zero times
// if nothing is being waited for.
func (l ServiceLink) until() (slow, stale time.Time) {
	if l.began().IsZero() {
		return time.Time{}, time.Time{}
	}
	slowIn, staleIn := l.limits()
	slow, stale = l.heard().Add(slowIn), l.heard().Add(staleIn)
	if l.At.IsZero() {
		return slow, stale // how long a reading takes is not known yet
	}
	return earlier(slow, l.began().Add(max(slowIn, 3*l.Took))), earlier(stale, l.began().Add(max(staleIn, 6*l.Took)))
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Why returns why the service is stale, "" if it is not.
func (l ServiceLink) Why(now time.Time) string {
	_, silence := l.limits()
	switch {
	case l.State(now) != Stale:
		return ""
	case l.Lost != "":
		return l.Lost
	case now.Sub(l.heard()) < silence:
		return l.Name + " has been answering for " + now.Sub(l.began()).Round(time.Second).String() + " without coming to an end"
	}
	return l.Name + " has not answered for " + now.Sub(l.heard()).Round(time.Second).String()
}

// Turns returns when State will change if nothing else happens; the zero time for never.
func (l ServiceLink) Turns(now time.Time) time.Time {
	slow, stale := l.until()
	switch {
	case l.Lost != "":
		return time.Time{}
	case slow.After(now):
		return slow
	case stale.After(now):
		return stale
	}
	return time.Time{}
}

// Identities are the names of projects and users, which Keystone may give: nothing is
// judged by them, so that it is no matter whether they were read.
const Identities Part = "names of projects and users"

// PlacementParts returns the parts that Placement reports, which are read together.
func PlacementParts() []Part { return []Part{Providers, Names, Contents, Allocations} }
