package panel

import (
	"fmt"

	"github.com/placetop/placetop/model/ops"
)

// ChangesSince says how a newer preview differs from one that was seen: first the state of
// the providers that the change affects, then what it does. It is nil if nothing differs.
func ChangesSince(seen, now ops.Preview) []string {
	var out []string
	for _, d := range now.Providers {
		said, moved := false, ""
		for _, old := range seen.Providers {
			if old.Provider == d.Provider && old.GenerationBefore != d.GenerationBefore {
				moved = fmt.Sprintf("gen %d, now %d", old.GenerationBefore, d.GenerationBefore)
			}
		}
		for _, c := range d.Classes {
			was, ok := classIn(&seen, d.Provider, c.Class)
			if ok && was.UsedBefore != c.UsedBefore {
				line := fmt.Sprintf("%s of %s: %d were used, now %d", c.Class, d.Name, was.UsedBefore, c.UsedBefore)
				if moved != "" {
					line += "; " + moved
				}
				out, said = append(out, line), true
			}
		}
		if !said && moved != "" {
			out = append(out, fmt.Sprintf("someone wrote to %s: %s", d.Name, moved))
		}
	}
	return append(out, ops.Differences(seen, now)...)
}
