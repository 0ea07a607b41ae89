package ops

import (
	"fmt"
	"maps"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// PlanFlavor plans verbs about the named flavor, such as a new one or its next
// revision, to be written at the given time. It warns if the flavor then asks for a
// device profile that does not exist.
//
// Errors: those of the verbs; *nova.ExtraSpecError for a class or trait that Placement
// does not know.
func PlanFlavor(s *cloud.Snapshot, note, name string, at time.Time, verbs ...nova.Op) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		return cloud.Change{Note: note, At: at, Ops: verbs}, checkSpecs(s, verbs)
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

// checkSpecs refuses extra specs that make no valid request to Placement.
func checkSpecs(s *cloud.Snapshot, verbs []nova.Op) error {
	for _, op := range verbs {
		switch op := op.(type) {
		case nova.CreateFlavor:
			if err := op.Flavor.CheckExtraSpecs(s.Placement()); err != nil {
				return err
			}
		case nova.SetExtraSpecs:
			f, ok := s.Nova().FlavorNamed(op.Flavor)
			if !ok {
				continue
			}
			own := *f
			own.ExtraSpecs = op.ExtraSpecs.On(f.ExtraSpecs)
			if maps.Equal(f.ExtraSpecs, own.ExtraSpecs) {
				continue
			}
			if err := own.CheckExtraSpecs(s.Placement()); err != nil {
				return err
			}
		}
	}
	return nil
}

// PlanDeleteFlavor plans to delete a flavor by name, and warns of instances that have
// it: they keep it.
//
// Errors: placement.ErrNotFound.
func PlanDeleteFlavor(s *cloud.Snapshot, name string) (Plan, error) {
	return Decider(func(*cloud.Snapshot) (cloud.Change, error) {
		return cloud.Change{Note: "delete flavor " + name, Ops: []cloud.Op{nova.DeleteFlavor{Flavor: name}}}, nil
	}).With(func(p Plan) []string {
		if n := FlavorUsers(p.On, name); n > 0 {
			if n == 1 {
				return []string{"1 instance has flavor " + name + ", and keeps it"}
			}
			return []string{fmt.Sprintf("%d instances have flavor %s, and keep it", n, name)}
		}
		return nil
	}).Plan(s)
}

// FlavorUsers returns how many live instances use a revision of the named flavor, or
// are being resized to one.
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
