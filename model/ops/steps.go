package ops

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// row is a step of a task in the table of its steps. A table has the steps in the order
// in which they are taken; the one to take next is the first that is due and has
// something to do. That depends only on the cloud, so that a task which was killed
// between any two steps, or after the acts of one, continues with the same row.
//
//	           boot      move         undone by
//	record     record    park         release, restore
//	land       claim     claim        release, restore
//	devices    request, bind, attach  unbind
//	ready      spawn     stop         -, start
//	                     copy         restore
//	           retry                  of its own
//	guest      start     start        stop
type row struct {
	name  string
	due   bool // whether it is its turn, according to the cloud
	title string
	acts  []Act
	write func(*nova.Migration, *nova.Instance) // edits Nova's records; nil if they stay
	// also adds to the step what else it writes, or replaces it. If more is false there
	// is nothing to do, and the next row is tried. nil adds nothing.
	also func(*Step) (more bool, err error)
}

// step returns the row of a step that only writes Nova's records.
func step(name string, due bool, title string, acts []Act, write func(*nova.Migration, *nova.Instance)) row {
	return row{name: name, due: due, title: title, acts: acts, write: write}
}

// work is what a task finds on a Snapshot: the instance, and the migration that moves it.
type work struct {
	s  *cloud.Snapshot
	i  *nova.Instance
	m  *nova.Migration // nil for a boot and a delete
	at time.Time
}

// next returns the step of the first row that is due and has something to do.
func (u work) next(table []row) (Step, bool, error) {
	for _, r := range table {
		if !r.due {
			continue
		}
		step := Step{Name: r.name, Title: r.title, Acts: r.acts}
		if r.also != nil {
			more, err := r.also(&step)
			switch {
			case err != nil:
				return Step{}, false, err
			case !more:
				continue
			}
		}
		if r.write != nil {
			u.write(&step.Change, r.write)
		}
		return step, true, nil
	}
	return Step{}, false, nil
}

// write adds to c the changes that edit makes to instance and migration.
func (u work) write(c *cloud.Change, edit func(*nova.Migration, *nova.Instance)) {
	i := versioned.Clone(u.i)
	var m *nova.Migration
	if u.m != nil {
		m = versioned.Clone(u.m)
	}
	edit(m, i)
	c.Ops = append(slices.Clip(c.Ops), u.i.To(i)...)
	if m == nil {
		return
	}
	if _, known := u.s.Nova().Migration(m.UUID); known {
		c.Ops = append(c.Ops, u.m.To(m)...)
	} else {
		c.Ops = append(c.Ops, nova.CreateMigration{Migration: m})
	}
}

// turn returns the step that turns a task round because of cause, which is nil if the
// operator wants it so, and nothing has failed. why goes into the journal.
func (u work) turn(name, title, why string, cause error, edit func(*nova.Migration, *nova.Instance)) Step {
	step := Step{Name: name, Title: title, Cause: cause}
	if why != "" {
		step.Change.Note = title + ": " + why
	}
	u.write(&step.Change, edit)
	return step
}

// guest returns an act on the guest.
func (u work) guest(kind ActKind, host string) []Act {
	return []Act{{Kind: kind, Host: host, Instance: u.i.UUID}}
}

// starts returns the act that starts the guest, unless it was stopped before the move.
func (u work) starts(host string) []Act {
	if u.m.OldState == nova.Stopped {
		return nil
	}
	return u.guest(StartGuest, host)
}

// hold returns a claim that replaces what the instance, or its migration, holds; an empty
// one releases everything.
func (u work) hold(id placement.ConsumerID, a Amounts) placement.Claim {
	_, generation := held(u.s, id)
	c := placement.Claim{Consumer: id, Generation: generation, Type: placement.InstanceConsumer, Project: u.i.Project, User: u.i.User, Allocations: a}
	if id != u.i.UUID {
		c.Type = placement.MigrationConsumer
	}
	return c
}

// replace adds claims to c, in one write.
func replace(c *cloud.Change, claims ...placement.Claim) {
	c.Ops = append(c.Ops, placement.ReplaceClaims(claims...))
}

// writeClaims returns an also that adds claims to a step, as one write.
func writeClaims(claims ...placement.Claim) func(*Step) (bool, error) {
	return func(step *Step) (bool, error) {
		replace(&step.Change, claims...)
		return true, nil
	}
}

// landing describes how an instance gets a place.
type landing struct {
	places func() (Places, error)
	asked  *nova.Destination // nil for anywhere
	fail   func(error) Step  // the step if there is no place
	landed func(m *nova.Migration, i *nova.Instance, at Place, of Places)
}

// claim returns the row that claims the first place, or the one that was picked.
//
// Source: nova/scheduler/utils.py, claim_resources; nova/compute/resource_tracker.py,
// instance_claim.
func (u work) claim(due bool, l landing) row {
	return row{name: "claim", due: due, also: func(step *Step) (bool, error) {
		places, err := l.places()
		var at Place
		if err == nil {
			at, err = places.choose(u.s, l.asked)
		}
		if err != nil {
			*step = l.fail(err)
			return true, nil
		}
		step.Title = fmt.Sprintf("claim %s on %s for %s", at.takes(places.Request), at.Host, u.i.Name)
		claim := u.hold(u.i.UUID, at.Allocations)
		claim.Generation = placement.NewConsumer()
		replace(&step.Change, claim)
		u.write(&step.Change, func(m *nova.Migration, i *nova.Instance) { l.landed(m, i, at, places) })
		return true, nil
	}}
}

