package ops

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
)

// PlanFlavor plans what change makes of the flavor with a name, such as a new one
// or its next revision. It warns where the flavor then asks for a device profile
// that does not exist.
//
// Errors are those of change.
func PlanFlavor(s *cloud.Snapshot, note, name string, change func(*cloud.Snapshot) (nova.PutRecords, error)) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c, err := change(s)
		return cloud.Change{Note: note, Ops: []cloud.Op{c}}, err
	}).With(func(p Plan) []string {
		f, ok := p.After.Nova().FlavorNamed(name)
		if !ok {
			return nil
		}
		var out []string
		for _, w := range p.After.Nova().Remarks(f) {
			out = append(out, w.String())
		}
		if _, ok := p.On.Cyborg().DeviceProfile(f.DeviceProfile()); !ok && f.DeviceProfile() != "" {
			out = append(out, fmt.Sprintf("flavor %s asks for device profile %s, which does not exist: nothing can be booted with it", f.Name, f.DeviceProfile()))
		}
		return out
	}).Plan(s)
}

// PlanDeleteFlavor plans to delete the flavor with a name, and warns of the
// instances that have it: they keep it.
//
// Errors: placement.ErrNotFound.
func PlanDeleteFlavor(s *cloud.Snapshot, name string) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c, err := s.Nova().DeleteFlavor(name)
		return cloud.Change{Note: "delete flavor " + name, Ops: []cloud.Op{c}}, err
	}).With(func(p Plan) []string {
		if n := FlavorUsers(p.On, name); n > 0 {
			return []string{fmt.Sprintf("instances that have it, and keep it: %d", n)}
		}
		return nil
	}).Plan(s)
}

// FlavorUsers returns how many live instances have a revision of the flavor with a
// name, or are resized to one.
func FlavorUsers(s *cloud.Snapshot, name string) int {
	of := func(ref string) bool {
		f, ok := s.Nova().Flavor(ref)
		return ok && f.Name == name
	}
	n := 0
	for i := range s.Nova().Instances() {
		if i.Live() && (of(i.Flavor) || of(i.OldFlavor) || of(i.NewFlavor)) {
			n++
		}
	}
	return n
}

// PlanProfile plans to create a device profile at the given time, and warns of
// classes and traits in it that nothing has.
//
// Errors: those of cyborg.CreateDeviceProfile.
func PlanProfile(s *cloud.Snapshot, p *cyborg.DeviceProfile, at time.Time) (Plan, *cyborg.DeviceProfile, error) {
	var made *cyborg.DeviceProfile
	plan, err := Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c, own, err := cyborg.CreateDeviceProfile(s.Cyborg(), p, at)
		made = own
		return cloud.Change{Note: "create device profile " + p.Name, Ops: []cloud.Op{c}}, err
	}).With(func(plan Plan) []string {
		var out []string
		for _, text := range made.Remarks(plan.On.Placement()) {
			out = append(out, fmt.Sprintf("device profile %s: %s", p.Name, text))
		}
		return out
	}).Plan(s)
	return plan, made, err
}

// PlanDeleteProfile plans to delete the device profile with a name, and warns of
// each flavor that asks for it.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while an accelerator request
// is of it.
func PlanDeleteProfile(s *cloud.Snapshot, name string) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c, err := cyborg.DeleteDeviceProfile(s.Cyborg(), name)
		return cloud.Change{Note: "delete device profile " + name, Ops: []cloud.Op{c}}, err
	}).With(func(p Plan) []string {
		var out []string
		for f := range p.On.Nova().CurrentFlavors() {
			if f.DeviceProfile() == name {
				out = append(out, fmt.Sprintf("flavor %s asks for it: nothing can be booted with it any more", f.Name))
			}
		}
		return out
	}).Plan(s)
}

// PlanDeviceStatus plans to take a device out of service, so that nothing new
// lands on it and what is there stays, or to put it back.
//
// Errors: placement.ErrNotFound.
func PlanDeviceStatus(s *cloud.Snapshot, id uuid.UUID, status cyborg.DeviceStatus) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c, placed, err := cyborg.SetDeviceStatus(s.Cyborg(), s.Placement(), id, status)
		if err != nil {
			return cloud.Change{}, err
		}
		verb := "enable"
		if status == cyborg.Maintaining {
			verb = "disable"
		}
		d, _ := s.Cyborg().Device(id)
		note := fmt.Sprintf("%s device %s:%s", verb, d.Hostname, s.Cyborg().AddressOf(id))
		return cloud.Change{Note: note, Ops: append(placed, c)}, nil
	}).Plan(s)
}
