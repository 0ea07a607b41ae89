package pulses

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/screen"
)

// told applies changes and returns what is said of the last one.
func told(t *testing.T, changes ...cloud.Change) line {
	t.Helper()
	s := cloud.Empty()
	var ev cloud.Event
	for _, c := range changes {
		c.Actor = "me"
		next, e, err := s.Apply(c)
		if err != nil {
			t.Fatal(err)
		}
		s, ev = next, e
	}
	return describe(s, ev)
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	do := func(list ...placement.Op) cloud.Change { return cloud.Change{Note: "a note", Ops: list} }
	host, card := modeltest.ProviderID("host"), modeltest.ProviderID("host_card")
	tree := do(modeltest.Provider{
		Name: "host", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8), placement.DiskGB: placement.NewInventory(100)},
		Children: []modeltest.Provider{{Name: "host_card", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(8)}}},
	}.Ops(placement.ProviderID{})...)
	vm := modeltest.ConsumerID("vm")
	server := &nova.Instance{UUID: vm, Name: "web-1", Project: "p", User: "u", Host: "host", Flavor: "m1", VMState: nova.Active}
	moving := &nova.Migration{UUID: modeltest.ConsumerID("mig"), Instance: vm, Type: nova.Resize, Status: nova.Finished, Source: "host", Dest: "other"}
	claim := func(vgpu, disk int64) cloud.Change {
		on := map[string]modeltest.Resources{"host": {placement.DiskGB: disk}}
		if vgpu > 0 {
			on["host_card"] = modeltest.Resources{placement.VGPU: vgpu}
		}
		return do(modeltest.Allocate(modeltest.Claim("vm", on)))
	}
	again := func(vgpu int64) cloud.Change {
		c := modeltest.Claim("vm", map[string]modeltest.Resources{"host_card": {placement.VGPU: vgpu}})
		c.Generation = placement.AnyGeneration()
		return do(modeltest.Allocate(c))
	}
	put := func(records ...versioned.Record) cloud.Change {
		c := cloud.Change{Note: "a note"}
		for _, r := range records {
			c.PutRecords(versioned.Change{After: r})
		}
		return c
	}
	inv := func(total, reserved int64) placement.Op {
		i := placement.NewInventory(total)
		i.Reserved = reserved
		return placement.SetInventory{Provider: card, Generation: placement.AnyGeneration(), Class: placement.VGPU, Inventory: i}
	}
	set := func(traits ...placement.Trait) placement.Op {
		return placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: traits}
	}
	short := vm.String()[:8] + "..."
	tests := map[string]struct {
		changes []cloud.Change
		want    line
	}{
		"providers":    {[]cloud.Change{tree}, line{verb: "rp+", what: "host", detail: "2 providers"}},
		"provider":     {[]cloud.Change{do(placement.CreateProvider{ID: host, Name: "host"})}, line{verb: "rp+", what: "host", detail: "provider"}},
		"delete":       {[]cloud.Change{tree, do(placement.DeleteProvider{ID: card})}, line{verb: "rp-", what: "host_card", detail: "provider"}},
		"rename":       {[]cloud.Change{tree, do(placement.UpdateProvider{ID: card, Name: "host_gpu"})}, line{verb: "name", what: "gpu", where: "host", detail: "was host_card"}},
		"reparent":     {[]cloud.Change{tree, do(placement.UpdateProvider{ID: card, Name: "host_card", Reparent: true})}, line{verb: "moved", what: "host_card", detail: "has another parent"}},
		"total":        {[]cloud.Change{tree, do(inv(10, 0))}, line{verb: "inv", what: "card", where: "host", detail: "VGPU total 8>10"}},
		"reserved":     {[]cloud.Change{tree, do(inv(8, 2))}, line{verb: "inv", what: "card", where: "host", detail: "VGPU reserved 0>2"}},
		"no inventory": {[]cloud.Change{tree, do(placement.DeleteInventory{Provider: card, Class: placement.VGPU})}, line{verb: "inv-", what: "card", where: "host", detail: "VGPU"}},
		"trait":        {[]cloud.Change{tree, do(set(placement.OwnerNova))}, line{verb: "trait+", what: "card", where: "host", detail: "OWNER_NOVA"}},
		"trait gone":   {[]cloud.Change{tree, do(set(placement.OwnerNova)), do(set())}, line{verb: "trait-", what: "card", where: "host", detail: "OWNER_NOVA"}},
		"traits":       {[]cloud.Change{tree, do(set(placement.OwnerNova)), do(set(placement.OwnerCyborg, placement.ComputeNode))}, line{verb: "traits", what: "card", where: "host", detail: "+2 -1"}},
		"aggregates":   {[]cloud.Change{tree, do(placement.SetAggregates{Provider: card, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{modeltest.AggregateID("z")}})}, line{verb: "aggs", what: "card", where: "host", detail: "0>1"}},
		"claim":        {[]cloud.Change{tree, claim(2, 20)}, line{verb: "alloc+", what: short, where: "host", detail: "VGPU 2"}},
		"plain claim":  {[]cloud.Change{tree, put(server), claim(0, 20)}, line{verb: "alloc+", what: "web-1", where: "host", detail: "DISK_GB 20"}},
		"more":         {[]cloud.Change{tree, claim(2, 20), again(3)}, line{verb: "alloc~", what: short, where: "host", detail: "VGPU 2>3"}},
		"release":      {[]cloud.Change{tree, claim(2, 20), do(placement.DeleteAllocations{Consumer: vm})}, line{verb: "alloc-", what: short, where: "host", detail: "VGPU 2"}},
		"server":       {[]cloud.Change{put(server)}, line{verb: "vm+", what: "web-1", where: "host", detail: "active"}},
		"move":         {[]cloud.Change{put(server), put(moving)}, line{verb: "move", what: "web-1", where: "host > other", detail: "resize finished"}},
		"class":        {[]cloud.Change{do(placement.CreateClass{Name: "CUSTOM_A"})}, line{verb: "class+", what: "CUSTOM_A"}},
		"custom trait": {[]cloud.Change{do(placement.CreateTrait{Name: "CUSTOM_T"})}, line{verb: "trait+", what: "CUSTOM_T"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.actor = "me"
			if diff := cmp.Diff(test.want, told(t, test.changes...), cmp.AllowUnexported(line{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("nothing known", func(t *testing.T) {
		t.Parallel()
		for _, ev := range []cloud.Event{{Note: "a note"}, {Note: "a note", Changes: []versioned.Change{{}}}} {
			if got := describe(cloud.Empty(), ev); got.verb != "change" || got.what != "a note" {
				t.Errorf("says %+v", got)
			}
		}
		if got := describe(cloud.Empty(), cloud.Event{Note: "import", Omitted: 9000}); got.verb != "bulk" || got.detail != "9000 records" {
			t.Errorf("says %+v", got)
		}
	})
}

// claimed is an event by which what is used of VGPU became is, after it was was.
func claimedEvent(rev cloud.Revision, at time.Time, was, is int64) cloud.Event {
	record := func(n int64) versioned.Record {
		if n == 0 {
			return nil
		}
		return &placement.ConsumerRecord{Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{{}: {placement.VGPU: n}}}
	}
	return cloud.Event{Revision: rev, At: at, Changes: []versioned.Change{{Before: record(was), After: record(is)}}}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	ago := func(h float64) time.Time { return now.Add(-time.Duration(h * float64(time.Hour))) }
	totals := insight.Summary{Classes: []insight.ClassTotal{{Class: placement.VGPU, Used: 5}}}
	series := func(n int, value func(hoursAgo int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = value(n - 1 - i)
		}
		return out
	}
	for name, test := range map[string]struct {
		events []cloud.Event
		want   []float64
	}{
		"nothing happened": {nil, series(24, func(int) float64 { return 5 })},
		"from the first one on": {
			[]cloud.Event{claimedEvent(2, ago(1.5), 2, 5), claimedEvent(1, ago(10.5), 0, 2)},
			series(24, func(h int) float64 {
				switch {
				case h < 2:
					return 5
				case h < 11:
					return 2
				}
				return 0
			}),
		},
		"the journal begins later": {
			[]cloud.Event{claimedEvent(9, ago(1.5), 2, 5), claimedEvent(8, ago(3.5), 1, 2)},
			series(4, func(h int) float64 {
				if h < 2 {
					return 5
				}
				return 2
			}),
		},
		"an import": {
			[]cloud.Event{claimedEvent(9, ago(1.5), 2, 5), {Revision: 8, At: ago(2.5), Omitted: 7000}, claimedEvent(7, ago(30), 0, 2)},
			series(3, func(h int) float64 {
				if h < 2 {
					return 5
				}
				return 2
			}),
		},
		"older than the span": {[]cloud.Event{claimedEvent(9, ago(30), 2, 5)}, series(24, func(int) float64 { return 5 })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := trace(totals, test.events, now)
			if diff := cmp.Diff(test.want, h[placement.VGPU]); diff != "" {
				t.Error(diff)
			}
			for n := range 30 {
				if got := h.last(placement.VGPU, n); len(got) > min(n, steps) && n < steps {
					t.Errorf("last(%d) has %d values", n, len(got))
				} else if len(got) > 0 && got[len(got)-1] != 5 {
					t.Errorf("last(%d) does not end with what is used now: %v", n, got)
				}
			}
		})
	}
}

// journal is a Historian that counts what it is asked for.
type journal struct {
	asked []cloud.EventQuery
	fault error
}

func (j *journal) Events(_ context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	j.asked = append(j.asked, q)
	var out []cloud.Event
	for rev := q.Until; rev > q.After && len(out) < q.Limit; rev-- {
		out = append(out, cloud.Event{Revision: rev})
	}
	return out, j.fault
}

func TestReadOn(t *testing.T) {
	t.Parallel()
	var j journal
	read := func(until cloud.Revision, known []cloud.Event, asks int) []cloud.Event {
		t.Helper()
		j.asked = nil
		events, err := screen.ReadOn(t.Context(), &j, until, known, journalEvents, smallEvent)
		if err != nil || len(j.asked) != asks {
			t.Fatalf("asks %d times, want %d: %v", len(j.asked), asks, err)
		}
		for i, ev := range events {
			if ev.Revision != until-cloud.Revision(i) {
				t.Fatalf("event %d is of revision %d, want %d", i, ev.Revision, until-cloud.Revision(i))
			}
		}
		return events
	}
	events := read(100, nil, 1)
	read(100, events, 0)
	events = read(103, events, 1)
	if len(events) != 103 || j.asked[0].After != 100 {
		t.Errorf("has %d events, asked %+v", len(events), j.asked)
	}
	if events = read(2100, events, 1); len(events) != journalEvents {
		t.Errorf("has %d events", len(events))
	}
	if events = read(90_000, events, 1); len(events) != journalEvents { // what is between is not known
		t.Errorf("has %d events", len(events))
	}
	j.fault = errors.New("closed")
	if got, err := screen.ReadOn(t.Context(), &j, 90_001, events, journalEvents, smallEvent); err == nil || len(got) != len(events) {
		t.Errorf("of a broken journal %d events are kept: %v", len(got), err)
	}
}
