package placement

import (
	"cmp"
	"iter"
	"slices"
)

// Tally is what all consumers of one type, project and user hold together. Tallies are
// kept in step with the consumers: a write changes one or two of them, and what a
// project uses is read without walking all consumers.
type Tally struct {
	Project, User string
	Type          ConsumerType
	Consumers     int64 // at least 1

	used []classUnits // by class
}

// classUnits is how many units of a class are held.
type classUnits struct {
	class ClassID
	units int64 // at least 1
}

// Used yields how many units of each class are held, by number of the class.
func (t *Tally) Used() iter.Seq2[ClassID, int64] {
	return func(yield func(ClassID, int64) bool) {
		for _, u := range t.used {
			if !yield(u.class, u.units) {
				return
			}
		}
	}
}

// compare orders Tallies by project, user and type.
func (t *Tally) compare(o *Tally) int {
	return cmp.Or(cmp.Compare(t.Project, o.Project), cmp.Compare(t.User, o.User), cmp.Compare(t.Type, o.Type))
}

// Tallies yields what the consumers of a project and a user hold, by project, user and
// type. "" for the user means all users, and "" for both all projects.
func (s *state) Tallies(project, user string) iter.Seq[*Tally] {
	return func(yield func(*Tally) bool) {
		s.tallies.Ascend(&Tally{Project: project, User: user}, func(t *Tally) bool {
			if project != "" && t.Project != project || user != "" && t.User != user {
				return false
			}
			return yield(t)
		})
	}
}

// tally adds c to its Tally, or with sign -1 takes it out.
func (e *edit) tally(c *Consumer, sign int64) {
	t := &Tally{Project: c.project, User: c.user, Type: c.typ}
	if was, ok := e.tallies.Get(t); ok { // other Snapshots may have it
		t.Consumers, t.used = was.Consumers, slices.Clone(was.used)
	}
	t.add(c, sign)
	if t.Consumers == 0 {
		e.tallies.Delete(t)
		return
	}
	e.tallies.Set(t)
}

// add adds c to t, or with sign -1 takes it out.
func (t *Tally) add(c *Consumer, sign int64) {
	t.Consumers += sign
	if t.used == nil {
		t.used = make([]classUnits, 0, len(c.allocations))
	}
	for _, a := range c.allocations {
		i, ok := slices.BinarySearchFunc(t.used, a.class, func(u classUnits, class ClassID) int { return cmp.Compare(u.class, class) })
		if !ok {
			t.used = slices.Insert(t.used, i, classUnits{class: a.class})
		}
		if t.used[i].units += sign * a.used; t.used[i].units == 0 {
			t.used = slices.Delete(t.used, i, i+1)
		}
	}
}

// tallyMap counts many consumers at once, by the key of their Tallies.
type tallyMap map[tallyKey]*Tally

type tallyKey struct {
	project, user string
	typ           ConsumerType
}

func (m tallyMap) count(c *Consumer) {
	key := tallyKey{c.project, c.user, c.typ}
	t := m[key]
	if t == nil {
		t = &Tally{Project: c.project, User: c.user, Type: c.typ}
		m[key] = t
	}
	t.add(c, 1)
}
