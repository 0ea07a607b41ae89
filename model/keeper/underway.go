package keeper

import (
	"slices"
	"sync"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
)

// workUnderWay are the tasks that this process is running, in any session.
type workUnderWay struct {
	mu    sync.Mutex
	tasks map[*ops.Task]bool
}

// Begin notes that a task is in progress until end is called, for ops.Runner. A nil
// Keeper notes nothing.
func (k *Keeper) Begin(t ops.Task) (end func()) {
	if k == nil {
		return func() {}
	}
	w := &k.work
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tasks == nil {
		w.tasks = map[*ops.Task]bool{}
	}
	w.tasks[&t] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.tasks, &t)
	}
}

// has reports whether a task for the same thing as x is running.
func (w *workUnderWay) has(x ops.InterruptedTask) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t := range w.tasks {
		if x.IsOf(*t) {
			return true
		}
	}
	return false
}

// When to look again for interrupted tasks although nothing is written: soon while a task
// is running, as it may stop without another write, and now and then because time alone
// takes hosts up and down.
const (
	lookSoon  = time.Second
	lookLater = time.Minute
)

// Interrupted returns what is unfinished in s and not in progress here, however recent: a
// cloud has one writer at a time, so nobody else can be working on it. What was in
// progress when s was made and has ended since is left out too: it is unfinished in s,
// but no longer in newer Snapshots. Again is when to look again even if nothing changes,
// zero for never.
func (k *Keeper) Interrupted(s *cloud.Snapshot) (found []ops.InterruptedTask, again time.Time) {
	now := k.o.Now()
	all := ops.UnfinishedIn(k.cloud.Capabilities(), s, now, ops.AnyAge)
	found = slices.DeleteFunc(slices.Clone(all), k.work.has)
	if newest := k.cloud.Snapshot(); newest != s && len(found) > 0 {
		left := ops.Unfinished(newest, now, ops.AnyAge)
		found = slices.DeleteFunc(found, func(x ops.InterruptedTask) bool { return !x.In(left) })
	}
	switch {
	case len(found) < len(all):
		again = now.Add(lookSoon)
	case len(all) > 0:
		again = now.Add(lookLater)
	}
	return found, again
}
