package pulses

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// TestRates counts what happened by its records, in the hour in which it did.
func TestRates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ago := func(h float64) time.Time { return now.Add(-time.Duration(h * float64(time.Hour))) }
	holder := func(typ placement.ConsumerType) versioned.Record { return &placement.ConsumerRecord{Type: typ} }
	compute := func(version int) versioned.Record { return &nova.Service{Binary: nova.Compute, Version: version} }
	failed := func(fault string) versioned.Record { return &nova.Instance{Fault: fault} }
	gate := nova.Gate{Minimum: 61, Need: 73, Holds: make([]nova.GateHold, 1)}
	change := func(before, after versioned.Record) versioned.Change {
		return versioned.Change{Before: before, After: after}
	}
	events := []cloud.Event{
		{Revision: 9, At: ago(0.1), Changes: []versioned.Change{change(nil, holder(placement.InstanceConsumer)), change(nil, holder(placement.MigrationConsumer))}},
		{Revision: 8, At: ago(0.2), Changes: []versioned.Change{change(holder(placement.InstanceConsumer), nil), change(nil, new(nova.Migration))}},
		{Revision: 7, At: ago(1.5), Changes: []versioned.Change{change(compute(61), compute(73)), change(failed(""), failed("No valid host was found. There are not enough hosts available."))}},
		{Revision: 6, At: ago(1.6), Omitted: 900},
		{Revision: 5, At: ago(2.5), Changes: []versioned.Change{change(failed(""), failed("no valid host was found: gone")), change(failed("no valid host was found: gone"), failed("no valid host was found: gone"))}},
		{Revision: 4, At: ago(2.6), Changes: []versioned.Change{change(nil, failed("no valid host was found: gone")), change(failed(""), failed("it burns"))}},
		{Revision: 3, At: ago(3.5)},
	}
	lost := []cloud.Conflict{{At: ago(30)}, {At: ago(0.5)}}
	want := rates{
		rows: []rate{
			{"writes", []float64{2, 2, 2}, false},
			{"boots", []float64{0, 0, 1}, false},
			{"deletes", []float64{0, 0, 1}, false},
			{"moves", []float64{0, 0, 1}, false},
			{"no host", []float64{2, 1, 0}, false},
			{"races lost", []float64{0, 0, 1}, false},
			{"hold gate", []float64{2, 1, 1}, true},
		},
		reasons: []reason{{"gone", 2}, {"There are not enough hosts available", 1}},
	}
	both := cmp.AllowUnexported(rates{}, rate{}, reason{})
	must.Match(t, want, ratesOf(events, lost, gate, now), both)
	first := append(events[:6:6], cloud.Event{Revision: 1, At: ago(3.5)})
	if got := ratesOf(first, nil, gate, now).rows[writes].series; len(got) != steps || got[steps-4] != 1 {
		t.Errorf("a journal that has all counts %v", got)
	}
	for _, r := range ratesOf(nil, nil, nova.Gate{}, now).rows {
		if r.level || len(r.series) != steps {
			t.Errorf("where nothing happened there is %+v", r)
		}
	}
}
