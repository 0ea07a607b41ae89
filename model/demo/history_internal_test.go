package demo

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/placetop/placetop/model/placement"
)

// TestGather gathers the launches of a very large cloud, which went round the hosts: each
// host gets all of its instances at one time, and they arrive at several times, in the
// order of their uuids.
func TestGather(t *testing.T) {
	t.Parallel()
	const launches, hosts = 210_000, 700
	all := make([]*host, hosts)
	for n := range all {
		all[n] = &host{number: n}
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	events := make([]*event, launches)
	for n := range events {
		g := &guest{host: all[n%hosts]}
		binary.BigEndian.PutUint64(g.id[:], uint64(n)*0x9E3779B97F4A7C15)
		events[n] = &event{at: start.Add(time.Duration(n) * time.Minute), guest: g}
	}
	last := events[launches-1].at
	gather(events)
	times, of := map[time.Time]bool{}, map[*host]time.Time{}
	var before placement.ConsumerID
	for n, e := range events {
		if at, ok := of[e.guest.host]; ok && !at.Equal(e.at) || n > 0 && events[n-1].guest.host.number > e.guest.host.number {
			t.Fatalf("launch %d on host %d is apart from the others there", n, e.guest.host.number)
		}
		if n > 0 && (e.at.Before(events[n-1].at) || before.Compare(e.guest.id) >= 0) {
			t.Fatalf("launch %d comes before the one in front of it", n)
		}
		of[e.guest.host], times[e.at], before = e.at, true, e.guest.id
		if e.at.Before(start) || e.at.After(last) || e.guest.created != e.at.UnixMilli() {
			t.Fatalf("launch %d is at %v, and its instance of %v", n, e.at, time.UnixMilli(e.guest.created))
		}
	}
	if len(times) != 2 || len(of) != hosts {
		t.Errorf("%d hosts get instances at %d times", len(of), len(times))
	}
}
