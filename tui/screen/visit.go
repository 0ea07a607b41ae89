package screen

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/audit"
)

// Visit is when the user was here, and what was wrong then.
type Visit struct {
	At    time.Time `json:"at"`
	Found []string  `json:"found,omitempty"` // the findings by name, in order
}

// mostFound is the most findings in a Visit. If there were more, none are kept.
const mostFound = 5000

// NewVisit returns the visit of a user who leaves findings behind, false if there are
// too many to keep.
func NewVisit(at time.Time, left []audit.Finding) (Visit, bool) {
	if len(left) > mostFound {
		return Visit{}, false
	}
	v := Visit{At: at, Found: make([]string, 0, len(left))}
	for _, f := range left {
		v.Found = append(v.Found, f.ID())
	}
	slices.Sort(v.Found)
	v.Found = slices.Compact(v.Found)
	return v, true
}

// New reports whether a finding is new since the visit; if there was none, nothing is.
func (v Visit) New(f audit.Finding) bool {
	if v.At.IsZero() {
		return false
	}
	_, seen := slices.BinarySearch(v.Found, f.ID())
	return !seen
}

// Gone returns how many findings of the visit are no longer there.
func (v Visit) Gone(now []audit.Finding) int {
	there := map[string]bool{}
	for _, f := range now {
		there[f.ID()] = true
	}
	n := 0
	for _, name := range v.Found {
		if !there[name] {
			n++
		}
	}
	return n
}
