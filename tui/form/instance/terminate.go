package instance

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/form"
	"github.com/placetop/placetop/tui/form/course"
	"github.com/placetop/placetop/tui/screen"
)

// live returns the instance that arg, a uuid, names.
//
// Errors: placement.ErrInvalid; placement.ErrNotFound, for one that is deleted too.
func live(s *cloud.Snapshot, arg string) (*nova.Instance, error) {
	id, err := placement.ParseConsumerID(arg)
	if err != nil {
		return nil, err
	}
	i, ok := s.Nova().Instance(id)
	if !ok || !i.Live() {
		return nil, &placement.NotFoundError{What: "instance", Name: arg}
	}
	return i, nil
}

// OpenTerminate makes the screen of kind screen.Terminate: arg is the uuid of an
// instance. Its name must be typed, as it does not come back.
func OpenTerminate(env screen.Env, arg string) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	i, err := live(snap, arg)
	if err != nil {
		return nil, err
	}
	return course.New(env, snap, course.Spec{
		Title: "terminate " + i.Name, Verb: "terminate",
		Make: func() course.Courses { return course.Courses{Run: ops.Terminate{Instance: i.UUID}} },
		Word: func(*cloud.Snapshot) string { return i.Name },
	}), nil
}

// OpenHeal makes the screen of kind screen.Heal: arg is the uuid of an instance
// that does not hold what its flavor asks for.
func OpenHeal(env screen.Env, arg string) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	i, err := live(snap, arg)
	if err != nil {
		return nil, err
	}
	return form.NewConfirm(env, snap, "heal", "heal "+i.Name, func(s *cloud.Snapshot) (ops.Plan, error) {
		heals, err := ops.PlanHeal(s, ops.HealOptions{Instance: i.UUID, Force: true})
		if err != nil {
			return ops.Plan{}, err
		}
		if h := heals[0]; h.Why != "" {
			return ops.Plan{}, placement.StateErrorf("%s: %s", i.Name, h.Why)
		}
		return heals[0].Plan, nil
	}, ""), nil
}