// acquire returns the row that creates the accelerator requests of a flavor for maker,
// and binds them to holder on a host, one step at a time.
func (u work) acquire(due bool, flavor, host string, maker, holder placement.ConsumerID, fail func(error) Step) row {
	return row{name: "devices", due: due, also: func(step *Step) (more bool, err error) {
		f, err := u.flavor(flavor)
		if err == nil {
			d := devices{profile: f.DeviceProfile(), maker: maker, holder: holder, instance: u.i, host: host, mappings: u.i.Mappings}
			*step, more, err = d.acquire(u.s, u.at)
		}
		if err != nil {
			*step, more = fail(err), true
		}
		return more, nil
	}}
}

// unspawnable returns the row that turns a task round if its host cannot start the guest.
func (u work) unspawnable(due bool, name, host string, fail func(error) Step) row {
	return row{name: name, due: due, also: func(step *Step) (bool, error) {
		err := spawnable(u.s, u.i, host)
		if err != nil {
			*step = fail(err)
		}
		return err != nil, nil
	}}
}

// unbind returns the row that releases those requests that are not stuck, one step each.
func (u work) unbind(due bool, arqs []*cyborg.ARQ) row {
	return row{name: "unbind", due: due, also: func(step *Step) (more bool, err error) {
		*step, more = giveBack(u.s, u.at, u.i, arqs)
		return more, nil
	}}
}

// free returns the row that waits until an operator has freed the stuck devices.
func (u work) free(due bool, arqs []*cyborg.ARQ) row {
	return row{name: "free", due: due, also: func(*Step) (bool, error) {
		for _, a := range stuckOf(arqs) {
			return false, &StuckDeviceError{ARQ: a.UUID, Host: a.Hostname}
		}
		return false, nil
	}}
}

// flavor returns the flavor with the given ref.
func (u work) flavor(ref string) (*nova.Flavor, error) {
	f, ok := u.s.Nova().Flavor(ref)
	if !ok {
		return nil, noFlavor(u.s, ref)
	}
	return f, nil
}

// revertFailure returns what is written when a step of the undoing has failed: a stuck
// device is noted.
func revertFailure(step Step, cause error) cloud.Change {
	c := cloud.Change{Note: step.Title + ": " + cause.Error()}
	if arqs, why := deviceOf(cause); arqs != nil {
		c.Ops = []cloud.Op{cyborg.FailUnbind{ARQs: arqs, Why: why}}
	}
	return c
}

// stepFailure returns what is written when a step forward has failed: the Change of turn,
// with the device that could not be created.
func stepFailure(at time.Time, turn Step, cause error) cloud.Change {
	c := turn.change(at)
	if arqs, why := deviceOf(cause); arqs != nil {
		c.Ops = append(c.Ops, cyborg.FailBind{ARQs: arqs, Why: why})
	}
	return c
}

// deviceOf returns the request of the device because of which a step failed, and why; nil
// for any other cause.
func deviceOf(cause error) (arqs []uuid.UUID, why string) {
	act := (*ActError)(nil)
	if !errors.As(cause, &act) || act.Act.ARQ == uuid.Nil {
		return nil, ""
	}
	return []uuid.UUID{act.Act.ARQ}, act.Cause.Error()
}

// indexOf returns the Index of s, by r if there is one.
func indexOf(r *candidates.Indexer, s *cloud.Snapshot) *candidates.Index {
	if r == nil {
		return candidates.NewIndex(s.Placement())
	}
	return r.Index(s.Placement())
}

// tried returns places, and an error if none of them is at the destination.
func tried(s *cloud.Snapshot, asked *nova.Destination, places Places, err error) (Places, error) {
	if err == nil {
		_, err = places.choose(s, asked)
	}
	return places, err
}

// fits returns where an instance may go with a flavor and a destination, nil for
// anywhere, without the places for which why returns a reason.
func fits(s *cloud.Snapshot, r *candidates.Indexer, i *nova.Instance, f *nova.Flavor, o nova.AskOptions, asked *nova.Destination, why func(*Place) string) (Places, error) {
	spec, err := RequestSpecOf(s, i, f)
	if err != nil {
		return Places{}, err
	}
	if i.Host == "" { // the force was only for its first place
		spec.Host = i.ForcedHost
	}
	places, err := placesFor(s, indexOf(r, s), spec, o, asked)
	if err != nil {
		return Places{}, err
	}
	places.leave(why)
	return places, nil
}

// stuckPart returns the part of a claim for stuck devices: for each, a unit of each class
// on its provider.
func stuckPart(claim Amounts, arqs []*cyborg.ARQ) Amounts {
	out := Amounts{}
	for _, a := range arqs {
		for class, n := range claim[a.Provider] {
			out.Add(a.Provider, class, min(n-out[a.Provider][class], 1))
		}
	}
	return out
}
