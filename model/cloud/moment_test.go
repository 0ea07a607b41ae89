package cloud_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// minutely is the journal of a cloud that changed once a minute from noon on.
type minutely struct{ newest cloud.Revision }

func (m minutely) Events(_ context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	rev := min(q.Until, m.newest)
	if rev <= q.After {
		return nil, nil
	}
	return []cloud.Event{{Revision: rev, At: noon().Add(time.Duration(rev) * time.Minute)}}, nil
}

func noon() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

func TestFindRevision(t *testing.T) {
	t.Parallel()
	const newest = 60
	s := cloud.Empty()
	for i := range newest {
		next, _, err := s.Apply(cloud.Change{At: noon().Add(time.Duration(i+1) * time.Minute), Ops: []cloud.Op{placement.CreateTrait{Name: placement.Trait("CUSTOM_" + string(rune('A'+i%26)) + string(rune('A'+i/26)))}}})
		must.Succeed(t, err)
		s = next
	}
	now := noon().Add(time.Hour + 30*time.Second)
	for text, want := range map[string]cloud.Revision{
		"60": 60, "1": 1, "0": 0, "-1": 59, "-60": 0, " 7 ": 7,
		"10m": 50, "-10m": 50, "10m ago": 50, "1m": 59, "29s": 60,
		"12:05": 5, "12:05:59": 5, "13:00": 60,
		"2026-11-23 12:30": 30, "2026-11-23 12:30:01": 30, "2026-11-23T12:30:00Z": 30, "2026-11-23T14:30:00+02:00": 30,
	} {
		if got, err := cloud.FindRevision(t.Context(), minutely{newest}, s, text, now); got != want || err != nil {
			t.Errorf("%q is revision %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"9999999h": "is more than 100 years ago", "-9999999h": "is more than 100 years ago", "99999999999999999999d": "is more than 100 years ago",
		"h": "is not a time", "1.5.5h": "is not a time", "0h": "is not a time",
	} {
		_, err := cloud.FindRevision(t.Context(), minutely{newest}, s, text, now)
		must.Say(t, fmt.Sprint(text, ": ", err), want)
	}
	for text, want := range map[string]error{
		"61": placement.ErrInvalid, "-61": placement.ErrInvalid, "": placement.ErrInvalid, "-": placement.ErrInvalid, "tomorrow": placement.ErrInvalid, "yesterday": placement.ErrNotFound,
		"2026-11-24": placement.ErrInvalid, "2026-11-23": placement.ErrNotFound, "13:30": placement.ErrNotFound, "2h": placement.ErrNotFound,
	} {
		if got, err := cloud.FindRevision(t.Context(), minutely{newest}, s, text, now); !errors.Is(err, want) {
			t.Errorf("%q is revision %d, %v; want %v", text, got, err, want)
		}
	}
}

// ahead is a journal whose clock was two days ahead for a while.
type ahead struct{ minutely }

func (a ahead) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	events, err := a.minutely.Events(ctx, q)
	for i := range events {
		if rev := events[i].Revision; rev > 30 && rev <= 50 {
			events[i].At = events[i].At.AddDate(0, 0, 2)
		}
	}
	return events, err
}

func TestRevisionAtOfAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	s := cloud.Empty()
	for i := range 60 {
		next, _, err := s.Apply(cloud.Change{At: noon().Add(time.Duration(i+1) * time.Minute), Ops: []cloud.Op{placement.CreateTrait{Name: placement.Trait("CUSTOM_" + string(rune('A'+i%26)) + string(rune('A'+i/26)))}}})
		must.Succeed(t, err)
		s = next
	}
	for minutes, want := range map[int]cloud.Revision{10: 10, 55: 55, 60: 60, 24 * 60: 60, 3 * 24 * 60: 60} {
		if got, err := cloud.RevisionAt(t.Context(), ahead{minutely{60}}, s, noon().Add(time.Duration(minutes)*time.Minute)); got != want || err != nil {
			t.Errorf("after %d minutes: revision %d, %v; want %d", minutes, got, err, want)
		}
	}
}
