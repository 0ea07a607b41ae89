package ops

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
)

// DataMigrations is the Task that moves to Placement what is kept only in Nova's old
// columns: one step for each compute node and each instance. It may be stopped after
// any step; what is done is not found again.
type DataMigrations struct {
	Most int // steps; 0 for no limit
	// Looked is called with what there is to do, each time after looking for it.
	Looked func(tracker.Batch)

	rest   []tracker.Unit
	looked bool
	given  int
	expect cloud.Revision // if nobody else has written since
}

var _ Task = (*DataMigrations)(nil)

// independent says that the steps do not depend on each other.
func (*DataMigrations) independent() {}

// About implements Task.
func (*DataMigrations) About() Description { return Description{Name: "online-data-migrations"} }

// Next implements Task. If another writer wrote, it looks again.
func (d *DataMigrations) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	if d.Most > 0 && d.given >= d.Most {
		return Step{}, false, nil
	}
	if !d.looked || s.Revision() != d.expect {
		limit := 0
		if d.Most > 0 {
			limit = d.Most - d.given
		}
		b := worldOf(s).MigrateBatch(limit, at)
		if d.Looked != nil {
			d.Looked(b)
		}
		d.looked, d.rest = true, b.Units
	}
	if len(d.rest) == 0 {
		return Step{}, false, nil
	}
	u := d.rest[0]
	d.rest = d.rest[1:]
	d.given++
	d.expect = s.Revision() + 1
	return Step{Name: u.Migration, Title: u.Migration + ": " + u.What, Change: cloud.Change{Ops: append(slices.Clip(u.Ops), u.Nova...)}}, true, nil
}

// Failed implements Task: what was done before stays.
func (*DataMigrations) Failed(*cloud.Snapshot, time.Time, Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}
