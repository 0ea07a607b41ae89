package panel_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestTrail goes back from the current usage through a journal, as far as that has its
// changes.
func TestTrail(t *testing.T) {
	t.Parallel()
	s := tuitest.Demo(t, 12).Snapshot()
	p, ok := s.Placement().ProviderByName("cmp-007_pci_0000_41_00_0")
	if !ok {
		t.Fatal("the demo has no such card")
	}
	now := tuitest.Now()
	event := func(hours int, before, after int64) cloud.Event {
		record := func(n int64) versioned.Record {
			return &placement.ConsumerRecord{Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{p.ID(): {placement.VGPU: n}}}
		}
		return cloud.Event{At: now.Add(-time.Duration(hours) * time.Hour), Changes: []versioned.Change{{Before: record(before), After: record(after)}}}
	}
	for name, test := range map[string]struct {
		events []cloud.Event
		want   []string
	}{
		"nothing is known":      {nil, nil},
		"nothing has changed":   {[]cloud.Event{event(5, 2, 2)}, nil},
		"more is used":          {[]cloud.Event{event(1, 2, 4), event(5, 3, 2)}, []string{"  VGPU             █▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇███████  8 > 9 in 5h                 "}},
		"what is not told ends": {[]cloud.Event{event(1, 2, 4), {At: now.Add(-5 * time.Hour), Omitted: 9}}, []string{"  VGPU             ▇██████████████████████████████  7 > 9 in 1h                 "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := panel.NewTrail(s.Placement(), test.events).Lines(tuitest.Plain(), s.Placement(), p, now, 80)
			if len(got) != len(test.want) || len(got) == 1 && got[0] != test.want[0] {
				t.Errorf("draws %q, want %q", got, test.want)
			}
		})
	}
}

// TestTrailOfBefore keeps the journal up to a Snapshot apart from what has changed since;
// wide amounts are shown completely.
func TestTrailOfBefore(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	then := c.Snapshot().Placement()
	p, _ := then.ProviderByName("cmp-007")
	if err := c.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: modeltest.ConsumerID("late"), Generation: placement.NewConsumer(), Project: "p", User: "u",
		Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{p.ID(): {placement.MemoryMB: 2048}},
	}}}); err != nil {
		t.Fatal(err)
	}
	now, pl := tuitest.Now(), c.Snapshot().Placement()
	p, _ = pl.ProviderByName("cmp-007")
	trail := panel.NewTrail(then, []cloud.Event{{At: now.Add(-time.Hour)}})
	for _, w := range []int{60, 80, 107, 160} {
		lines := trail.Lines(tuitest.Plain(), pl, p, now, w)
		if len(lines) != 1 || !strings.Contains(lines[0], "█  507 904 > 509 952 in 1h") {
			t.Errorf("draws in %d %q", w, lines)
		}
	}
}
