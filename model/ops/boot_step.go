package ops

import (
	"cmp"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/wire"
)

// boot is a Boot as one Snapshot has it.
type boot struct {
	Boot
	s  *cloud.Snapshot
	i  *nova.Instance
	at time.Time
}

// put adds to c that the instance is as edit leaves it.
func (u boot) put(c *cloud.Change, edit func(*nova.Instance)) {
	c.Put(u.s, u.i.Edit(func(i *nova.Instance) {
		i.Updated = versioned.Millis(u.at)
		edit(i)
	}))
}

// turn is the step that begins the undoing.
func (u boot) turn(name, title, fault string, cause error) Step {
	step := Step{Name: name, Title: title, Cause: cause}
	step.Change.Note = title + ": " + fault
	u.put(&step.Change, func(i *nova.Instance) { i.VMState, i.Fault = nova.Broken, fault })
	return step
}

// fail is the step that gives up because of err.
func (u boot) fail(err error) Step {
	return u.turn("fail", "boot "+u.i.Name, err.Error(), err)
}

// forward is the next step of a boot that nothing is wrong with.
func (u boot) forward() Step {
	if u.i.TaskState == nova.Spawning {
		if err := spawnable(u.s, u.i, u.i.Host); err != nil {
			return u.reschedule(err)
		}
		return u.start()
	}
	f, ok := u.s.Nova().Flavor(u.i.Flavor)
	if !ok {
		return u.fail(&placement.NotFoundError{What: "flavor", Name: u.i.Flavor})
	}
	if u.i.Host == "" {
		return u.claim(f)
	}
	step, more, err := u.devices(f).acquire(u.s, u.at)
	switch {
	case err != nil:
		return u.fail(err)
	case more:
		return step
	}
	step = Step{Name: "spawn", Title: u.i.Name + " has its devices"}
	u.put(&step.Change, func(i *nova.Instance) { i.TaskState = nova.Spawning })
	return step
}

func (u boot) devices(f *nova.Flavor) devices {
	return devices{profile: f.DeviceProfile(), maker: u.i.UUID, holder: u.i.UUID, instance: u.i, host: u.i.Host, mappings: u.i.Mappings}
}

// claim lands the instance: it claims the first place there is, or the one that
// was picked. Where there is none it fails.
//
// Source: nova/compute/resource_tracker.py, instance_claim.
func (u boot) claim(f *nova.Flavor) Step {
	x := indexOf(u.Indexer, u.s)
	places, err := u.places(f, x)
	if err != nil {
		return u.fail(err)
	}
	place, err := places.choose(u.s, u.wish())
	if err != nil {
		return u.fail(err)
	}
	step := Step{Name: "claim", Title: fmt.Sprintf("claim %s on %s for %s", place.takes(places.Request), place.Host, u.i.Name)}
	step.Change.Ops = append(step.Change.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: u.i.UUID, Generation: placement.NewConsumer(), Type: placement.InstanceConsumer,
		Project: u.i.Project, User: u.i.User, Allocations: place.Allocations,
	}}})
	u.put(&step.Change, func(i *nova.Instance) {
		i.Host, i.Mappings, i.TaskState, i.Requested = place.Host, place.Mappings, nova.BlockDevice, nil
		i.AskDevices(places.Request.PCI)
		if f.DeviceProfile() == "" {
			i.TaskState = nova.Spawning
		}
	})
	return step
}

// wish returns where the instance is asked to go: to the place that was picked, or else
// to the host that it is forced to; nil for anywhere.
func (u boot) wish() *nova.Destination {
	if u.i.Requested == nil && u.i.ForcedHost != "" {
		return &nova.Destination{Host: u.i.ForcedHost}
	}
	return u.i.Requested
}

// places returns where the instance may land: not on a host that is down or disabled.
func (u boot) places(f *nova.Flavor, x *candidates.Index) (Places, error) {
	spec, err := RequestSpecOf(u.s, u.i, f)
	if err != nil {
		return Places{}, err
	}
	spec.Host = u.i.ForcedHost
	places, err := placesFor(u.s, x, spec, u.Ask, u.i.Requested)
	if err != nil {
		return Places{}, err
	}
	places.leave(func(p *Place) string { return cmp.Or(unfit(u.s, p.Host, u.at), u.tried(*p), u.lost.why(*p)) })
	return places, nil
}

// start starts the guest.
func (u boot) start() Step {
	step := Step{
		Name: "start", Title: fmt.Sprintf("start %s on %s", u.i.Name, u.i.Host),
		Acts: []Act{{Kind: StartGuest, Host: u.i.Host, Instance: u.i.UUID}},
	}
	u.put(&step.Change, func(i *nova.Instance) { i.VMState, i.TaskState, i.Fault, i.Tried = nova.Active, "", "", nil })
	return step
}

// undo is the next step back: the guest, the devices, then the claim.
func (u boot) undo() (Step, bool, error) {
	if u.i.TaskState == nova.Spawning {
		step := Step{
			Name: "stop", Title: fmt.Sprintf("stop %s on %s", u.i.Name, u.i.Host),
			Acts: []Act{{Kind: StopGuest, Host: u.i.Host, Instance: u.i.UUID}},
		}
		u.put(&step.Change, func(i *nova.Instance) { i.TaskState = nova.BlockDevice })
		return step, true, nil
	}
	arqs := arqsOf(u.s, []string{u.i.Flavor}, u.i.UUID)
	if step, more, err := giveBack(u.s, u.at, u.i, arqs); more || err != nil {
		return step, more, err
	}
	return u.release(stuckOf(arqs)), true, nil
}

// release gives up the claim, but for the devices that did not let go.
func (u boot) release(stuck []*cyborg.ARQ) Step {
	step := Step{Name: "release", Title: fmt.Sprintf("%s holds nothing any more", u.i.Name)}
	has, generation := held(u.s, u.i.UUID)
	parked := parkedOf(has, stuck)
	if len(parked) > 0 {
		step.Title = fmt.Sprintf("%s keeps %s, which did not let go", u.i.Name, wire.Resources(sumOf(parked)))
	}
	if has != nil {
		step.Change.Ops = append(step.Change.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: u.i.UUID, Generation: generation, Type: placement.InstanceConsumer,
			Project: u.i.Project, User: u.i.User, Allocations: parked,
		}}})
	}
	u.put(&step.Change, func(i *nova.Instance) {
		i.TaskState = ""
		if len(parked) == 0 {
			i.Host, i.Mappings = "", nil
		}
	})
	return step
}
