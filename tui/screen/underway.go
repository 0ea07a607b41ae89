package screen

import (
	"slices"
	"sync"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
)

// UnderWay knows the courses that this process is taking to their end, in whatever
// session. It may be used from several goroutines; the zero value knows of none.
type UnderWay struct {
	mu      sync.Mutex
	courses map[*ops.Task]bool
}

// Begin notes a course until end is called, as ops.Runner wants it. A nil
// UnderWay notes nothing.
func (u *UnderWay) Begin(c ops.Task) (end func()) {
	if u == nil {
		return func() {}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.courses == nil {
		u.courses = map[*ops.Task]bool{}
	}
	u.courses[&c] = true
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.courses, &c)
	}
}

// has reports whether a course is under way that is about what x is about.
func (u *UnderWay) has(x ops.Interrupted) bool {
	if u == nil {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for c := range u.courses {
		if x.IsOf(*c) {
			return true
		}
	}
	return false
}

// When to look again for what was interrupted, though nothing is written: soon while
// something is under way, which may stop without another write, and now and then
// because hosts come and go by the clock.
const (
	lookSoon  = time.Second
	lookLater = time.Minute
)

// anyAge is the age from which on something counts as interrupted: any, even by a
// clock that is ahead of this one.
const anyAge = -100 * 365 * 24 * time.Hour

// Interrupted returns what stands half-way in s and is not under way here, however
// short ago it was touched: a cloud has one writer at a time, so that nobody else is
// at it. What was under way when s was made, and is over, is left out too: it stands
// half-way in s, but not any more in what is newer. Again is when to look again though
// nothing changes, zero for never.
func (e Env) Interrupted(s *cloud.Snapshot) (found []ops.Interrupted, again time.Time) {
	now := e.Clock()
	all := ops.Unfinished(s, now, anyAge)
	found = slices.DeleteFunc(slices.Clone(all), e.UnderWay.has)
	if newest := e.Cloud.Snapshot(); newest != s && len(found) > 0 {
		left := ops.Unfinished(newest, now, anyAge)
		found = slices.DeleteFunc(found, func(x ops.Interrupted) bool {
			return !slices.ContainsFunc(left, func(y ops.Interrupted) bool {
				return x.Instance == y.Instance && x.Migration == y.Migration
			})
		})
	}
	switch {
	case len(found) < len(all):
		again = now.Add(lookSoon)
	case len(all) > 0:
		again = now.Add(lookLater)
	}
	return found, again
}
