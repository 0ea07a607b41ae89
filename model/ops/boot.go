package ops

import (
	"cmp"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Boot is the Task that makes an instance and starts it:
//
//	record   the instance is written: building, scheduling
//	claim    it lands: one claim on one candidate, of Nova's providers and Cyborg's alike
//	request  accelerator requests are made, where the flavor has a device profile
//	bind     each gets an attach handle: Cyborg is asked, and they are BindStarted
//	attach   Cyborg has made the devices on the host: they are Bound. Nova waits for
//	         that for 300 s
//	start    the guest is started: active
//
// A host whose nova-compute has no device for the claim cannot start the guest: the claim
// is released, and the boot continues elsewhere (retry). If a step fails everything is
// undone in the opposite order, and the instance is in error with its fault. A boot being
// undone is an instance in error that has a task state. A device that cannot be detached
// then stays claimed by the instance, so that no other gets it.
//
// Source: nova/conductor/manager.py, schedule_and_build_instances;
// nova/compute/manager.py, _do_build_and_run_instance.
type Boot struct {
	Instance placement.ConsumerID // uuid that the instance gets, or that of one whose boot goes on
	Wish     BootWish             // for the record; an existing instance says itself what it wants
	Undo     bool                 // give the boot up
	Pick     *Place               // the place to land at; nil for the first
	Ask      nova.AskOptions      // how the request departs from what the cloud is set to
	Indexer  *candidates.Indexer  // shared with others; nil to make one

	lost excludedPlaces
}

// BootWish describes a new instance.
type BootWish struct {
	Name           string
	Flavor         string // name of the flavor
	Project        string
	User           string
	Zone           string // availability zone; "" for any
	Host           string // host that is forced; "" for any
	BootFromVolume bool
	ImageTraits    []placement.Trait // trait:X=required of the image
	Image          map[string]string // properties of the image, and nova.DiskFormat; nil for unknown
}

var _ Task = Boot{}

// About implements Task.
func (b Boot) About() Description { return Description{Name: "boot", Instance: b.Instance} }

// Next implements Task.
//
// Errors: placement.ErrInvalid and placement.ErrNotFound about the wish;
// placement.ErrState for an instance that is being deleted. That there is no
// place for the instance is the Cause of a step, a *NoValidHostError.
func (b Boot) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	i, ok := s.Nova().Instance(b.Instance)
	if !ok {
		step, err := b.record(s, at)
		return step, err == nil, err
	}
	u := boot{work{s: s, i: i, at: at}, b}
	switch {
	case i.TaskState == nova.Deleting || !i.Live():
		return Step{}, false, placement.StateErrorf("boot %s: it is being deleted", i.Name)
	case i.VMState == nova.Broken && booting(i.TaskState):
		return u.next(u.back())
	case i.VMState != nova.Building:
		return Step{}, false, nil
	case b.Undo:
		return u.turnRound("undo", "give up the boot of "+i.Name, "the boot was given up", nil), true, nil
	}
	return u.next(u.there())
}

// without implements elsewhere.
func (b Boot) without(step Step) (Task, bool) {
	lost, ok := b.lost.with(step, b.Instance)
	b.lost = lost
	return b, ok
}

// Failed implements Task.
func (b Boot) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	i, ok := s.Nova().Instance(b.Instance)
	if !ok {
		return cloud.Change{}, nil // nothing was written yet
	}
	if i.VMState == nova.Broken {
		return revertFailure(step, cause), nil
	}
	u := boot{work{s: s, i: i, at: at}, b}
	return stepFailure(at, u.turnRound(step.Name, "undo the boot of "+i.Name, cause.Error(), cause), cause), nil
}

// booting reports whether a task state belongs to a boot.
func booting(t nova.TaskState) bool {
	return t == nova.Scheduling || t == nova.BlockDevice || t == nova.Spawning
}

// record returns the step that creates the instance.
//
// Source: nova/compute/api.py, _validate_and_build_base_options.
func (b Boot) record(s *cloud.Snapshot, at time.Time) (Step, error) {
	if b.Undo {
		return Step{}, placement.NotFound("instance", b.Instance.String())
	}
	i, f, err := b.wished(s, at)
	if err != nil {
		return Step{}, err
	}
	step := Step{Name: "record", Title: fmt.Sprintf("boot %s with %s", i.Name, f.Name)}
	step.Change.Ops = []cloud.Op{nova.CreateInstance{Instance: i}}
	return step, nil
}

