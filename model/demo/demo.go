// Package demo makes up a cloud: compute nodes in racks and zones, cards owned by Nova
// and by Cyborg, sharing pools, instances that fill it to about 60 %, and one case of
// each problem that an operator meets.
//
// The cloud is made of Changes like any other: Build yields them in order of time, and
// the caller applies them. With a dozen hosts the journal then tells a story: computes
// report, instances come and go, a resize waits to be confirmed, an operator shrinks an
// inventory. With thousands of hosts, similar Changes are merged, so that it is quick.
//
// The same Options always give the same Changes.
//
// A Script is a story played on such a cloud step by step: each step says what will
// happen, does it through the use-cases, and says what can be seen.
package demo

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Options says which cloud to make.
type Options struct {
	// Hosts is the number of compute nodes, 1 to MaxHosts; 0 for DefaultHosts.
	// The troubles sit on the first twelve: a cloud with fewer has fewer of them.
	Hosts int
	// Troubles asks for all cases of the triage table. Without it there are those which the
	// story of the transition needs, and those that are older.
	Troubles bool
	// Seed picks one of many clouds of the same shape.
	Seed uint64
	// Now is when the story ends: the last Changes are minutes older.
	Now time.Time
}

// Bounds of Options.Hosts.
const (
	DefaultHosts = 12
	MaxHosts     = 100_000
)

// Build returns the Changes that make the cloud of o out of an empty one, oldest
// first. The error matches placement.ErrInvalid and names the option.
func Build(o Options) (iter.Seq[cloud.Change], error) {
	o.Hosts = cmp.Or(o.Hosts, DefaultHosts)
	if o.Hosts < 1 || o.Hosts > MaxHosts {
		return nil, &placement.InvalidError{
			Field: "hosts", Value: fmt.Sprint(o.Hosts), Why: fmt.Sprintf("must be from 1 to %d", MaxHosts),
		}
	}
	if o.Now.IsZero() {
		return nil, &placement.InvalidError{Field: "now", Why: "the time at which the story ends is required"}
	}
	return func(yield func(cloud.Change) bool) {
		f := newFleet(o)
		f.raise()
		f.play(f.Stage)
		f.fill()
		f.churn()
		if o.Troubles {
			f.play(f.data.Troubles) // last, so that they add to the same cloud
		}
		f.join()
		f.beats()
		f.tell(yield)
	}, nil
}

// AggregateID returns the aggregate of a demo cloud with the given name, such as "az-1",
// "gpu", "storage-1". Placement keeps no names of aggregates; these follow from the name,
// whatever the seed.
func AggregateID(name string) placement.AggregateID {
	return placement.AggregateID(named("aggregate", name))
}

// named returns the uuid for a name among things of the same sort, in the way that Cyborg
// and Neutron derive the uuids of their providers.
//
// Source: cyborg/conductor/manager.py, get_rp_uuid; neutron's
// placement_report agent extension.
func named(sort, name string) uuid.UUID {
	return uuid.NewSHA1(uuid.NewSHA1(uuid.NameSpaceDNS, []byte(sort)), []byte(name))
}
