// Package conflict remembers the latest conflicts of the writers of a store.
package conflict

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/placetop/placetop/model/cloud"
)

// Log is the conflicts of one store. The zero value has none, and is ready for use
// from any goroutine.
type Log struct {
	mu     sync.Mutex // held while one is added
	newest atomic.Pointer[[]cloud.Conflict]
}

// Note keeps the conflict in err, with which s refused c; it does nothing where err is
// about something else, or nil.
func (l *Log) Note(s *cloud.Snapshot, c cloud.Change, err error) {
	lost, ok := cloud.ConflictOf(s, c, err)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.Conflicts()
	all = append(slices.Clone(all[max(0, len(all)+1-cloud.MostConflicts):]), lost)
	l.newest.Store(&all)
}

// Conflicts implements cloud.ConflictLog.
func (l *Log) Conflicts() []cloud.Conflict {
	if all := l.newest.Load(); all != nil {
		return *all
	}
	return nil
}
