package cloud_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
)

// TestServiceLinkState checks what is shown of a service that is read every 30 seconds: not
// only that it answers counts, but also that a reading comes to an end.
func TestServiceLinkState(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_000_000, 0)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	read := cloud.ServiceLink{Name: "Nova", At: at(-31), Since: at(0), Heard: at(-30), Every: 30 * time.Second, Took: time.Second}
	with := func(change func(l *cloud.ServiceLink)) cloud.ServiceLink {
		l := read
		change(&l)
		return l
	}
	for name, test := range map[string]struct {
		is   cloud.ServiceLink
		at   int // seconds
		want cloud.Liveness
		why  string
	}{
		"just begun":                       {read, 1, cloud.Live, ""},
		"no answer yet":                    {read, 10, cloud.Slow, ""},
		"no answer at all":                 {read, 24, cloud.Stale, "Nova has not answered for 24s"},
		"answers, and comes to no end":     {with(func(l *cloud.ServiceLink) { l.Heard = at(23) }), 24, cloud.Stale, "Nova has been answering for 24s without coming to an end"},
		"answers, and took as long before": {with(func(l *cloud.ServiceLink) { l.Heard, l.Took = at(23), 20*time.Second }), 24, cloud.Live, ""},
		"answers, and took half as long":   {with(func(l *cloud.ServiceLink) { l.Heard, l.Took = at(23), 5*time.Second }), 24, cloud.Slow, ""},
		"due, and not begun":               {with(func(l *cloud.ServiceLink) { l.Since, l.Next = time.Time{}, at(0) }), 24, cloud.Stale, "Nova has not answered for 24s"},
		"not due yet":                      {with(func(l *cloud.ServiceLink) { l.Since, l.Next = time.Time{}, at(30) }), 24, cloud.Live, ""},
		"for the first time":               {with(func(l *cloud.ServiceLink) { l.At, l.Heard = time.Time{}, time.Time{} }), 1, cloud.Opening, ""},
		"for the first time, long":         {with(func(l *cloud.ServiceLink) { l.At, l.Heard, l.Took = time.Time{}, at(299), 0 }), 300, cloud.Opening, ""},
		"for the first time, no answer":    {with(func(l *cloud.ServiceLink) { l.At, l.Heard = time.Time{}, time.Time{} }), 24, cloud.Stale, "Nova has not answered for 24s"},
		"failed":                           {with(func(l *cloud.ServiceLink) { l.Lost = "503" }), 1, cloud.Stale, "503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := at(test.at)
			if got, why := test.is.State(now), test.is.Why(now); got != test.want || why != test.why {
				t.Errorf("%s, %q, want %s, %q", got, why, test.want, test.why)
			}
			// Turns says when it becomes another, if it does.
			if turns := test.is.Turns(now); !turns.IsZero() {
				if before, then := test.is.State(turns.Add(-1)), test.is.State(turns); before != test.want || then == test.want {
					t.Errorf("%s until %s, then %s", before, turns.Sub(start), then)
				}
			} else if later := test.is.State(now.Add(time.Hour)); later != test.want {
				t.Errorf("%s an hour later", later)
			}
		})
	}
}