// wished returns the instance to boot, with its flavor.
func (b Boot) wished(s *cloud.Snapshot, at time.Time) (*nova.Instance, *nova.Flavor, error) {
	w := b.Wish
	for _, need := range []struct{ field, value string }{{"name", w.Name}, {"project_id", w.Project}, {"user_id", w.User}} {
		if err := nova.CheckName(need.field, need.value); err != nil {
			return nil, nil, err
		}
	}
	f, ok := s.Nova().FlavorNamed(w.Flavor)
	switch {
	case !ok:
		return nil, nil, s.Missing(placement.NotFound("flavor", w.Flavor), cloud.Flavors)
	case f.Disabled:
		return nil, nil, placement.Invalid("flavor", w.Flavor, "is disabled")
	}
	i := &nova.Instance{
		UUID: b.Instance, Name: w.Name, Project: w.Project, User: w.User, Flavor: f.Ref(), Zone: w.Zone, ForcedHost: w.Host,
		BootFromVolume: w.BootFromVolume, ImageTraits: w.ImageTraits, Image: w.Image, VMState: nova.Building, TaskState: nova.Scheduling,
		Created: versioned.Millis(at), Updated: versioned.Millis(at), Requested: requested(nova.Destination{}, b.Pick),
	}
	if err := i.Validate(); err != nil {
		return nil, nil, err
	}
	return i, f, CheckRequestable(s, i, f, b.Ask)
}

// Places returns where a new instance may land, in the order in which the places
// would be taken, and those on hosts that are down or disabled at the given time.
//
// Errors: those of Next about the wish, and of nova.Snapshot.Ask. That there is no
// place is a *NoValidHostError, with the Places nevertheless.
func (b Boot) Places(s *cloud.Snapshot, at time.Time) (Places, error) {
	i, _, err := b.wished(s, at)
	if err != nil {
		return Places{}, err
	}
	u := boot{work{s: s, i: i, at: at}, b}
	places, err := u.places()
	return tried(s, u.asked(), places, err)
}

// boot is the state of a Boot in a Snapshot.
type boot struct {
	work
	Boot
}

// turnRound returns the step that starts the undoing.
func (u boot) turnRound(name, title, fault string, cause error) Step {
	return u.turn(name, title, fault, cause, func(_ *nova.Migration, i *nova.Instance) { i.VMState, i.Fault = nova.Broken, fault })
}

// fail returns the step that gives up because of err.
func (u boot) fail(err error) Step {
	return u.turnRound("fail", "boot "+u.i.Name, err.Error(), err)
}

// there returns the steps of a boot without problems.
func (u boot) there() []row {
	i, spawning := u.i, u.i.TaskState == nova.Spawning
	return []row{
		u.claim(!spawning && i.Host == "", landing{
			places: u.places, asked: u.asked(), fail: u.fail,
			landed: func(_ *nova.Migration, i *nova.Instance, at Place, of Places) {
				i.Host, i.Mappings, i.TaskState, i.Requested = at.Host, at.Mappings, nova.BlockDevice, nil
				i.AskDevices(of.Request.PCI)
				if f, err := u.flavor(i.Flavor); err == nil && f.DeviceProfile() == "" {
					i.TaskState = nova.Spawning
				}
			},
		}),
		u.acquire(!spawning, i.Flavor, i.Host, i.UUID, i.UUID, u.fail),
		step("spawn", !spawning, i.Name+" has its devices", nil, func(_ *nova.Migration, i *nova.Instance) { i.TaskState = nova.Spawning }),
		u.unspawnable(spawning, "retry", i.Host, u.reschedule),
		step("start", spawning, fmt.Sprintf("start %s on %s", i.Name, i.Host), u.guest(StartGuest, i.Host), func(_ *nova.Migration, i *nova.Instance) {
			i.VMState, i.TaskState, i.Fault, i.Tried = nova.Active, "", "", nil
		}),
	}
}

// back returns the steps that undo it: the guest, the devices, then the claim.
func (u boot) back() []row {
	i, arqs := u.i, arqsOf(u.s, []string{u.i.Flavor}, u.i.UUID)
	has, _ := held(u.s, i.UUID)
	parked := stuckPart(has, stuckOf(arqs))
	release := step("release", true, i.Name+" holds nothing any more", nil, func(_ *nova.Migration, i *nova.Instance) {
		i.TaskState = ""
		if len(parked) == 0 {
			i.Host, i.Mappings = "", nil
		}
	})
	if len(parked) > 0 {
		release.title = fmt.Sprintf("%s keeps %s, which did not let go", i.Name, api.Resources(parked.Sum()))
	}
	if has != nil {
		release.also = writeClaims(u.hold(i.UUID, parked))
	}
	return []row{
		step("stop", i.TaskState == nova.Spawning, fmt.Sprintf("stop %s on %s", i.Name, i.Host), u.guest(StopGuest, i.Host), func(_ *nova.Migration, i *nova.Instance) {
			i.TaskState = nova.BlockDevice
		}),
		u.unbind(true, arqs), release,
	}
}

// asked returns where the instance is asked to go: to the place that was picked, or else
// to the host that it is forced to; nil for anywhere.
func (u boot) asked() *nova.Destination {
	if u.i.Requested == nil && u.i.ForcedHost != "" {
		return &nova.Destination{Host: u.i.ForcedHost}
	}
	return u.i.Requested
}

// places returns where the instance may land: not on a host that is down or disabled.
func (u boot) places() (Places, error) {
	f, err := u.flavor(u.i.Flavor)
	if err != nil {
		return Places{}, err
	}
	return fits(u.s, u.Indexer, u.i, f, u.Ask, u.i.Requested, func(p *Place) string {
		return cmp.Or(unfitReason(u.s, p.Host, u.at), u.tried(*p), u.lost.why(*p))
	})
}
