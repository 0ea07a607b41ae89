package sheet

import (
	"fmt"

	"github.com/placetop/placetop/model/ops"
)

// Meanwhile says what somebody who saw one preview would see differently in a newer
// one: what the change does, then how it finds the providers that it touches. It is
// nil where nothing is.
func Meanwhile(seen, now ops.Preview) []string {
	out := ops.Differences(seen, now)
	for _, d := range now.Providers {
		said := false
		for _, c := range d.Classes {
			was, ok := used(&seen, d.Provider, c.Class, usedBefore)
			if ok && was != c.UsedBefore {
				out, said = append(out, fmt.Sprintf("%s of %s: %d were used, %d are now", c.Class, d.Name, was, c.UsedBefore)), true
			}
		}
		for _, old := range seen.Providers {
			if !said && old.Provider == d.Provider && old.GenerationBefore != d.GenerationBefore {
				out = append(out, fmt.Sprintf("somebody wrote to %s: gen %d, now %d", d.Name, old.GenerationBefore, d.GenerationBefore))
			}
		}
	}
	return out
}
