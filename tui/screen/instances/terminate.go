package instances

import (
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// live returns the instance with a uuid.
//
// Errors: placement.ErrNotFound, also for a deleted one.
func live(s *cloud.Snapshot, id placement.ConsumerID) (*nova.Instance, error) {
	i, ok := s.Nova().Instance(id)
	if !ok || !i.Live() {
		return nil, &placement.NotFoundError{What: "instance", Name: id.String()}
	}
	return i, nil
}

// OpenTerminate makes the screen of a place. The name of the instance must be typed, as
// it does not come back.
func OpenTerminate(env screen.Env, at place.Terminate) (screen.Screen, error) {
	return terminate(env, at.Instance)
}

// terminate makes the page that ends instances for good, one after the other. For
// several, the verb must be typed.
func terminate(env screen.Env, ids ...placement.ConsumerID) (screen.Screen, error) {
	return ending(env, confirm.Spec{Verb: "terminate"}, true, ids, func(id placement.ConsumerID) confirm.Courses {
		return confirm.Courses{Run: ops.Terminate{Instance: id}}
	})
}

// ending makes the page of a course for each of some instances. If typed is set, or there
// are several, the name or the verb must be typed. The title is the verb, the instances,
// and spec.Title.
func ending(env screen.Env, spec confirm.Spec, typed bool, ids []placement.ConsumerID, course func(placement.ConsumerID) confirm.Courses) (screen.Screen, error) {
	snap, what := env.Cloud.Snapshot(), component.Plural(len(ids), "instance")
	word := spec.Verb
	for _, id := range ids {
		i, err := live(snap, id)
		if err != nil {
			return nil, err
		}
		if len(ids) == 1 {
			what, word = i.Name, i.Name
		}
	}
	verb, more := spec.Verb, spec.Title
	title := func(what string) string { return strings.TrimSpace(verb + " " + what + " " + more) }
	spec.Title = title(what)
	spec.Some = func(n int) string { return title(component.Count(n) + " of " + what) }
	spec.Make = func() confirm.Courses {
		if len(ids) == 1 {
			return course(ids[0])
		}
		run := make(ops.Each, len(ids))
		for n, id := range ids {
			run[n] = course(id).Run
		}
		return confirm.Courses{Run: run}
	}
	if typed || len(ids) > 1 {
		spec.Word = func(*cloud.Snapshot, ops.Preview) string { return word }
	}
	return confirm.New(env, snap, spec), nil
}

// OpenHeal makes the screen of a place: of an instance that does not hold what its
// flavor asks for.
func OpenHeal(env screen.Env, at place.Heal) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	i, err := live(snap, at.Instance)
	if err != nil {
		return nil, err
	}
	return confirm.Write(env, snap, "heal", "heal "+i.Name, func(s *cloud.Snapshot) (ops.Plan, error) {
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
