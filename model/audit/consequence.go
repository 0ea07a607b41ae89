package audit

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
)

// Consequences returns which problems are gone in after, which may be a hypothetical
// cloud, and which are new there or have become worse. Ages are counted to now on
// both. At 10,000 hosts it takes some 50 ms.
func Consequences(before, after *cloud.Snapshot, now time.Time) (clears, brings []Finding) {
	was, _ := findings(before, false, &Observations{At: now})
	is, _ := findings(after, false, &Observations{At: now})
	sizes := make(map[findingKey]int64, len(was))
	for _, f := range was {
		sizes[f.key()] = f.Size
	}
	stands := make(map[findingKey]bool, len(is))
	for _, f := range is {
		stands[f.key()] = true
		size, known := sizes[f.key()]
		if f.Worse = known; !known || f.Size > size {
			brings = append(brings, f)
		}
	}
	for _, f := range was {
		if !stands[f.key()] {
			clears = append(clears, f)
		}
	}
	return clears, brings
}

// Raised says what a change that has f among its consequences does.
func (f Finding) Raised() string {
	if f.Worse {
		return "would worsen " + f.String()
	}
	return "would raise " + f.String()
}

// String returns f in one line: the rule, its subject, and what is wrong.
func (f Finding) String() string { return fmt.Sprintf("%s %s: %s", f.Rule, f.Subject, f.Text) }
