package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// OpenDelete makes the page that deletes providers, each with all below it. The name must
// be typed, or how many there are. If consumers hold something of them, a key releases
// that too.
//
// Errors: placement.ErrNotFound.
func OpenDelete(env screen.Env, at place.DelProvider) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	p, err := snap.Placement().FindProvider(at.ID)
	if err != nil {
		return nil, err
	}
	ids := append([]placement.ProviderID{at.ID}, place.IDs[placement.ProviderID](at.Others)...)
	title, word := "delete provider "+p.Name(), p.Name()
	if len(ids) > 1 {
		title, word = "delete "+component.Plural(len(ids), "provider"), "delete"
	}
	release := false
	plan := func(release bool) ops.Planner {
		return func(s *cloud.Snapshot) (ops.Plan, error) { return planDelete(s, title, ids, release) }
	}
	set := func(to bool) func() ops.Planner {
		return func() ops.Planner {
			release = to
			return plan(to)
		}
	}
	return confirm.New(env, snap, confirm.Spec{
		Title: title, Verb: "delete",
		Plan: plan(false),
		Word: func(*cloud.Snapshot, ops.Preview) string { return word },
		InTheWay: func(s *cloud.Snapshot) (string, []string) {
			held := holders(s, ids)
			lines := make([]string, len(held))
			for i, h := range held {
				lines[i] = h.line(s)
			}
			who := map[placement.ConsumerID]bool{}
			for _, h := range held {
				who[h.consumer] = true
			}
			return "HELD BY " + strings.ToUpper(component.Plural(len(who), "consumer")), lines
		},
		Keys: func() []confirm.Key {
			n := len(holders(env.Cloud.Snapshot(), ids))
			if n == 0 && !release {
				return nil
			}
			if release {
				return []confirm.Key{{Key: "x", Title: "keep what is held", Help: "refuse while something holds it", Set: set(false)}}
			}
			return []confirm.Key{
				{Key: "i", Title: "consumers", Help: "list who holds something of it", To: place.Consumers{Filter: held(env.Cloud.Snapshot(), ids)}},
				{Key: "x", Title: "release " + component.Plural(n, "allocation") + " too", Help: "release what is held on it, then delete it", Set: set(true)},
			}
		},
	}), nil
}

// planDelete plans to delete providers with their subtrees; with release also what is
// held of them.
func planDelete(s *cloud.Snapshot, title string, ids []placement.ProviderID, release bool) (ops.Plan, error) {
	var wishes []ops.Planner
	if release {
		for _, h := range holders(s, ids) {
			wishes = append(wishes, func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanRelease(s, h.consumer, h.from) })
		}
	}
	for _, id := range ids {
		wishes = append(wishes, func(s *cloud.Snapshot) (ops.Plan, error) {
			if _, ok := s.Placement().Provider(id); !ok && len(ids) > 1 {
				return ops.Plan{}, nil // it was below another of them
			}
			return ops.PlanDeleteProvider(s, id, true)
		})
	}
	if len(wishes) == 1 {
		return wishes[0].Plan(s)
	}
	return ops.PlanAll(s, title, wishes...)
}

// holder is a consumer that holds something of one provider.
type holder struct {
	consumer placement.ConsumerID
	from     placement.ProviderID
}

// holders returns who holds what of providers and their subtrees.
func holders(s *cloud.Snapshot, ids []placement.ProviderID) []holder {
	var out []holder
	seen := map[placement.ProviderID]bool{}
	for _, id := range ids {
		p, ok := s.Placement().Provider(id)
		if !ok {
			continue
		}
		for q := range s.Placement().Within(p) {
			if seen[q.ID()] {
				continue
			}
			seen[q.ID()] = true
			for c := range s.Placement().ConsumersOf(q) {
				out = append(out, holder{c.ID(), q.ID()})
			}
		}
	}
	return out
}

// held returns the filter of who holds something of providers and their subtrees.
func held(s *cloud.Snapshot, ids []placement.ProviderID) string {
	var terms []string
	for _, h := range holders(s, ids) {
		if term := "uuid=" + h.consumer.String(); !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	return strings.Join(terms, " | ")
}

// line returns what is held, by whom and on which provider.
func (h holder) line(s *cloud.Snapshot) string {
	p, ok := s.Placement().Provider(h.from)
	c, known := s.Placement().Consumer(h.consumer)
	if !ok || !known {
		return h.consumer.String()
	}
	return fmt.Sprintf("%-26s %-20s %s", ops.ConsumerName(s, h.consumer), panel.ShortName(s.Placement(), p), panel.Held(s.Placement(), c, p))
}
