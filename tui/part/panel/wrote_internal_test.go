package panel

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// history is a journal of a few events, newest first.
type history struct {
	events []cloud.Event
	err    error
}

// Events implements cloud.Historian.
func (h history) Events(_ context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	var out []cloud.Event
	for _, ev := range h.events {
		if ev.Revision > q.After && ev.Revision <= q.Until {
			out = append(out, ev)
		}
	}
	return out, h.err
}

// TestWrote says who wrote to the card that a preview affects, among everything written
// since.
func TestWrote(t *testing.T) {
	t.Parallel()
	card, other := modeltest.ProviderID("card"), modeltest.ProviderID("other")
	claim := func(revision cloud.Revision, actor string, of placement.ProviderID) cloud.Event {
		return cloud.Event{Revision: revision, Actor: actor, Note: "claim", Changes: []versioned.Change{{After: &placement.ConsumerRecord{
			UUID: modeltest.ConsumerID("web"), Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{of: {placement.VGPU: 1}},
		}}}}
	}
	p := ops.Preview{Providers: []ops.ProviderDiff{{Provider: card, Name: "card"}}}
	for name, c := range map[string]struct {
		journal history
		after   cloud.Revision
		want    []string
	}{
		"nothing since":          {history{events: []cloud.Event{claim(4, "dana", card)}}, 9, nil},
		"before it was shown":    {history{events: []cloud.Event{claim(4, "dana", card)}}, 4, nil},
		"to the card":            {history{events: []cloud.Event{claim(5, "dana", card)}}, 4, []string{"dana wrote to card, rev 5: claim"}},
		"to another":             {history{events: []cloud.Event{claim(5, "dana", other)}}, 4, nil},
		"nobody says who":        {history{events: []cloud.Event{claim(5, "", card)}}, 4, []string{"someone wrote to card, rev 5: claim"}},
		"the journal has failed": {history{err: errors.New("disk")}, 4, nil},
		"often": {
			history{events: []cloud.Event{claim(8, "a", card), claim(7, "b", card), claim(6, "c", card), claim(5, "d", card)}},
			4,
			[]string{"a wrote to card, rev 8: claim", "b wrote to card, rev 7: claim", "c wrote to card, rev 6: claim", "and others before that"},
		},
	} {
		if d := cmp.Diff(c.want, WritersText(t.Context(), c.journal, p, c.after, 9)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
