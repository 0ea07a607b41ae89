package journal

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// mostTouched is how many providers are shown as they were then.
const mostTouched = 6

// moment is how full the providers that an event affected were right after it.
type moment struct {
	snap    *cloud.Snapshot
	touched []placement.ProviderID
}

// momentOf finds the cloud as an event left it. It is empty if the event affected no
// inventory, or the journal does not go back to it.
func momentOf(ctx context.Context, journal cloud.Historian, now *cloud.Snapshot, ev *cloud.Event) *moment {
	m := &moment{touched: touchedBy(ev)}
	if len(m.touched) > 0 {
		m.snap, _ = cloud.NewRecall(journal).At(ctx, now, ev.Revision) // else nothing is shown
	}
	return m
}

// touchedBy returns the providers of which an event changed the inventory or the usage, at
// most mostTouched.
func touchedBy(ev *cloud.Event) (out []placement.ProviderID) {
	for _, c := range ev.Changes {
		of, _ := c.Record().(*placement.ProviderRecord)
		for _, f := range delta.Of(c.Before, c.After) {
			var id placement.ProviderID
			switch f.Path[0] {
			case "allocations":
				of, _ := uuid.Parse(f.Path[1])
				id = placement.ProviderID(of)
			case "inventories":
				id = of.UUID
			}
			if !id.IsZero() && !slices.Contains(out, id) && len(out) < mostTouched {
				out = append(out, id)
			}
		}
	}
	return out
}

// lines draws it.
func (m moment) lines(st *style.Styles, w int) (lines []string) {
	if m.snap == nil {
		return nil
	}
	pl := m.snap.Placement()
	for _, id := range m.touched {
		if p, ok := pl.Provider(id); ok {
			lines = append(lines, component.Titled(st, w, "AS IT WAS THEN", strings.Join(panel.Path(pl, p), " > ")))
			lines = append(lines, panel.Inventories(st, pl, p, w, "")...)
		}
	}
	return lines
}
