package audit

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
)

// Observations is what was seen of a cloud but is not in its Snapshot: the time, which ages
// are counted to, and what was refused.
type Observations struct {
	At        time.Time        // when it was asked
	Conflicts []cloud.Conflict // the oldest first, see cloud.ConflictLog
}

// conflictsMatter reports whether any of the conflicts is new enough for the rules, so
// that what they find changes as time passes.
func conflictsMatter(conflicts []cloud.Conflict, now time.Time) bool {
	return len(conflicts) > 0 && now.Sub(conflicts[len(conflicts)-1].At) < conflictWindow
}

// How many conflicts over one subject are reported: with fewer, the writers that lost
// have long retried.
const (
	conflictWindow = 10 * time.Minute
	conflictLimit  = 3
)
