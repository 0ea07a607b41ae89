package consumers

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen/panel"
)

// order is what rows are sorted by.
type order uint8

const (
	byAge order = iota
	byName
	byProject
	byType
	orders
)

// String returns the order as the crumb line shows it.
func (o order) String() string { return [...]string{"age", "name", "project", "type"}[o] }

// column returns the key of the column that an order goes by.
func (o order) column() string { return [...]string{"age", "consumer", "project", "type"}[o] }

// wish is all that decides which rows there are and in which order.
type wish struct {
	sort order
	desc bool
	expr string // the filter as it was typed
}

// roll is all consumers of a Snapshot with what is told of each of them, by uuid.
type roll struct {
	snap  *cloud.Snapshot
	all   []*placement.Consumer
	names []string // of each of all, as people call it
	keys  []string // the same in lower case
	found map[placement.ConsumerID][]ops.Finding
}

// list is the rows for a wish.
type list struct {
	*roll
	wish  wish
	order []int32 // all of the roll, sorted
	rows  []int32 // those that match
	fault error   // the filter cannot be read; all rows are there then
}

// request is all that a list is made of.
type request struct {
	snap *cloud.Snapshot
	wish wish
	old  *list // may be nil
	now  time.Time
}

// build makes the rows. What the list before knows already is not made again:
// a filter alone changes neither roll nor order. It stops early when ctx ends,
// with a list that is not whole.
func build(ctx context.Context, r request) *list {
	l := &list{wish: r.wish}
	if r.old != nil && r.old.snap == r.snap {
		l.roll = r.old.roll
		if r.old.wish.sort == r.wish.sort && r.old.wish.desc == r.wish.desc {
			l.order = r.old.order
		}
	} else {
		l.roll = newRoll(ctx, r.snap)
	}
	if l.order == nil && ctx.Err() == nil {
		l.order = l.sorted(r.wish.sort, r.wish.desc)
	}
	filter, err := component.CompileFilter(r.wish.expr, fields{roll: l.roll, now: r.now})
	if err != nil {
		l.fault, filter = err, nil
	}
	l.rows = l.order
	if !filter.Empty() {
		l.rows = nil
		for n, i := range l.order {
			if n%1024 == 0 && ctx.Err() != nil {
				break
			}
			if filter.Match(int(i), l.keys[i]) {
				l.rows = append(l.rows, i)
			}
		}
	}
	return l
}

func newRoll(ctx context.Context, snap *cloud.Snapshot) *roll {
	n := snap.Placement().ConsumerCount()
	r := &roll{
		snap: snap, all: make([]*placement.Consumer, 0, n), names: make([]string, 0, n), keys: make([]string, 0, n),
		found: map[placement.ConsumerID][]ops.Finding{},
	}
	// Both ledgers list by uuid, so that one walk over each finds all names.
	instances := make([]*nova.Instance, 0, snap.Nova().InstanceCount())
	for i := range snap.Nova().Instances() {
		instances = append(instances, i)
	}
	at := 0
	for c := range snap.Placement().Consumers() {
		if len(r.all)%1024 == 0 && ctx.Err() != nil {
			return r
		}
		id := c.ID()
		for at < len(instances) && instances[at].UUID.Compare(id) < 0 {
			at++
		}
		name := ""
		if at < len(instances) && instances[at].UUID == id {
			name = instances[at].Name
		}
		if name == "" {
			name = panel.ConsumerName(snap, id)
		}
		r.all = append(r.all, c)
		r.names = append(r.names, name)
		r.keys = append(r.keys, strings.ToLower(name))
	}
	for _, f := range ops.Audit(snap) {
		if !f.Consumer.IsZero() {
			r.found[f.Consumer] = append(r.found[f.Consumer], f)
		}
	}
	return r
}

// sorted returns the numbers of all consumers in an order; ties go by name, then
// by uuid.
func (r *roll) sorted(by order, desc bool) []int32 {
	type keyed struct {
		time int64 // the newest first
		text string
		i    int32
	}
	ks := make([]keyed, len(r.all))
	for i, c := range r.all {
		ks[i].i = int32(i) //nolint:gosec // consumers are fewer
		switch by {
		case byAge:
			ks[i].time = -c.Created().UnixMilli()
		case byProject:
			ks[i].text = c.Project()
		case byType:
			ks[i].text = c.Type().String()
		case byName, orders:
		}
	}
	slices.SortFunc(ks, func(a, b keyed) int {
		c := cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.text, b.text), cmp.Compare(r.names[a.i], r.names[b.i]), cmp.Compare(a.i, b.i))
		if desc {
			return -c
		}
		return c
	})
	out := make([]int32, len(ks))
	for i, k := range ks {
		out[i] = k.i
	}
	return out
}
